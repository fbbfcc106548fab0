"""Count the terms of a file's units, field by field."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from gortex_py.index.units import Piece
from gortex_py.text.tokens import WORD, identifier_terms, term_key
from gortex_py.types import FIELD_COUNT, Bag, Field, ParsedFile, Symbol

MAX_SCOPE_NAMES = 3  # the nearest enclosing names; farther ones say little
MAX_COUNT = 65_535  # of the stored width; a term this frequent has saturated long before

# Distinct terms repeat from file to file, and hashing one costs a microsecond.
_keys: dict[str, int] = {}
_KEY_ENTRIES = 400_000

Counts = Counter[str]


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
    postings: dict[str, list[tuple[int, int, int]]] = {}
    lengths = np.zeros((len(pieces), FIELD_COUNT), np.int32)
    for ordinal, piece in enumerate(pieces):
        for field, counts in _fields(piece, names[ordinal], parsed, code_lines, doc_lines):
            lengths[ordinal, field] = sum(counts.values())
            for term, count in counts.items():
                postings.setdefault(term, []).append((ordinal, field, min(count, MAX_COUNT)))
    return _pack(postings, lengths)


def _fields(
    piece: Piece, names: list[str], parsed: ParsedFile, code_lines: Sequence[str], doc_lines: Sequence[str]
) -> list[tuple[int, Counts]]:
    fields: list[tuple[int, Counts]] = []
    if names:
        fields.append((Field.NAME, _count(names)))
    if piece.symbol is not None:
        symbol = parsed.symbols[piece.symbol]
        scope = _enclosing(symbol, parsed.symbols)
        if not piece.is_first:
            scope.append(symbol.name)
        if scope:
            fields.append((Field.SCOPE, _count(scope[-MAX_SCOPE_NAMES:])))
        if piece.is_first and symbol.signature:
            fields.append((Field.SIGNATURE, _count([symbol.signature])))
    # Line numbers are 1-based, the lists 0-based.
    fields.append((Field.DOC, _count([doc_lines[line - 1] for line in piece.lines])))
    fields.append((Field.BODY, _count([code_lines[line - 1] for line in piece.lines])))
    return [(field, counts) for field, counts in fields if counts]


def _count(texts: Sequence[str]) -> Counts:
    words: Counter[str] = Counter()
    for text in texts:
        if text:
            words.update(WORD.findall(text))
    counts: Counts = Counter()
    for word, times in words.items():
        for term in identifier_terms(word):
            counts[term] += times
    return counts


def _enclosing(symbol: Symbol, symbols: Sequence[Symbol]) -> list[str]:
    """Return the names around a symbol, outermost first."""
    names: list[str] = []
    parent = symbol.parent
    while parent is not None:
        names.append(symbols[parent].name)
        parent = symbols[parent].parent
    return names[::-1]


def _pack(postings: dict[str, list[tuple[int, int, int]]], lengths: np.ndarray) -> Bag:
    terms = sorted(postings, key=_key)
    sizes = [len(postings[term]) for term in terms]
    entries = np.array([entry for term in terms for entry in postings[term]], np.uint16).reshape(-1, 3)
    return Bag(
        terms=tuple(terms),
        keys=np.array([_key(term) for term in terms], np.uint64),
        indptr=np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))).astype(np.int32),
        units=entries[:, 0].copy(),
        fields=entries[:, 1].astype(np.uint8),
        counts=entries[:, 2].copy(),
        lengths=lengths,
    )


def _key(term: str) -> int:
    key = _keys.get(term)
    if key is None:
        if len(_keys) >= _KEY_ENTRIES:
            _keys.clear()
        key = _keys[term] = term_key(term)
    return key
