"""Windows tile what they were cut from, prefer its parts, and stay small."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gortex_py.chunk import ChunkOptions, gap_windows, split_windows

CUTS = st.lists(st.tuples(st.integers(1, 600), st.integers(0, 5)), max_size=80)


def assert_tiles(windows: tuple[tuple[int, int], ...], start: int, end: int) -> None:
    assert windows[0][0] == start
    assert windows[-1][1] == end
    assert all(first <= last for first, last in windows)
    assert all(before[1] + 1 == after[0] for before, after in pairwise(windows))


@given(st.integers(1, 200), st.integers(0, 400), CUTS)
def test_windows_tile_the_definition_within_the_bound(start: int, extra: int, cuts: list[tuple[int, int]]) -> None:
    windows = split_windows(start, start + extra, cuts)
    assert_tiles(windows, start, start + extra)
    if extra < 60:
        assert len(windows) == 1
    else:
        assert all(last - first < 40 for first, last in windows)


@given(st.lists(st.sampled_from(["", "  ", "x"]), min_size=1, max_size=300), st.data())
def test_gap_windows_tile_the_gap_within_the_bound(lines: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(1, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    windows = gap_windows(lines, start, end)
    assert_tiles(windows, start, end)
    assert all(last - first < 40 for first, last in windows)


@given(st.integers(2, 20), st.integers(1, 300))
def test_small_windows_keep_the_bound(window: int, length: int) -> None:
    options = ChunkOptions(threshold_lines=window, window_lines=window, short_lines=window // 2)
    windows = split_windows(1, length, [(line, line % 3) for line in range(1, length, 7)], options)
    assert_tiles(windows, 1, length)
    assert all(last - first < window for first, last in windows)


def test_a_definition_of_sixty_lines_is_whole_and_one_of_sixty_one_is_not() -> None:
    cuts = [(line, 0) for line in range(2, 62)]
    assert split_windows(1, 60, cuts) == ((1, 60),)
    assert len(split_windows(1, 61, cuts)) == 2


def test_windows_begin_where_parts_begin() -> None:
    cuts = [(11, 0), (31, 0), (51, 0), (71, 0)]
    assert split_windows(1, 90, cuts) == ((1, 30), (31, 70), (71, 90))


def test_an_oversized_part_is_cut_at_the_parts_inside_it() -> None:
    # One loop holds lines 5 to 95; its statements begin at depth 1.
    cuts = [(3, 0), (5, 0), (96, 0), (30, 1), (60, 1), (80, 1)]
    assert split_windows(1, 100, cuts) == ((1, 29), (30, 59), (60, 79), (80, 100))


def test_deeper_parts_of_a_part_that_fits_are_left_alone() -> None:
    cuts = [(21, 0), (41, 0), (61, 0), (25, 1), (35, 1)]
    assert split_windows(1, 80, cuts) == ((1, 40), (41, 80))


def test_a_part_without_parts_is_cut_hard() -> None:
    assert split_windows(1, 100, []) == ((1, 40), (41, 80), (81, 100))


def test_a_scrap_at_the_end_takes_lines_from_the_window_before() -> None:
    assert split_windows(1, 83, []) == ((1, 40), (41, 73), (74, 83))
    cuts = [(line, 0) for line in (21, 31, 36, 41, 61, 71, 76, 81)]
    assert split_windows(1, 83, cuts) == ((1, 40), (41, 70), (71, 83))


@pytest.mark.parametrize(
    ("blanks", "expected"),
    [
        ([], ((1, 40), (41, 80), (81, 100))),
        ([30, 65], ((1, 30), (31, 65), (66, 100))),
        ([5, 45], ((1, 40), (41, 80), (81, 100))),  # a blank line too early would waste the window
    ],
)
def test_gaps_break_at_blank_lines(blanks: list[int], expected: tuple[tuple[int, int], ...]) -> None:
    lines = ["" if line in blanks else "text" for line in range(1, 101)]
    assert gap_windows(lines, 1, 100) == expected


def test_a_short_gap_is_one_window() -> None:
    assert gap_windows(["x"] * 40, 1, 40) == ((1, 40),)


def test_nesting_without_end_is_no_problem() -> None:
    cuts = [(line, line) for line in range(2, 1_000)]
    assert_tiles(split_windows(1, 1_000, cuts), 1, 1_000)
