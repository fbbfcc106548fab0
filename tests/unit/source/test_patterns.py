"""Patterns agree with the git that is installed, line by line."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gortex_py.source.ignore import RuleList
from gortex_py.source.patterns import as_bytes_text, parse_patterns

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="compares with git")

PATHS = [
    *(
        "a",
        "b",
        "ab",
        "a.b",
        "a b",
        "a ",
        "é",
        "ü.x",
        "#a",
        "!a",
        "a*",
        "a[b]",
        "a\\",
        "]",
        "-",
        "A",
        "1",
        "a\tb",
        "foo",
    ),
    *("a/b", "b/a", "a/a", "a/b/a", "a/b/b", "b/b/a/b", "foo/b", "fooa/a/b", "a.b/a.b", "x/foo/b/a", "x/y/z/a", "é/a"),
]


def git_ignored(repository: Path, lines: bytes, paths: list[str]) -> set[str]:
    (repository / ".gitignore").write_bytes(lines)
    asked = "\0".join(paths).encode()
    command = ["git", "-c", "core.excludesFile=", "check-ignore", "--no-index", "-z", "--stdin", "--non-matching", "-v"]
    done = subprocess.run(command, cwd=repository, input=asked, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    fields = done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]
    rows = zip(*[iter(fields)] * 4, strict=True)
    return {path for source, _, pattern, path in rows if source == ".gitignore" and not pattern.startswith("!")}


def ours_ignored(lines: bytes, paths: list[str]) -> set[str]:
    rules = RuleList(parse_patterns(lines), base="", source=".gitignore")

    def is_ignored(path: str) -> bool:
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            part = as_bytes_text("/".join(parts[:depth]))
            pattern = rules.match(part, part.rpartition("/")[2], is_dir=depth < len(parts))
            if pattern is not None and (depth == len(parts) or not pattern.negated):
                return not pattern.negated
        return False

    return {path for path in paths if is_ignored(path)}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A repository in which every path of PATHS can be asked for; nothing needs to exist."""
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    yield folder


CASES = {
    "anchored": b"/a\n",
    "inner slash anchors": b"a/b\n",
    "any depth": b"**/b\n",
    "everything below": b"a/**\n",
    "folders between": b"a/**/b\n",
    "stars that do not stand alone": b"foo**/b\n",
    "folder only": b"a/\n",
    "negation": b"*\n!a.b\n",
    "folder cannot be reopened": b"a/\n!a/b\n",
    "folder content can": b"a/*\n!a/b\n",
    "whitelist": b"*\n!*/\n!*.b\n",
    "trailing spaces": b"a   \nb\\ \n",
    "protected space": b"a\\ \n",
    "inner space": b"a b\n",
    "escaped hash and bang": b"\\#a\n\\!a\n",
    "escaped star": b"a\\*\n",
    "lone backslash": b"a\\\n",
    "escaped backslash": b"a\\\\\n",
    "set": b"[ab]\n",
    "negated set": b"[!a]\n",
    "caret set": b"[^a]\n",
    "range": b"[a-f]*\n",
    "reversed range": b"[f-a]\n",
    "bracket member": b"[]]\n",
    "dash member": b"[a-]\n",
    "named set": b"[[:digit:][:upper:]]\n",
    "unknown named set": b"[[:nope:]]\n",
    "open set": b"[ab\n",
    "set that holds a slash": b"a[/]b\n",
    "question mark is a byte": b"?\n??\n",
    "carriage returns": b"a\r\nb\r\n",
    "byte order mark": b"\xef\xbb\xbfa\n",
    "comment": b"# a\n#a\n",
    "slash alone": b"/\n",
    "double slash": b"//a\n",
    "two trailing slashes": b"a//\n",
    "everything": b"**\n",
    "every folder": b"**/\n",
    "dots": b".*/\n*.*\n",
    "not UTF-8": b"\xff\xfe\nb\n",
    "no final newline": b"a\nb",
    "tab": b"a\tb\nfoo\t\n",
    "bang alone": b"!\na\n",
    "NUL": b"a\0b\n",
    "escaped letters": b"\\a\\b\n",
}


@needs_git
@pytest.mark.parametrize("lines", CASES.values(), ids=CASES.keys())
def test_a_line_matches_as_in_git(repository: Path, lines: bytes) -> None:
    assert ours_ignored(lines, PATHS) == git_ignored(repository, lines, PATHS)


PIECES = st.sampled_from(
    [
        "a",
        "b",
        "foo",
        "*",
        "**",
        "/",
        "?",
        "[ab]",
        "[!a]",
        "[a-",
        "]",
        "[[:alpha:]]",
        "\\",
        " ",
        ".",
        "!",
        "#",
        "é",
        "-",
    ]
)
LINES = st.lists(st.lists(PIECES, min_size=1, max_size=6).map("".join), min_size=1, max_size=4)


@needs_git
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=LINES)
def test_any_lines_match_as_in_git(repository: Path, lines: list[str]) -> None:
    content = "\n".join(lines).encode()
    assert ours_ignored(content, PATHS) == git_ignored(repository, content, PATHS)


def test_a_line_of_64_kib_is_no_trouble() -> None:
    patterns = parse_patterns(b"x" * 65536 + b"\n" + b"*[" * 32768 + b"\na\n")
    rules = RuleList(patterns, base="", source=".gitignore")
    assert rules.match("a", "a", is_dir=False) is patterns[2]


def test_many_stars_cost_no_more_than_their_number(monotonic: Callable[[], float] = time.monotonic) -> None:
    rules = RuleList(parse_patterns(b"*a" * 40 + b"*b\n" + b"x/" + b"*a" * 40 + b"*b\n"), base="", source=".gitignore")
    started = monotonic()
    assert rules.match("x/" + "a" * 250, "a" * 250, is_dir=False) is None
    assert monotonic() - started < 1


def test_patterns_keep_their_text_for_messages() -> None:
    pattern = parse_patterns("\n# c\n!ünter/\n".encode())[0]
    assert (pattern.text, pattern.line, pattern.negated, pattern.dir_only) == ("!ünter/", 3, True, True)
    assert re.compile(pattern.regex)
