"""The field tables: feeding them in the order they like, and asking them."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gortex_py.store.bags import FieldTexts
from gortex_py.store.schema import FILE_TABLES, ORDINAL_BITS
from gortex_py.types import Field, IntArray

MATCH_TERMS = 64  # in one expression: its cost a row grows with the number of phrases
FLUSH_CHARS = 8 << 20
_FLUSH_ROWS = 50_000

_DELETE = "delete"
_Operation = tuple[int, str | None, str]  # row id, command, text


class TextFeed:
    """Rows of the field tables to be written or taken away, held back until flush().

    FTS5 keeps new postings in memory only while row ids ascend; a lower one makes it write a
    segment. Rows are therefore sorted before they are handed over.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._operations: defaultdict[str, list[_Operation]] = defaultdict(list)
        self._touched: set[int] = set()
        self._chars = 0

    def add(self, file_id: int, path_texts: tuple[str, str], texts: FieldTexts, *, prose: bool) -> None:
        """Write a file's rows; ``path_texts`` are its stem and directory terms."""
        self._put(file_id, None, path_texts, texts, prose)

    def remove(self, file_id: int, path_texts: tuple[str, str], texts: FieldTexts, *, prose: bool) -> None:
        """Take a file's rows away; the texts must be those it was added with."""
        if file_id in self._touched:
            self.flush()
        self._put(file_id, _DELETE, path_texts, texts, prose)

    def flush(self) -> None:
        """Hand everything held back to the tables."""
        for table, operations in self._operations.items():
            operations.sort(key=_by_row_delete_first)
            self._connection.executemany(f"INSERT INTO {table}(rowid, {table}, text) VALUES (?, ?, ?)", operations)
        self.discard()

    def discard(self) -> None:
        """Forget everything held back."""
        self._operations.clear()
        self._touched.clear()
        self._chars = 0

    def _put(
        self, file_id: int, command: str | None, path_texts: tuple[str, str], texts: FieldTexts, prose: bool
    ) -> None:
        for table, text in zip(FILE_TABLES, (*path_texts, *texts.files), strict=True):
            if text:
                self._operations[table].append((file_id, command, text))
                self._chars += 2 * len(text)
        base = file_id << ORDINAL_BITS
        if prose:
            for table, ordinal, text in _sections(texts):
                self._operations[table].append((base | ordinal, command, text))
        if command is None:
            self._touched.add(file_id)
        if self._chars > FLUSH_CHARS:
            self.flush()


def _sections(texts: FieldTexts) -> Iterable[tuple[str, int, str]]:
    """Yield (table, unit, text) of prose sections: headings are titles, all else is prose."""
    prose: defaultdict[int, list[str]] = defaultdict(list)
    for unit, field, text in texts.units:
        if field == Field.NAME:
            yield "section_title", unit, text
        else:
            prose[unit].append(text)
    for unit, parts in prose.items():
        yield "section_prose", unit, "".join(parts)


def _by_row_delete_first(operation: _Operation) -> tuple[int, bool]:
    return operation[0], operation[1] is None


def quote_term(term: str) -> str:
    """Return a term as an FTS5 string, so that nothing in it is syntax.

    >>> quote_term('NEAR("x)')
    '"NEAR(""x)"'
    """
    return '"' + term.replace('"', '""') + '"'


def storable(text: str) -> bool:
    """Say whether SQLite can be asked for a text: a NUL would cut it short, a lone surrogate has no bytes.

    >>> [storable(text) for text in ("naïve", "a\\0b", "\\ud800")]
    [True, False, False]
    """
    return "\0" not in text and (text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text))


def match_expressions(terms: Sequence[str]) -> list[str]:
    """Return expressions that together match any of the terms; each term counts once."""
    quoted = [quote_term(term) for term in dict.fromkeys(terms) if term.strip() and storable(term)]
    return [" OR ".join(quoted[i : i + MATCH_TERMS]) for i in range(0, len(quoted), MATCH_TERMS)]


def search_tables(
    connection: sqlite3.Connection, terms: Sequence[str], weights: Mapping[str, float]
) -> tuple[IntArray, NDArray[np.float64]]:
    """Return (row ids ascending, scores) summed over tables, given as table name -> weight."""
    expressions = match_expressions(terms)
    ids: list[IntArray] = []
    scores: list[NDArray[np.float64]] = []
    for table, weight in weights.items():
        if weight == 0:
            continue
        statement = f"SELECT rowid, bm25({table}) FROM {table} WHERE {table} MATCH ?"
        for expression in expressions:
            rows = connection.execute(statement, (expression,)).fetchall()
            if rows:
                row_ids, values = zip(*rows, strict=True)
                ids.append(np.array(row_ids, np.int64))
                scores.append(np.array(values, np.float64) * -weight)  # bm25() says better with less
    return sum_by_id(ids, scores)


def sum_by_id(ids: Sequence[IntArray], scores: Sequence[NDArray[np.float64]]) -> tuple[IntArray, NDArray[np.float64]]:
    """Return each id once, ascending, with the sum of its scores."""
    if not ids:
        return np.empty(0, np.int64), np.empty(0, np.float64)
    unique, place = np.unique(np.concatenate(ids), return_inverse=True)
    sums: NDArray[np.float64] = np.bincount(place, np.concatenate(scores), len(unique)).astype(np.float64, copy=False)
    return unique, sums
