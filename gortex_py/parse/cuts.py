"""Where a long definition may be cut: the lines on which its parts begin."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from tree_sitter import Node, TreeCursor

from gortex_py.parse.lines import LineTable

Cut = tuple[int, int]  # (line, depth)

OVERSIZED_LINES = 40  # a part longer than a window is looked into for cuts of its own
_MAX_DEPTH = 64
_MAX_NODES = 20_000  # a symbol: bounds the walk over a table of a million elements


@dataclass(slots=True)
class _Level:
    """One level of the walk: where its cuts were left off."""

    depth: int
    comment_end: int = 0  # line on which the comment just before ended


def find_cuts(container: Node, lines: LineTable) -> tuple[Cut, ...]:
    """Return (line, depth), ascending by line, where a window of the definition may begin.

    ``container`` is the body. A part counts when it is the first thing on its line; comments
    stay with what follows them. A line that begins parts of several depths has the least.
    """
    first_line = lines.line_of(container.start_byte)
    found: dict[int, int] = {}
    cursor = container.walk()
    if not cursor.goto_first_child():
        return ()
    levels = [_Level(0)]
    for _ in range(_MAX_NODES):
        descend = _visit(cursor, levels[-1], found, lines)
        if descend and len(levels) < _MAX_DEPTH and cursor.goto_first_child():
            levels.append(_Level(levels[-1].depth + 1))
            continue
        while not cursor.goto_next_sibling():
            levels.pop()
            if not levels or not cursor.goto_parent():
                return _ascending(found, first_line)
    return _ascending(found, first_line)


def _visit(cursor: TreeCursor, level: _Level, found: dict[int, int], lines: LineTable) -> bool:
    """Note the node under the cursor; return whether it is worth looking into."""
    node = cursor.node
    if node is None or not node.is_named:
        return False
    start = node.start_byte
    line, end_line = bisect_right(lines.starts, start), bisect_left(lines.starts, node.end_byte)
    starts_line = lines.begins_line(start)
    if starts_line and level.comment_end != line - 1:
        found.setdefault(line, level.depth)
    level.comment_end = end_line if starts_line and node.is_extra else 0
    return end_line - line + 1 > OVERSIZED_LINES


def _ascending(found: dict[int, int], first_line: int) -> tuple[Cut, ...]:
    return tuple(sorted((line, depth) for line, depth in found.items() if line >= first_line))
