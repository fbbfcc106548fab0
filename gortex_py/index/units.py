"""Divide a file's lines among units: definitions, windows of long ones, and the gaps between.

Every line that holds anything belongs to exactly one unit, the innermost definition around it,
so that a class does not also count the text of its methods. What a unit *shows* is a separate
matter: a function shows itself, a class its header, a window its own lines.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from gortex_py.chunk import ChunkOptions, gap_windows, split_windows
from gortex_py.types import ParsedFile, Symbol, SymbolKind

CLASS_LIKE = frozenset(
    {
        SymbolKind.CLASS,
        SymbolKind.STRUCT,
        SymbolKind.INTERFACE,
        SymbolKind.TRAIT,
        SymbolKind.ENUM,
        SymbolKind.TYPE,
        SymbolKind.MODULE,
    }
)
FUNCTION_LIKE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR})
WHOLE = frozenset({SymbolKind.DOC, SymbolKind.TABLE})
# A shorter variable, field or prototype gives its name to the unit around it and no unit of its own.
NAME_ONLY_MAX_LINES = 3
NEVER_OWN = frozenset({SymbolKind.NAMESPACE, SymbolKind.KEY, SymbolKind.RULE, SymbolKind.ELEMENT})

MAX_PIECES = 65_535  # of a file; their ordinals are stored in 16 bits
MAX_LEAD_LINES = 40  # of comment above a definition that count as the definition's
HEADER_LEAD_LINES = 8  # of those, shown with a class; more would push its own lines off the hit
HEADER_LINES = 40  # of a class that its hit shows; the rest are its members' hits

_DOCSTRING = re.compile(rb"[A-Za-z]{0,2}[\"']")  # no comment begins like a string


@dataclass(frozen=True, slots=True)
class Piece:
    """The lines of one unit, before their text is looked at."""

    symbol: int | None
    lines: tuple[int, ...]  # 1-based, ascending, holding text; not necessarily adjacent
    start_line: int  # reported
    end_line: int
    is_first: bool  # False for the second and later windows of a symbol


def divide(parsed: ParsedFile, lines: Sequence[str], options: ChunkOptions) -> list[Piece]:
    """Return the pieces of a file in line order.

    ``lines`` are the file's lines without their ends; a symbol's lines never lie outside them.
    """
    comment_only = _comment_only_lines(parsed, lines)
    owner: list[int | None] = [None] * (len(lines) + 1)
    for index, symbol in enumerate(parsed.symbols):
        if owns_unit(symbol):
            start = lead_start(symbol.span.start_line, comment_only, lines)
            for line in range(start, min(symbol.span.end_line, len(lines)) + 1):
                owner[line] = index
    owned: dict[int | None, list[int]] = {}
    for line, text in enumerate(lines, 1):
        if text and not text.isspace():
            owned.setdefault(owner[line], []).append(line)
    pieces = _gap_pieces(owned.pop(None, []), owner, lines, options)
    for holder, own in owned.items():
        if holder is not None:
            pieces.extend(_symbol_pieces(holder, own, parsed, options))
    pieces.sort(key=lambda piece: (piece.start_line, piece.lines[0]))
    return pieces[:MAX_PIECES]


def symbol_pieces(symbols: Sequence[Symbol], pieces: Sequence[Piece]) -> tuple[int, ...]:
    """Return for each symbol the piece that shows it: its own, or the one its name stands in; -1 for none."""
    own = {piece.symbol: i for i, piece in enumerate(pieces) if piece.symbol is not None and piece.is_first}
    by_line = {line: i for i, piece in enumerate(pieces) for line in piece.lines}
    return tuple(own.get(index, by_line.get(symbol.name_line, -1)) for index, symbol in enumerate(symbols))


def owns_unit(symbol: Symbol) -> bool:
    """Tell whether a symbol's lines are a unit of their own."""
    if symbol.kind in NEVER_OWN:
        return False
    if symbol.kind in CLASS_LIKE or symbol.kind in FUNCTION_LIKE or symbol.kind in WHOLE:
        return True
    return symbol.span.end_line - symbol.span.start_line >= NAME_ONLY_MAX_LINES


