"""Look-ups of symbols and of what mentions them: the part of a reader that knows their tables."""

from __future__ import annotations

import json
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from gortex_py.errors import NotFound
from gortex_py.protocols import FileMentions, NamedSymbol, StoredReference, StoredSymbol
from gortex_py.store import fts
from gortex_py.store.records import SYMBOL_COLUMNS, stored_symbol_from
from gortex_py.store.references import decode_mentions, decode_references
from gortex_py.store.schema import ORDINAL_BITS, ORDINALS, id_range
from gortex_py.types import IntArray, Symbol, SymbolId, SymbolKind

_NAMED_SYMBOLS = """
SELECT s.id, s.unit, s.kind, s.name, s.squashed, s.qualified_name
FROM json_each(?) AS wanted CROSS JOIN symbols AS s ON s.{} = wanted.value
ORDER BY s.id LIMIT ?
"""
_FILES_WITH_KINDS = f"""
SELECT DISTINCT id >> {ORDINAL_BITS} FROM symbols
WHERE kind IN (SELECT value FROM json_each(?)) ORDER BY 1
"""
_DEFINED_NAMES = f"""
SELECT DISTINCT id >> {ORDINAL_BITS}, name FROM symbols
WHERE kind IN (SELECT value FROM json_each(?)) ORDER BY 1, 2
"""
_KINDS = {kind.value: kind for kind in SymbolKind}  # a look-up costs a fifth of SymbolKind(...)


class SymbolLookups(ABC):
    """What a reader answers about symbols, in the state it holds."""

    _connection: sqlite3.Connection

    @abstractmethod
    def _state(self) -> AbstractContextManager[int]:
        """Hold a state for one look-up; gives its generation."""

    @abstractmethod
    def _row_of_file(self, statement: str, file_id: int) -> tuple[bytes, ...]:
        """Return what a table has of a file.

        :raises NotFound: when there is no such file.
        """

    def files_with_kinds(self, kinds: Collection[str]) -> IntArray:
        """Return the ids of files that define a symbol of any of the kinds, ascending."""
        with self._state():
            rows = self._connection.execute(_FILES_WITH_KINDS, (json_list(kinds),))
            return np.array([row[0] for row in rows], np.int64)

    def file_symbols(self, file_ids: Sequence[int]) -> list[tuple[Symbol, ...]]:
        """Return each file's symbols in order; none for a file that is not there."""
        statement = (
            f"SELECT f.path, {SYMBOL_COLUMNS} FROM symbols AS s JOIN files AS f ON f.id = ? "
            "WHERE s.id BETWEEN ? AND ? ORDER BY s.id"
        )
        with self._state():
            return [
                tuple(
                    stored_symbol_from(row).symbol
                    for row in self._connection.execute(statement, (file_id, *id_range(file_id)))
                )
                for file_id in file_ids
            ]

    def file_references(self, file_ids: Sequence[int]) -> list[tuple[StoredReference, ...]]:
        """Return the names each file mentions, each once a symbol and kind."""
        statement = "SELECT data FROM refs WHERE file_id = ?"
        with self._state():
            return [decode_references(self._row_of_file(statement, file_id)[0]) for file_id in file_ids]

    def mentions(self) -> Iterator[FileMentions]:
        """Give what each file mentions, by file id; to be read to its end inside a session."""
        with self._state():
            for row in self._connection.execute("SELECT file_id, data FROM refs ORDER BY file_id"):
                yield decode_mentions(*row)

    def defined_names(self, kinds: Collection[str]) -> tuple[IntArray, list[str]]:
        """Return (file ids, names) of the symbols of some kinds, each pair once, by file id and name."""
        with self._state():
            rows = self._connection.execute(_DEFINED_NAMES, (json_list(kinds),)).fetchall()
            return np.array([file_id for file_id, _ in rows], np.int64), [name for _, name in rows]

    def symbols_at(self, places: Sequence[tuple[int, int]]) -> list[Symbol]:
        """Return the symbols at (file id, ordinal), in that order.

        :raises NotFound: when one is not there.
        """
        statement = (
            f"SELECT s.id, f.path, {SYMBOL_COLUMNS} FROM symbols AS s JOIN files AS f "
            f"ON f.id = s.id >> {ORDINAL_BITS} WHERE s.id IN (SELECT value FROM json_each(?))"
        )
        with self._state():
            return [stored_symbol_from(row).symbol for row in self._rows_of_places(statement, places)]

    def symbols_named(self, names: Iterable[str], *, limit: int = 1000) -> list[NamedSymbol]:
        """Return the symbols whose name is exactly one of the names, by file and ordinal."""
        return self._symbols_by("name", names, limit)

    def symbols_squashed(self, squashed: Iterable[str], *, limit: int = 1000) -> list[NamedSymbol]:
        """Return the symbols whose squashed name is one of these, by file and ordinal."""
        return self._symbols_by("squashed", squashed, limit)

    def symbol_names(self, limit: int) -> list[str]:
        """Return distinct names of the symbols, ascending."""
        with self._state():
            rows = self._connection.execute("SELECT DISTINCT name FROM symbols ORDER BY name LIMIT ?", (limit,))
            return [name for (name,) in rows]

    def symbol(self, symbol_id: SymbolId) -> StoredSymbol | None:
        """Return the symbol with that id."""
        if not fts.storable(symbol_id):
            return None
        statement = (
            f"SELECT f.path, {SYMBOL_COLUMNS} FROM files AS f JOIN symbols AS s "
            f"ON s.id BETWEEN f.id << {ORDINAL_BITS} AND (f.id << {ORDINAL_BITS}) + {ORDINALS - 1} "
            "WHERE f.path = ? AND (s.symbol_id = ? OR (s.symbol_id IS NULL AND s.qualified_name = ?)) LIMIT 1"
        )
        pieces = symbol_id.split("::")
        with self._state():
            for i in range(1, len(pieces)):
                path, qualified_name = "::".join(pieces[:i]), "::".join(pieces[i:])
                row = self._connection.execute(statement, (path, symbol_id, qualified_name)).fetchone()
                if row is not None:
                    return stored_symbol_from(row)
        return None

    def _symbols_by(self, column: str, values: Iterable[str], limit: int) -> list[NamedSymbol]:
        with self._state():
            rows = self._connection.execute(_NAMED_SYMBOLS.format(column), (json_list(values), limit))
            return [
                NamedSymbol(row_id >> ORDINAL_BITS, row_id & ORDINALS - 1, unit, _KINDS[kind], *names)
                for row_id, unit, kind, *names in rows
            ]

    def _rows_of_places(self, statement: str, places: Sequence[tuple[int, int]]) -> list[tuple[Any, ...]]:
        """Return the rows at (file id, ordinal), in that order, without their id, which the statement names first."""
        ids = [int(file_id) << ORDINAL_BITS | int(ordinal) for file_id, ordinal in places]
        found = {row[0]: row[1:] for row in self._connection.execute(statement, (json.dumps(ids),))}
        try:
            return [found[row_id] for row_id in ids]
        except KeyError as error:
            file_id, ordinal = divmod(int(error.args[0]), ORDINALS)
            raise NotFound(f"file {file_id} has nothing at {ordinal} in this state of the index") from error


def json_list(values: Iterable[str]) -> str:
    """Return those of the values that can be stored, each once, for json_each."""
    return json.dumps([value for value in dict.fromkeys(values) if fts.storable(value)])
