"""A path is taken apart as text is, and says whether its file is for old or other systems."""

from __future__ import annotations

import pytest

from gortex_py.search.paths import names_a_platform, path_words
from tests.unit.search.conftest import Ask


def test_a_path_gives_the_words_of_its_name_and_directories() -> None:
    words = path_words("src/httpClient/retry_policies.py")
    assert words.stem_terms == {"retri", "polici"}
    assert words.stem_squashed == "retrypolicies"
    assert words.dir_terms == {"http", "client", "httpclient"}
    assert words.dirs_terms == words.dir_terms | {"src"}


def test_a_file_at_the_root_or_without_a_name_before_its_dot_has_words_too() -> None:
    assert path_words("main.go").dir_terms == frozenset()
    assert "gitignor" in path_words(".gitignore").stem_terms
    assert path_words("Makefile").stem_squashed == "makefile"


@pytest.mark.parametrize(
    ("path", "compat", "foreign"),
    [
        ("src/compat/io.py", True, False),
        ("src/legacy_io.py", True, False),
        ("src/compatible.py", False, False),
        ("src/io_windows.go", False, True),
        ("src/win32/io.c", False, True),
        ("src/io-freebsd.c", False, True),
        ("src/window.c", False, False),
        ("src/linux/io.c", False, False),
    ],
)
def test_old_and_other_systems_are_known_by_whole_words(path: str, compat: bool, foreign: bool) -> None:
    words = path_words(path)
    assert (words.is_compat, words.is_foreign) == (compat, foreign)


def test_a_query_can_name_a_platform() -> None:
    assert names_a_platform(frozenset({"windows", "pipe"}))
    assert not names_a_platform(frozenset({"window", "pipe"}))


FILES = {
    "src/app/router.py": "x = 1\n",
    "lib/router.py": "y = 2\n",
    "src/app/route.py": "# src app router router\nrouter = 3\n",
    "web/index.js": "let a = 1;\n",
    "docs.py": "# lib router\n",
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/app/router.py", ["src/app/router.py"]),
        ("./src/app/router.py", ["src/app/router.py"]),
        ("app/router.py", ["src/app/router.py"]),
        ("src\\app\\router.py", ["src/app/router.py"]),
        ("router.py", ["lib/router.py", "src/app/router.py"]),
        ("index.js", ["web/index.js"]),
    ],
)
def test_a_path_or_its_end_comes_first(ask: Ask, text: str, expected: list[str]) -> None:
    assert sorted(ask(FILES).paths(text)[: len(expected)]) == expected


def test_a_path_is_found_among_hundreds_that_say_its_words(ask: Ask) -> None:
    crowd = {f"src/app/router/py_{i}.py": "# src app router py\n" for i in range(300)}
    assert ask(crowd | FILES).paths("src/app/router.py", limit=1) == ["src/app/router.py"]


def test_what_is_for_another_system_comes_after_unless_it_is_asked_for(ask: Ask) -> None:
    text = "def open_pipe(name):\n    return 'a pipe of some bytes'\n"
    asking = ask({"a/pipe_windows.py": text, "z/pipe_posix.py": text})
    assert asking.paths("some bytes of a pipe") == ["z/pipe_posix.py", "a/pipe_windows.py"]
    assert asking.paths("windows pipe bytes")[0] == "a/pipe_windows.py"