def lead_start(start_line: int, comment_only: frozenset[int], lines: Sequence[str]) -> int:
    """Return the first line of the comment block that stands directly above a definition.

    One blank line between the two is tolerated.
    """
    line = start_line - 1
    if line >= 1 and not lines[line - 1].strip() and line - 1 in comment_only:
        line -= 1
    first = start_line
    while line >= 1 and line in comment_only and start_line - line <= MAX_LEAD_LINES:
        first = line
        line -= 1
    return first


def _symbol_pieces(index: int, own: list[int], parsed: ParsedFile, options: ChunkOptions) -> list[Piece]:
    symbol = parsed.symbols[index]
    start, end = symbol.span.start_line, symbol.span.end_line
    if symbol.kind in CLASS_LIKE:
        return _class_pieces(index, own, symbol, options)
    if end - start + 1 <= options.threshold_lines:
        return [Piece(index, tuple(own), start, max(start, end), True)]
    windows = split_windows(start, end, parsed.cuts.get(index, ()), options)
    starts = [first for first, _ in windows]
    shares: list[list[int]] = [[] for _ in windows]
    for line in own:
        shares[max(0, bisect_right(starts, line) - 1)].append(line)
    pieces = []
    for (first, last), share in zip(windows, shares, strict=True):
        if share:  # a window whose lines all belong to inner definitions has nothing of its own
            pieces.append(Piece(index, tuple(share), first, last, first == start))
    return pieces


def _class_pieces(index: int, own: list[int], symbol: Symbol, options: ChunkOptions) -> list[Piece]:
    """A class is its header and the lines between its members; methods are units of their own."""
    start, end = symbol.span.start_line, symbol.span.end_line
    shown_from = max(own[0], start - HEADER_LEAD_LINES) if own[0] < start else start
    shown_to = min(end, start + HEADER_LINES - 1)
    if len(own) <= options.threshold_lines:
        return [Piece(index, tuple(own), shown_from, max(shown_from, shown_to), True)]
    lead = sum(1 for line in own if line < start)
    first_size = lead + options.window_lines
    pieces = [Piece(index, tuple(own[:first_size]), shown_from, max(shown_from, shown_to), True)]
    for at in range(first_size, len(own), options.window_lines):
        part = own[at : at + options.window_lines]
        # Members between a class's own lines can be long; what is shown stays a window.
        pieces.append(Piece(index, tuple(part), part[0], min(part[-1], part[0] + options.window_lines - 1), False))
    return pieces


def _gap_pieces(
    gap: list[int], owner: Sequence[int | None], lines: Sequence[str], options: ChunkOptions
) -> list[Piece]:
    stretches: list[list[int]] = []
    for line in gap:
        if not stretches or _is_owned_between(stretches[-1][-1], line, owner):
            stretches.append([])
        stretches[-1].append(line)
    pieces = []
    for stretch in stretches:
        for first, last in gap_windows(lines, stretch[0], stretch[-1], options):
            own = tuple(stretch[bisect_left(stretch, first) : bisect_right(stretch, last)])
            if own:
                pieces.append(Piece(None, own, own[0], own[-1], True))
    return pieces


def _is_owned_between(first: int, last: int, owner: Sequence[int | None]) -> bool:
    return any(owner[line] is not None for line in range(first + 1, last))


def _comment_only_lines(parsed: ParsedFile, lines: Sequence[str]) -> frozenset[int]:
    """Return the lines whose text lies wholly in comments.

    Docstrings are left out: one tells of what it stands in, not of the definition below it.
    """
    starts = [0]
    for text in lines:
        starts.append(starts[-1] + (len(text) if text.isascii() else len(text.encode())) + 1)
    found: set[int] = set()
    for first, last in parsed.comments:
        line = bisect_right(starts, first)
        if _DOCSTRING.match(lines[line - 1].encode(), first - starts[line - 1]):
            continue
        while line <= len(lines) and starts[line - 1] < last:
            raw = lines[line - 1].encode()
            text_start = starts[line - 1] + len(raw) - len(raw.lstrip())
            text_end = starts[line - 1] + len(raw.rstrip())
            if text_start < text_end and first <= text_start and text_end <= last:
                found.add(line)
            line += 1
    return frozenset(found)
