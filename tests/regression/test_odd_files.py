"""Files nobody wrote by hand: one of them must never cost the others, or the machine."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest

from gortex_py.types import SkipReason
from tests.regression.conftest import Indexed

PLAIN = "def plain_neighbour():\n    return 1\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("deep.cpp", "int deep() { return " + "(" * 20_000 + "1" + ")" * 20_000 + "; }\n"),
        ("nested.cpp", "using T = " + "A<" * 5_000 + "int" + ">" * 5_000 + ";\nint after_templates() { return 1; }\n"),
        ("deep.py", "deep_value = " + "[" * 20_000 + "]" * 20_000 + "\n"),
        ("deep.json", '{"deep_key": ' + "[" * 20_000 + "]" * 20_000 + "}\n"),
        ("deep.md", "> " * 3_000 + "deep_quote\n\n" + "".join("  " * i + "- deep_list\n" for i in range(400))),
        ("deep.html", "<div>" * 3_000 + "deep_text" + "</div>" * 3_000),
        ("chain.js", "const deep_chain = a" + ".b()" * 8_000 + ";\n"),
        ("plus.py", "deep_sum = " + " + ".join(["1"] * 20_000) + "\n"),
        ("else.c", "int f(int x) {\n" + "if (x) {} else " * 8_000 + "{}\n}\nint deep_else;\n"),
    ],
    ids=lambda value: value if len(value) < 20 else "",
)
def test_nesting_without_end_costs_that_file_its_symbols_at_most(repo: Indexed, name: str, text: str) -> None:
    """A syntax tree as deep as its file is long used to overflow a stack and take the index along."""
    repo.write({name: text, "plain.py": PLAIN}, index=False)
    report = repo.index()
    assert report.added == 2 and not report.skipped
    assert repo.first("plain_neighbour").symbol == "plain_neighbour"
    assert name in repo.paths()
    word = {"deep.cpp": "deep", "nested.cpp": "after_templates"}.get(name) or next(
        word
        for word in ("deep_value", "deep_key", "deep_quote", "deep_text", "deep_chain", "deep_sum", "deep_else")
        if word in text
    )
    assert name in repo.hits(word)
    assert repo.index().added == 0


def test_chunk_borders_never_cut_a_character(repo: Indexed) -> None:
    """Lines of wide characters longer than any limit: spans, snippets and highlights stay whole and right."""
    line = "═🚀漢字" * 700
    body = "".join(f"# {line} mark{i:03d}\n" for i in range(200))
    repo.write({"wide.py": f"def before():\n    pass\n\n\n{body}\n\ndef 漢字関数():\n    return '{line}尾'\n"})
    text = (repo.root / "wide.py").read_text()
    lines = text.split("\n")
    for number in (0, 39, 40, 41, 80, 199):
        hit = repo.first(f"mark{number:03d}")
        at = lines.index(f"# {line} mark{number:03d}") + 1
        assert hit.start_line <= at <= hit.end_line
        assert "�" not in hit.snippet and f"mark{number:03d}" in hit.snippet
        marked = {hit.snippet[first:last] for first, last in hit.highlights}
        assert f"mark{number:03d}" in marked
    found = repo.first("漢字関数")
    assert (found.symbol, found.start_line) == ("漢字関数", len(lines) - 2)
    assert found.symbol_id is not None
    stored = repo.reader.symbol(found.symbol_id)
    assert stored is not None
    span = stored.symbol.span
    cut = text.encode()[span.start_byte : span.end_byte].decode()  # raises where a character is cut
    assert cut.startswith("def 漢字関数") and cut.rstrip().endswith("尾'")


def test_a_long_run_of_unspaced_script_is_found_to_its_end(repo: Indexed) -> None:
    """Prose in such a script may have no white space for pages; its last words count as its first."""
    filler = "".join(chr(0x4E00 + i % 3_000) for i in range(4_000))
    repo.write({"notes.txt": f"{filler}末尾検索語彙\n", "other.txt": f"{filler}\n", "plain.py": PLAIN})
    assert repo.hits("末尾検索語彙")[0] == "notes.txt"
    assert "末尾" in repo.first("末尾検索語彙").snippet


def worker_memory(repo: Indexed) -> int:
    """Return the largest peak of the worker processes in bytes."""
    executor = repo.shop.pool._executor
    assert executor is not None
    peaks = []
    for process in executor._processes:
        status = Path(f"/proc/{process}/status").read_text()
        peaks.append(int(status.split("VmHWM:")[1].split()[0]) * 1024)
    return max(peaks)


@pytest.mark.parametrize("statements", [8_000, pytest.param(120_000, marks=pytest.mark.soak)])
def test_one_line_of_megabytes_is_bounded_in_time_and_memory(repo: Indexed, statements: int) -> None:
    """Minified bundles: a word in the middle is found, what is shown is short, and the rest goes on."""
    parts = [f"function f{i}(a,b){{return a.p{i % 97}+b[{i}]||q{i % 13}(a)}}" for i in range(statements)]
    parts[statements // 2] = "function needleInBundle(a){return a.needleProperty}"
    bundle = ";".join(parts)
    style = "".join(f".c{i}{{margin:{i}px;color:#{i:06x}}}" for i in range(6_000)) + ".needle-style{top:0}"
    assert len(bundle) > 40 * statements and len(style) > 190_000
    files = {f"src/part{i}.py": f"def part_{i}():\n    return {i}\n" for i in range(8)}
    started = time.monotonic()
    repo.write({"app.min.js": bundle, "app.css": style, **files})
    assert time.monotonic() - started < 30
    assert len(repo.paths()) == 10
    if Path("/proc/self/status").exists():
        assert worker_memory(repo) < 900 << 20
    for word, path in (("needleInBundle", "app.min.js"), ("needle-style", "app.css"), ("part_5", "src/part5.py")):
        started = time.monotonic()
        hit = next(hit for hit in repo.ask(word).hits if hit.path == path)
        assert time.monotonic() - started < 5
        assert len(hit.snippet) < 3_000
        assert any(hit.snippet[first:last] in word for first, last in hit.highlights), hit.snippet


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-8-sig", "utf-32-le"])
def test_a_byte_order_mark_says_how_to_read(repo: Indexed, encoding: str) -> None:
    """Such files used to be counted as searched while nothing in them was ever found."""
    text = "class Needle16:\n    def first_method(self):\n        return 'Needle16'\n"
    data = text.encode(encoding)
    if encoding != "utf-8-sig":
        data = "﻿".encode(encoding) + data
    repo.write({"wide.py": data, "bom_def.py": b"\xef\xbb\xbfdef on_line_one():\n    pass\n"})
    hit = repo.first("Needle16")
    assert (hit.path, hit.symbol, hit.start_line) == ("wide.py", "Needle16", 1)
    assert hit.snippet.startswith("class Needle16:")
    assert repo.first("on_line_one").symbol == "on_line_one"


def test_what_cannot_be_read_is_named_once_and_blocks_nothing(repo: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Latin-1 letter, a file without permission, a pipe and a socket beside a normal file."""
    repo.write(
        {"latin.py": b"# caf\xe9 owner\ndef latin_one():\n    return 'caf\xe9'\n", "plain.py": PLAIN}, index=False
    )
    os.mkfifo(repo.root / "pipe.py")
    monkeypatch.chdir(repo.root)  # a socket's path has a length limit
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("sock.py")
        closed = repo.root / "closed.py"
        closed.write_text("def closed_one():\n    pass\n")
        closed.chmod(0)
        report = repo.index()
        assert not report.problems
        again = repo.index()
    assert repo.first("latin_one").path == "latin.py"
    assert "return 'café'" in repo.first("latin_one").snippet
    assert repo.hits("café")[0] == "latin.py"
    reasons = {path: entry.reason for path, entry in repo.skipped().items()}
    expected = {"pipe.py": SkipReason.NOT_REGULAR, "sock.py": SkipReason.NOT_REGULAR}
    if os.geteuid():
        expected["closed.py"] = SkipReason.UNREADABLE
    assert reasons == expected
    assert (again.added, again.changed, again.embedded) == (0, 0, 0)
    assert again.skipped == report.skipped


