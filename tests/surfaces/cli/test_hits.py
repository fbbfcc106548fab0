"""How a hit is laid out as text."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from gortex_py.surfaces.cli.console import Console
from gortex_py.surfaces.cli.hits import Layout, shown_path, snippet_lines


def plain(color: str = "never") -> Console:
    return Console(io.StringIO(), io.StringIO(), {}, color)


def hit(lines: list[str], *marked: str) -> dict[str, object]:
    snippet = "\n".join(lines)
    return {
        "snippet": snippet,
        "highlights": [[snippet.index(word), snippet.index(word) + len(word)] for word in marked],
    }


def test_a_short_snippet_is_shown_whole() -> None:
    assert snippet_lines(plain(), hit(["def f():", "    pass"]), 5) == ["def f():", "    pass"]


def test_a_long_snippet_keeps_its_first_line_and_what_matched() -> None:
    lines = [f"line {i}" for i in range(20)]
    assert snippet_lines(plain(), hit(lines, "line 15", "line 16"), 3) == ["line 0", "…", "line 15", "line 16", "…"]
    assert snippet_lines(plain(), hit(lines, "line 15"), 1) == ["line 0", "…"]
    assert snippet_lines(plain(), hit(lines), 2) == ["line 0", "line 1", "…"]


def test_no_snippet_is_shown_when_none_is_wanted() -> None:
    assert snippet_lines(plain(), hit(["x"]), 0) == []


def test_a_very_long_line_is_cut_around_its_match() -> None:
    (line,) = snippet_lines(plain(), hit(["a" * 5000 + "NEEDLE" + "b" * 5000], "NEEDLE"), 3)
    assert "NEEDLE" in line
    assert len(line) < 250


def test_highlights_that_overlap_or_span_lines_are_marked_once() -> None:
    given = {"snippet": "alpha beta\ngamma", "highlights": [[0, 5], [3, 8], [9, 13], [99, 120], "odd", {"start": 14}]}
    marked = snippet_lines(plain("always"), given, 5)
    on, off = "\x1b[1;31m", "\x1b[0m"
    assert marked == [f"{on}alpha{off}{on} be{off}t{on}a{off}", f"{on}ga{off}mma"]


@pytest.mark.parametrize(
    ("cwd", "shown"),
    [
        ("/r", "src/a.py"),
        ("/r/src", "a.py"),
        ("/r/docs", "../src/a.py"),
        ("/elsewhere", "/r/src/a.py"),
        ("/", "r/src/a.py"),
    ],
)
def test_a_path_can_be_opened_from_here(cwd: str, shown: str) -> None:
    layout = Layout(8, {"repo": Path("/r")}, Path(cwd))
    assert shown_path({"repo": "repo", "path": "src/a.py"}, layout) == shown
