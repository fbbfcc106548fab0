"""The symbols of files, by place, name and id, in one committed state."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

import numpy as np

from gortex_py.protocols import NamedSymbol, StoredSymbol
from gortex_py.store.fts import storable
from gortex_py.store.look_up import json_list, rows_at
from gortex_py.store.records import SYMBOL_COLUMNS, stored_symbol_from
from gortex_py.store.schema import ORDINAL_BITS, ORDINALS, id_range
from gortex_py.types import IntArray, Symbol, SymbolId, SymbolKind

_OF_FILE = f"""
SELECT f.path, {SYMBOL_COLUMNS} FROM symbols AS s JOIN files AS f ON f.id = ?
WHERE s.id BETWEEN ? AND ? ORDER BY s.id
"""
_AT = f"""
SELECT s.id, f.path, {SYMBOL_COLUMNS} FROM symbols AS s JOIN files AS f ON f.id = s.id >> {ORDINAL_BITS}
WHERE s.id IN (SELECT value FROM json_each(?))
"""
_WITH_COLUMN = """
SELECT s.id, s.unit, s.kind, s.name, s.squashed, s.qualified_name
FROM json_each(?) AS wanted CROSS JOIN symbols AS s ON s.{} = wanted.value
ORDER BY s.id LIMIT ?
"""
_WITH_ID = f"""
SELECT f.path, {SYMBOL_COLUMNS} FROM files AS f JOIN symbols AS s
ON s.id BETWEEN f.id << {ORDINAL_BITS} AND (f.id << {ORDINAL_BITS}) + {ORDINALS - 1}
WHERE f.path = ? AND (s.symbol_id = ? OR (s.symbol_id IS NULL AND s.qualified_name = ?)) LIMIT 1
"""
_DEFINED = f"""
SELECT DISTINCT id >> {ORDINAL_BITS}, name FROM symbols
WHERE kind IN (SELECT value FROM json_each(?)) ORDER BY 1, 2
"""
_KINDS = {kind.value: kind for kind in SymbolKind}  # a look-up costs a fifth of SymbolKind(...)


class SymbolReader:
    """Finds symbols; used inside a reader's state."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def of_file(self, file_id: int) -> tuple[Symbol, ...]:
        """Return a file's symbols in order; none for a file that is not there."""
        rows = self._connection.execute(_OF_FILE, (file_id, *id_range(file_id)))
        return tuple(stored_symbol_from(row).symbol for row in rows)

    def at(self, places: Sequence[tuple[int, int]]) -> list[Symbol]:
        """Return the symbols at (file id, ordinal), in that order.

        :raises NotFound: when one is not there.
        """
        return [stored_symbol_from(row).symbol for row in rows_at(self._connection, _AT, places)]

    def with_column(self, column: str, values: Iterable[str], limit: int) -> list[NamedSymbol]:
        """Return the symbols of which a column has one of the values, by file and ordinal."""
        rows = self._connection.execute(_WITH_COLUMN.format(column), (json_list(values), limit))
        return [
            NamedSymbol(row_id >> ORDINAL_BITS, row_id & ORDINALS - 1, unit, _KINDS[kind], *names)
            for row_id, unit, kind, *names in rows
        ]

    def names(self, limit: int) -> list[str]:
        """Return distinct names, ascending."""
        rows = self._connection.execute("SELECT DISTINCT name FROM symbols ORDER BY name LIMIT ?", (limit,))
        return [name for (name,) in rows]

    def defined(self, kinds: Iterable[str]) -> tuple[IntArray, list[str]]:
        """Return (file ids, names) of the symbols of some kinds, each pair once, by file id and name."""
        rows = self._connection.execute(_DEFINED, (json_list(kinds),)).fetchall()
        return np.array([file_id for file_id, _ in rows], np.int64), [name for _, name in rows]

    def with_id(self, symbol_id: SymbolId) -> StoredSymbol | None:
        """Return the symbol with that id."""
        if not storable(symbol_id):
            return None
        pieces = symbol_id.split("::")
        for i in range(1, len(pieces)):
            path, qualified_name = "::".join(pieces[:i]), "::".join(pieces[i:])
            row = self._connection.execute(_WITH_ID, (path, symbol_id, qualified_name)).fetchone()
            if row is not None:
                return stored_symbol_from(row)
        return None