def test_many_words_or_a_long_line_are_no_reason_to_drop_a_text(repo: Indexed) -> None:
    """Word lists and long lines used to be taken for binary without a word, or to look stale for ever."""
    long_line = "x = '" + "lorem ipsum " * 58 + "NEEDLE_LONGLINE " + "dolor sit " * 70 + "'"
    assert len(long_line) > 1_400
    words = "\n".join(f"{stem}{i:x}{'aeiou'[i % 5]}q" for stem in ("wor", "zeb", "kli", "mon") for i in range(8_500))
    assert len(words) > 290_000
    repo.write({"long.py": long_line + "\n", "words.txt": words + "\nneedlelistword\n", "plain.py": PLAIN})
    assert repo.first("NEEDLE_LONGLINE").path == "long.py"
    assert "NEEDLE_LONGLINE" in repo.first("NEEDLE_LONGLINE").snippet
    assert repo.first("needlelistword").path == "words.txt"
    assert "needlelistword" in repo.first("needlelistword").snippet
    assert not repo.skipped()
    again = repo.index()
    assert (again.added, again.changed, again.degraded, again.embedded) == (0, 0, 0, 0)


NAMES = [
    b"new\nline.py",
    b"quo'te\".py",
    b"per%cent%41.py",
    b"hash#tag?query.py",
    b"-leading-dash.py",
    b"a" * 252 + b".py",
    "ünïcode-用户.py".encode(),
    b"star*[set]{brace}.py",
    b"back\\slash.py",
    b"tab\tname.py",
    b" space .py",
    b"col:on::double.py",
    b"esc\x1b[31m.py",
    b"$(touch pwned).py",
]


