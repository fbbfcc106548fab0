"""Cut long stretches of a file into windows: definitions at their parts, the rest at blank lines.

A window never exceeds ``window_lines``. Windows tile what they were cut from, in order, without
overlap.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

Lines: TypeAlias = tuple[int, int]  # first and last line, 1-based, inclusive
Cut: TypeAlias = tuple[int, int]  # (line, depth): a window may begin on that line; depth 0 is outermost


@dataclass(frozen=True, slots=True)
class ChunkOptions:
    """When to cut and how finely; ``short_lines <= window_lines <= threshold_lines``."""

    threshold_lines: int = 60  # a definition of more lines is cut
    window_lines: int = 40
    short_lines: int = 10  # a last window below this takes lines from the one before


DEFAULT_OPTIONS = ChunkOptions()


def split_windows(
    start_line: int, end_line: int, cuts: Sequence[Cut], options: ChunkOptions = DEFAULT_OPTIONS
) -> tuple[Lines, ...]:
    """Return the windows of one definition; a definition within the threshold is one window.

    It is cut where parts of depth 0 begin. A part that is longer than a window is cut at the
    parts inside it, and so on; one without parts is cut hard. Parts are then packed into
    windows as long as they fit, so the first window has the signature and the last runs to
    the end. ``cuts`` may be in any order; lines outside the definition are ignored.

    >>> split_windows(1, 61, [(10, 0), (35, 0), (50, 0)])
    ((1, 34), (35, 61))
    """
    if end_line - start_line < options.threshold_lines:
        return ((start_line, end_line),)
    pieces = list(_pieces(start_line, end_line, sorted(cuts), options))
    return tuple(_pack(pieces, options))


def gap_windows(
    lines: Sequence[str], start_line: int, end_line: int, options: ChunkOptions = DEFAULT_OPTIONS
) -> tuple[Lines, ...]:
    """Return the windows of a stretch outside definitions; ``lines`` is the whole file's.

    A window ends with the last blank line in its second half, or is full.
    """
    windows: list[Lines] = []
    while end_line - start_line >= options.window_lines:
        # What is left for the last window should not be a scrap.
        latest = min(start_line + options.window_lines - 1, max(start_line, end_line - options.short_lines))
        earliest = start_line + options.window_lines // 2
        blank = (line for line in range(latest, earliest - 1, -1) if not lines[line - 1].strip())
        window_end = next(blank, latest)
        windows.append((start_line, window_end))
        start_line = window_end + 1
    windows.append((start_line, end_line))
    return tuple(windows)


def _pieces(start: int, end: int, cuts: Sequence[Cut], options: ChunkOptions) -> Iterator[Lines]:
    """Yield the parts of a stretch, none longer than a window.

    ``cuts`` are ascending by line. An explicit stack instead of recursion: nesting in a file
    has no bound.
    """
    stack = [(start, end, 0)]
    lines = [line for line, _ in cuts]
    while stack:
        start, end, depth = stack.pop()
        if end - start < options.window_lines:
            yield start, end
            continue
        inside = cuts[bisect_right(lines, start) : bisect_right(lines, end)]
        depth = min((cut_depth for _, cut_depth in inside if cut_depth >= depth), default=-1)
        if depth < 0:
            yield from _hard(start, end, options)
            continue
        starts = [start, *dict.fromkeys(line for line, cut_depth in inside if cut_depth == depth), end + 1]
        stack.extend((first, after - 1, depth + 1) for first, after in reversed(list(pairwise(starts))))


def _hard(start: int, end: int, options: ChunkOptions) -> Iterator[Lines]:
    while end - start >= options.window_lines:
        cut = min(start + options.window_lines, max(start + 1, end - options.short_lines + 1))
        yield start, cut - 1
        start = cut
    yield start, end


def _pack(pieces: Sequence[Lines], options: ChunkOptions) -> Iterator[Lines]:
    """Yield windows of as many pieces as fit; the last takes pieces back until it is not short."""
    starts: list[int] = []  # index of each window's first piece
    for i, (_, end) in enumerate(pieces):
        if not starts or end - pieces[starts[-1]][0] >= options.window_lines:
            starts.append(i)
    last = pieces[-1][1]
    while len(starts) > 1 and starts[-1] - starts[-2] > 1:
        grown = last - pieces[starts[-1] - 1][0] + 1
        if last - pieces[starts[-1]][0] + 1 >= options.short_lines or grown > options.window_lines:
            break
        starts[-1] -= 1
    for first, after in pairwise([*starts, len(pieces)]):
        yield pieces[first][0], pieces[after - 1][1]
