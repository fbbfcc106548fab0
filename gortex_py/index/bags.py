"""Count the terms of a file's units, field by field."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from gortex_py.index.units import Piece
from gortex_py.text.tokens import WORD, identifier_terms, term_key
from gortex_py.types import FIELD_COUNT, Bag, Field, IntArray, ParsedFile, Symbol

MAX_SCOPE_NAMES = 3  # the nearest enclosing names; farther ones say little
MAX_COUNT = 65_535  # of the stored width; a term this frequent has saturated long before

# Distinct terms repeat from file to file, and hashing one costs a microsecond.
_keys: dict[str, int] = {}
_KEY_ENTRIES = 400_000


_WORD_OR_LINE_END = re.compile(WORD.pattern + r"|\n")
_LINE_END = -1


class _TermIds(dict[str, tuple[int, ...]]):
    """Numbers for the terms of each word of one file, given out as they come."""

    def __init__(self) -> None:
        super().__init__({"\n": (_LINE_END,)})
        self.terms: dict[str, int] = {}

    def __missing__(self, word: str) -> tuple[int, ...]:
        terms = self.terms
        ids = self[word] = tuple(terms.setdefault(term, len(terms)) for term in identifier_terms(word))
        return ids


def build_bag(
    parsed: ParsedFile,
    pieces: Sequence[Piece],
    symbol_pieces: Sequence[int],
    code_lines: Sequence[str],
    doc_lines: Sequence[str],
) -> Bag:
    """Return the term counts of a file.

    :param symbol_pieces: for each symbol the piece that its name counts for, -1 for none
    :param code_lines: the file's lines with comments blanked out
    :param doc_lines: the file's lines with everything but comments blanked out
    """
    names: list[list[str]] = [[] for _ in pieces]
    for symbol, shown in zip(parsed.symbols, symbol_pieces, strict=True):
        if shown >= 0:
            names[shown].append(symbol.name)
    ids = _TermIds()
    lengths = np.zeros((len(pieces), FIELD_COUNT), np.int32)
    found: list[IntArray] = []
    for ordinal, piece in enumerate(pieces):
        for field, text in _named_fields(piece, names[ordinal], parsed):
            terms = np.fromiter(chain.from_iterable(map(ids.__getitem__, WORD.findall(text))), np.int64)
            lengths[ordinal, field] = len(terms)
            found.append(terms * lengths.size + ordinal * FIELD_COUNT + field)
    piece_of_line = _pieces_by_line(pieces, len(code_lines))
    for field, lines in ((Field.DOC, doc_lines), (Field.BODY, code_lines)):
        terms, holders = _terms_by_piece("\n".join(lines), piece_of_line, ids)
        lengths[:, field] = np.bincount(holders, minlength=len(pieces))
        found.append(terms * lengths.size + holders * FIELD_COUNT + field)
    return _pack(tuple(ids.terms), np.concatenate(found), lengths)


def _pieces_by_line(pieces: Sequence[Piece], lines: int) -> IntArray:
    """Return (lines + 1,) the piece that each 1-based line counts for, -1 for none."""
    holders = np.full(lines + 1, -1, np.int64)
    for ordinal, piece in enumerate(pieces):
        holders[list(piece.lines)] = ordinal
    return holders


def _terms_by_piece(text: str, piece_of_line: IntArray, ids: _TermIds) -> tuple[IntArray, IntArray]:
    """Return the number of each term of a text in order, and the piece that it counts for.

    One pass over the whole text, in which line ends are words of their own, costs half of a pass a piece.
    """
    flat = np.fromiter(chain.from_iterable(map(ids.__getitem__, _WORD_OR_LINE_END.findall(text))), np.int64)
    is_end = flat < 0
    holders = piece_of_line[np.cumsum(is_end) + 1 - is_end]
    counted = ~is_end & (holders >= 0)
    return flat[counted], holders[counted]


def _named_fields(piece: Piece, names: Sequence[str], parsed: ParsedFile) -> Iterator[tuple[int, str]]:
    """Yield the text of each field that comes from names, not from the piece's own lines."""
    if names:
        yield Field.NAME, "\n".join(names)
    if piece.symbol is None:
        return
    symbol = parsed.symbols[piece.symbol]
    scope = _enclosing(symbol, parsed.symbols)
    if not piece.is_first:
        scope.append(symbol.name)
    if scope:
        yield Field.SCOPE, "\n".join(scope[-MAX_SCOPE_NAMES:])
    if piece.is_first and symbol.signature:
        yield Field.SIGNATURE, symbol.signature


def _enclosing(symbol: Symbol, symbols: Sequence[Symbol]) -> list[str]:
    """Return the names around a symbol, outermost first."""
    names: list[str] = []
    parent = symbol.parent
    while parent is not None:
        names.append(symbols[parent].name)
        parent = symbols[parent].parent
    return names[::-1]


def _pack(terms: tuple[str, ...], found: IntArray, lengths: np.ndarray) -> Bag:
    """Return the bag of occurrences, each the term's number and its (unit, field) slot in one."""
    slots = max(1, lengths.size)
    keys = np.array([_key(term) for term in terms], np.uint64)
    by_key = np.argsort(keys)
    place = np.empty(len(terms), np.int64)
    place[by_key] = np.arange(len(terms))
    occurring, counts = np.unique(place[found // slots] * slots + found % slots, return_counts=True)
    term, slot = occurring // slots, occurring % slots
    return Bag(
        terms=tuple(terms[i] for i in by_key.tolist()),
        keys=keys[by_key],
        indptr=np.searchsorted(term, np.arange(len(terms) + 1)).astype(np.int32),
        units=(slot // FIELD_COUNT).astype(np.uint16),
        fields=(slot % FIELD_COUNT).astype(np.uint8),
        counts=np.minimum(counts, MAX_COUNT).astype(np.uint16),
        lengths=lengths,
    )


def _key(term: str) -> int:
    key = _keys.get(term)
    if key is None:
        if len(_keys) >= _KEY_ENTRIES:
            _keys.clear()
        key = _keys[term] = term_key(term)
    return key
