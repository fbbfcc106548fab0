"""The enrichments in one committed state."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any, TypeVar, cast

from gortex_py.protocols import Enrichment

T = TypeVar("T")


class EnrichmentReader:
    """Reads enrichments; used inside a reader's state. What was decoded is kept until it is stored anew."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._decoded: dict[str, tuple[int, object]] = {}  # name -> (version, value)

    def stored(self, name: str) -> Enrichment | None:
        """Return what was last stored under a name."""
        row = self._row("inputs, data, behind", name)
        return None if row is None else Enrichment(*row)

    def decoded(self, name: str, decode: Callable[[bytes], T]) -> T | None:
        """Return the decoded data of an enrichment."""
        row = self._row("version", name)
        if row is None:
            return None
        if name not in self._decoded or self._decoded[name][0] != row[0]:
            (data,) = self._row("data", name) or (b"",)
            self._decoded[name] = row[0], decode(data)
        return cast("T", self._decoded[name][1])

    def _row(self, columns: str, name: str) -> tuple[Any, ...] | None:
        statement = f"SELECT {columns} FROM enrichments WHERE name = ?"
        row: tuple[Any, ...] | None = self._connection.execute(statement, (name,)).fetchone()
        return row
