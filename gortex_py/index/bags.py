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

_WORD_OR_LINE_END = re.compile(WORD.pattern + r"|\n")
_LINE_END = -1


class Lexicon(dict[str, tuple[int, ...]]):
    """The numbers of each word's terms, given out as words come and kept from file to file.

    Words repeat from file to file; splitting, stemming and hashing one is done once a process.
    """

    def __init__(self) -> None:
        super().__init__({"\n": (_LINE_END,)})
        self.terms: list[str] = []
        self.term_keys: list[int] = []  # aligned with terms
        self._numbers: dict[str, int] = {}

    def __missing__(self, word: str) -> tuple[int, ...]:
        numbers = self[word] = tuple(map(self._number, identifier_terms(word)))
        return numbers

    def _number(self, term: str) -> int:
        number = self._numbers.get(term)
        if number is None:
            number = self._numbers[term] = len(self.terms)
            self.terms.append(term)
            self.term_keys.append(term_key(term))
        return number


# Bounds what a worker keeps; a new one fills up again in seconds.
LEXICON_WORDS = 400_000
_lexicons = [Lexicon()]


def _lexicon() -> Lexicon:
    if len(_lexicons[0]) > LEXICON_WORDS:
        _lexicons[0] = Lexicon()
    return _lexicons[0]


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
    lexicon = _lexicon()
    slots: list[int] = []
    texts: list[str] = []
    for ordinal, piece in enumerate(pieces):
        for field, text in _named_fields(piece, names[ordinal], parsed):
            slots.append(ordinal * FIELD_COUNT + field)
            texts.append(text.replace("\n", " "))
    slot_of_line = _slots_by_line(pieces, len(code_lines))
    named, _ = _occurrences(lexicon, texts, np.array(slots, np.int64), len(pieces))
    doc, doc_at = _occurrences(lexicon, doc_lines, slot_of_line + Field.DOC, len(pieces))
    code, code_at = _occurrences(lexicon, code_lines, slot_of_line + Field.BODY, len(pieces))
    standing = np.concatenate([doc, code]), np.concatenate([doc_at, code_at])
    return _pack(lexicon, np.concatenate([named, doc, code]), standing, len(pieces))


def _slots_by_line(pieces: Sequence[Piece], lines: int) -> IntArray:
    """Return (lines,) the first slot of the piece that each line counts for; far below 0 for none."""
    slots = np.full(lines + 1, -FIELD_COUNT, np.int64)
    for ordinal, piece in enumerate(pieces):
        slots[list(piece.lines)] = ordinal * FIELD_COUNT
    return slots[1:]


def _occurrences(
    lexicon: Lexicon, lines: Sequence[str], slot_of_line: IntArray, pieces: int
) -> tuple[IntArray, IntArray]:
    """Return two numbers for each term of some lines: its own, times the slots there are, plus its slot; its line.

    One pass over all lines, in which line ends are words of their own, costs half of a pass a piece.

    :param slot_of_line: (len(lines),) below 0 where a line counts for nothing
    """
    words = _WORD_OR_LINE_END.findall("\n".join(lines))
    flat = np.fromiter(chain.from_iterable(map(lexicon.__getitem__, words)), np.int64)
    is_end = flat < 0
    if not len(lines):
        return flat[is_end], flat[is_end]
    line: IntArray = np.cumsum(is_end) - is_end
    slots = slot_of_line[line]
    counted = ~is_end & (slots >= 0)
    return flat[counted] * (pieces * FIELD_COUNT) + slots[counted], line[counted] + 1


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


def _pack(lexicon: Lexicon, found: IntArray, standing: tuple[IntArray, IntArray], pieces: int) -> Bag:
    """Return the bag of occurrences, each a term's number and its (unit, field) slot in one.

    :param standing: those of them that stand on a line, and the lines
    """
    slots = max(1, pieces * FIELD_COUNT)
    lengths = np.bincount(found % slots, minlength=pieces * FIELD_COUNT)[: pieces * FIELD_COUNT]
    occurring, counts = np.unique(found, return_counts=True)
    numbers, local = np.unique(occurring // slots, return_inverse=True)
    keys = np.array([lexicon.term_keys[number] for number in numbers.tolist()], np.uint64)
    by_key = np.argsort(keys)
    place = np.empty(len(keys), np.int64)
    place[by_key] = np.arange(len(keys))
    entries = place[local] * slots + occurring % slots
    order = np.argsort(entries)
    term, slot = entries[order] // slots, entries[order] % slots
    on_line, line = standing
    stride = int(line.max(initial=0)) + 1
    places = np.unique(place[np.searchsorted(numbers, on_line // slots)] * stride + line)
    return Bag(
        terms=tuple(lexicon.terms[number] for number in numbers[by_key].tolist()),
        keys=keys[by_key],
        indptr=np.searchsorted(term, np.arange(len(keys) + 1)).astype(np.int32),
        units=(slot // FIELD_COUNT).astype(np.uint16),
        fields=(slot % FIELD_COUNT).astype(np.uint8),
        counts=np.minimum(counts[order], MAX_COUNT).astype(np.uint16),
        lengths=lengths.reshape(pieces, FIELD_COUNT).astype(np.int32),
        line_indptr=np.searchsorted(places, np.arange(len(keys) + 1) * stride).astype(np.int32),
        lines=(places % stride).astype(np.uint32),
    )
