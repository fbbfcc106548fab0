"""Tool catalogues and sessions on disk: a small database of the daemon's own, beside the repositories' indexes.

Definitions and sessions are kept as JSON text that this module does not look into.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gortex_py.errors import IncompatibleIndex
from gortex_py.store.connection import Failing, connect_writer
from gortex_py.store.database import set_aside

logger = logging.getLogger(__name__)

TOOLS_APPLICATION_ID = 0x67_6F_72_74  # "gort"
TOOLS_FORMAT = 2

_PINS = (
    "CREATE TABLE pin (catalogue TEXT NOT NULL, tool TEXT NOT NULL, digest TEXT NOT NULL,"
    " PRIMARY KEY (catalogue, tool)) WITHOUT ROWID"
)
_TABLES = (
    "CREATE TABLE catalogue (name TEXT PRIMARY KEY, version INTEGER NOT NULL, digest TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE tool (catalogue TEXT NOT NULL, position INTEGER NOT NULL, definition TEXT NOT NULL,"
    " PRIMARY KEY (catalogue, position)) WITHOUT ROWID",
    "CREATE TABLE session (id TEXT PRIMARY KEY, record TEXT NOT NULL, last_used REAL NOT NULL) WITHOUT ROWID",
    _PINS,
    f"PRAGMA application_id = {TOOLS_APPLICATION_ID}",
    f"PRAGMA user_version = {TOOLS_FORMAT}",
)
# By the format they start from.
_STEPS = {1: (_PINS, "PRAGMA user_version = 2")}


@dataclass(frozen=True, slots=True)
class StoredCatalogue:
    """A catalogue: its tools as JSON texts in their order."""

    name: str
    version: int  # counts the changes of content
    digest: str
    definitions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session: what it was made with and what it selected, as a JSON text."""

    id: str
    record: str
    last_used: float  # seconds since the epoch


class ToolStore:
    """The database of catalogues and sessions. One thread at a time; every change is on disk when its call returns."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._failing = Failing(path)
        self._connection = connection

    @classmethod
    def open(cls, path: Path) -> ToolStore:
        """Open the database or begin one; a damaged one is set aside.

        :raises IncompatibleIndex: when a newer version wrote it.
        :raises StoreFailed: when the disk is in the way.
        """
        with Failing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                return cls(path, _connect(path))
            except sqlite3.DatabaseError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                    raise
                aside = set_aside(path)
                logger.error("%s was damaged (%s) and set aside as %s; a new one is begun", path, error, aside.name)
                return cls(path, _connect(path))

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def catalogues(self) -> list[StoredCatalogue]:
        """Return the catalogues by name."""
        with self._failing:
            heads = self._connection.execute("SELECT name, version, digest FROM catalogue ORDER BY name").fetchall()
            read = "SELECT definition FROM tool WHERE catalogue = ? ORDER BY position"
            return [
                StoredCatalogue(name, version, digest, tuple(row[0] for row in self._connection.execute(read, (name,))))
                for name, version, digest in heads
            ]

    def put_catalogue(self, catalogue: StoredCatalogue) -> None:
        """Put a catalogue in the place of what had its name."""
        rows = [(catalogue.name, position, text) for position, text in enumerate(catalogue.definitions)]
        with self._failing, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("DELETE FROM tool WHERE catalogue = ?", (catalogue.name,))
            self._connection.execute(
                "INSERT OR REPLACE INTO catalogue VALUES (?, ?, ?)",
                (catalogue.name, catalogue.version, catalogue.digest),
            )
            self._connection.executemany("INSERT INTO tool VALUES (?, ?, ?)", rows)

    def delete_catalogue(self, name: str) -> None:
        """Delete a catalogue."""
        with self._failing, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("DELETE FROM tool WHERE catalogue = ?", (name,))
            self._connection.execute("DELETE FROM catalogue WHERE name = ?", (name,))

    def sessions(self) -> list[StoredSession]:
        """Return the sessions, the one unused for longest first."""
        with self._failing:
            rows = self._connection.execute("SELECT id, record, last_used FROM session ORDER BY last_used, id")
            return [StoredSession(*row) for row in rows]

    def put_sessions(self, sessions: Sequence[StoredSession]) -> None:
        """Keep sessions in place of what had their ids."""
        rows = [(session.id, session.record, session.last_used) for session in sessions]
        with self._failing, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany("INSERT OR REPLACE INTO session VALUES (?, ?, ?)", rows)

    def delete_session(self, session_id: str) -> None:
        """Delete a session."""
        with self._failing:
            self._connection.execute("DELETE FROM session WHERE id = ?", (session_id,))

    def pins(self) -> dict[tuple[str, str], str]:
        """Return the digests of the definitions that were approved, by catalogue and tool."""
        with self._failing:
            rows = self._connection.execute("SELECT catalogue, tool, digest FROM pin")
            return {(catalogue, tool): digest for catalogue, tool, digest in rows}

    def put_pins(self, pins: Mapping[tuple[str, str], str]) -> None:
        """Keep digests in place of what their tools had."""
        with self._failing, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            rows = [(*key, digest) for key, digest in pins.items()]
            self._connection.executemany("INSERT OR REPLACE INTO pin VALUES (?, ?, ?)", rows)


def _connect(path: Path) -> sqlite3.Connection:
    connection = connect_writer(path, create=True)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version > TOOLS_FORMAT:
            raise IncompatibleIndex(
                f"{path} has format {version}, written by a newer version; this one reads up to {TOOLS_FORMAT}: "
                "upgrade, or move the file away to begin a new one"
            )
        if version == 0:
            connection.execute("BEGIN IMMEDIATE")
            for statement in _TABLES:
                connection.execute(statement)
            connection.execute("COMMIT")
        else:
            report = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if report != "ok":
                raise _damage(report)
            for statement in ("BEGIN IMMEDIATE", *_STEPS[version], "COMMIT") if version in _STEPS else ():
                connection.execute(statement)
    except BaseException:
        connection.close()
        raise
    return connection


def _damage(report: str) -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError(report)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error