def test_a_file_is_found_whatever_it_is_called(repo: Indexed) -> None:
    """Names are bytes without a slash; each is indexed, found, named as it is, and leaves when deleted."""
    for number, name in enumerate(NAMES):
        (repo.root / os.fsdecode(name)).write_text(f"def oddly_named_{number}():\n    pass\n")
    (repo.root / os.fsdecode(b"not\xff\xfeutf8.py")).write_text("def never():\n    pass\n")
    report = repo.index()
    assert report.added == len(NAMES)
    assert [entry.reason for entry in repo.skipped().values()] == [SkipReason.UNREADABLE]
    for number, name in enumerate(NAMES):
        hit = repo.first(f"oddly_named_{number}")
        assert (hit.path, hit.symbol) == (os.fsdecode(name), f"oddly_named_{number}")
        assert hit.symbol_id is not None and repo.reader.symbol(hit.symbol_id) is not None
    again = repo.index([os.fsdecode(name) for name in NAMES])
    assert (again.added, again.changed, again.deleted) == (0, 0, 0)
    for name in NAMES:
        (repo.root / os.fsdecode(name)).unlink()
    repo.index([os.fsdecode(name) for name in NAMES])
    assert repo.paths() == []


def test_a_hundred_thousand_lines_are_indexed_to_the_last(repo: Indexed) -> None:
    """Work that grows with the square of a file's lines took half a minute here."""
    started = time.monotonic()
    repo.write({"long.csv": "\n".join(f"{i % 999},row{i % 7}" for i in range(100_000)) + "\nlastcell"})
    assert time.monotonic() - started < 10
    last = repo.first("lastcell")
    assert last.path == "long.csv" and last.start_line <= 100_001 <= last.end_line
    assert "lastcell" in last.snippet


@pytest.mark.soak
def test_millions_of_short_lines_do_not_mix_up_places(repo: Indexed) -> None:
    lines = ["1"] * 3_500_000  # more windows than a file may have
    lines[3_400_000] = "needlecell"
    repo.write({"column.csv": "\n".join(lines), "plain.py": PLAIN})
    assert repo.first("plain_neighbour").path == "plain.py"
    if "column.csv" in repo.paths():
        hit = repo.first("needlecell")
        assert hit.path == "column.csv" and "needlecell" in hit.snippet
    else:
        assert repo.skipped()["column.csv"].detail
