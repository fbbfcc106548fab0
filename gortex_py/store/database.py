"""A repository's index on disk: opened, judged, repaired or begun anew."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from weakref import WeakSet

from sqlite_utils import Database

from gortex_py.errors import IncompatibleIndex, StoreFailed
from gortex_py.store import meta as keys
from gortex_py.store import schema
from gortex_py.store.connection import Failing, connect_reader, connect_writer, damage_note, is_damage
from gortex_py.store.meta import read_meta, vector_meta, vector_state, write_meta
from gortex_py.store.reader import SqliteReader
from gortex_py.store.rows import pack_file
from gortex_py.store.vectors import create_vectors, remove_files, verify
from gortex_py.store.writer import SqliteWriter
from gortex_py.types import Problem

DATABASE_NAME = "index.db"


@dataclass(frozen=True, slots=True)
class StoreIdentity:
    """What the content of an index depends on."""

    index_fingerprint: str  # everything that makes the same files give other rows
    embedder_fingerprint: str
    dim: int  # of the embedder's vectors; 0 for none


class IndexVerdict(StrEnum):
    """What opening found, gravest first."""

    CORRUPT = "corrupt"  # set aside, a new index begun
    NEW = "new"
    TEXT_STALE = "text-stale"  # it answers as before; every file wants a new analysis (digests are empty)
    VECTORS_STALE = "vectors-stale"  # vectors dropped, text kept
    MIGRATED = "migrated"
    CURRENT = "current"


class _CorruptError(Exception):
    """The file in the database's place is not an index that can be read."""


class Store:
    """One open index. Made by open(); the writer is one, readers are as many as asked for."""

    def __init__(
        self, folder: Path, connection: sqlite3.Connection, verdict: IndexVerdict, notices: tuple[Problem, ...]
    ) -> None:
        self.folder = folder
        self.verdict = verdict
        self.notices = notices  # what the user should hear about this opening
        self._failing = Failing(folder / DATABASE_NAME)
        self._connection: sqlite3.Connection | None = connection
        self._writer: SqliteWriter | None = None
        self._readers: WeakSet[SqliteReader] = WeakSet()

    @classmethod
    def open(cls, folder: Path, identity: StoreIdentity) -> Store:
        """Open the index in a folder, or begin one.

        :raises IncompatibleIndex: when a newer version wrote it; nothing is touched.
        :raises StoreFailed: when the disk or its permissions are in the way.
        """
        path = folder / DATABASE_NAME
        notices: list[Problem] = []
        with Failing(path):
            folder.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                raise StoreFailed(f"the index {path} cannot be used: a directory is in its place; move it away")
            verdict = IndexVerdict.CURRENT
            if not path.exists() or not path.stat().st_size:
                verdict = IndexVerdict.NEW
            else:
                try:
                    _recall_damage(path)
                    return cls(folder, *_open_existing(path, identity, notices), tuple(notices))
                except _CorruptError as error:
                    aside = _set_aside(path)
                    notices = [
                        Problem(str(path), f"was damaged ({error}) and set aside as {aside.name}; a new index is begun")
                    ]
                    verdict = IndexVerdict.CORRUPT
            return cls(folder, _create(path, identity), verdict, tuple(notices))

    pack = staticmethod(pack_file)

    @property
    def is_damaged(self) -> bool:
        """Say whether damage was met in use; the next opening sets the index aside and begins a new one."""
        return self._failing.is_damaged

    def writer(self) -> SqliteWriter:
        """Return the one writer; always the same."""
        if self._writer is None:
            self._writer = SqliteWriter(self._open_connection(), self.folder, self._failing)
        return self._writer

    def reader(self) -> SqliteReader:
        """Return a new reader with a connection of its own; closed with the store at the latest."""
        self._open_connection()
        with self._failing:
            reader = SqliteReader(connect_reader(self.folder / DATABASE_NAME), self.folder, self._failing)
        self._readers.add(reader)
        return reader

    def close(self) -> None:
        """Close every connection and mark the index as closed cleanly. Closing twice is fine."""
        if self._connection is None:
            return
        connection, self._connection = self._connection, None
        for reader in list(self._readers):
            reader.close()
        with self._failing:
            try:
                if not self.is_damaged:
                    write_meta(connection, {keys.CLOSED_CLEANLY: 1})
            finally:
                connection.close()

    def _open_connection(self) -> sqlite3.Connection:
        if self._connection is None:
            raise StoreFailed(f"the index in {self.folder} is closed")
        return self._connection


def _create(path: Path, identity: StoreIdentity) -> sqlite3.Connection:
    connection = connect_writer(path, create=True)
    try:
        connection.execute(f"PRAGMA page_size = {schema.PAGE_BYTES}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        schema.create(Database(connection))
        remove_files(path.parent, keep_from=1 << 62)
        write_meta(connection, {keys.GENERATION: 0, keys.CLOSED_CLEANLY: 0, **_identity_meta(identity)})
        write_meta(connection, vector_meta(create_vectors(path.parent, 1, identity.dim)))
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def _open_existing(
    path: Path, identity: StoreIdentity, notices: list[Problem]
) -> tuple[sqlite3.Connection, IndexVerdict]:
    """Open, check and bring up to date a database that is there.

    :raises _CorruptError: when it is no index or a damaged one.
    """
    with _judging():
        _inspect(path)
        connection = connect_writer(path, create=False)
        try:
            return connection, _bring_up_to_date(connection, path, identity, notices)
        except BaseException:
            connection.close()
            raise


def _recall_damage(path: Path) -> None:
    """Refuse a database in which damage was met since it was opened; a look at its structure may not find it."""
    note = damage_note(path)
    if note.exists():
        raise _CorruptError(note.read_text(encoding="utf-8", errors="replace") or "damage was met in use")


def _inspect(path: Path) -> None:
    """Look at a database without changing it."""
    with closing(connect_reader(path)) as connection:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = schema.format_version(Database(connection))
        if application != schema.APPLICATION_ID:
            raise _CorruptError("it is not an index of this program")
        if version > schema.FORMAT_VERSION:
            raise IncompatibleIndex(
                f"the index {path} has format {version}, written by a newer version; this one reads up to "
                f"{schema.FORMAT_VERSION}: upgrade, or move the file away to begin a new index"
            )
        if read_meta(connection).get(keys.CLOSED_CLEANLY) != "1":
            report = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if report != "ok":
                raise _CorruptError(" ".join(report.split()))


@contextmanager
def _judging() -> Iterator[None]:
    """Tell damage from a disk that refuses."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if is_damage(error) or "no such table" in str(error):
            raise _CorruptError(str(error)) from error
        raise
    except (KeyError, ValueError) as error:
        raise _CorruptError("its account of itself is incomplete") from error


def _bring_up_to_date(
    connection: sqlite3.Connection, path: Path, identity: StoreIdentity, notices: list[Problem]
) -> IndexVerdict:
    folder, verdict = path.parent, IndexVerdict.CURRENT
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    database = Database(connection)
    if schema.format_version(database) < schema.FORMAT_VERSION:
        if not schema.migrate(database):
            raise _CorruptError("its format is too old to be brought up to date")
        verdict = IndexVerdict.MIGRATED
    meta = read_meta(connection)
    state = vector_state(meta)
    trouble = None
    if meta[keys.EMBEDDER_FINGERPRINT] != identity.embedder_fingerprint or state.dim != identity.dim:
        trouble = "another embedder is in use"
    elif fault := verify(folder, state):
        trouble = fault
        notices.append(Problem(str(folder / state.file_name), f"was dropped: {fault}; texts are embedded again"))
    if trouble:
        verdict = IndexVerdict.VECTORS_STALE
        connection.execute("DELETE FROM vectors")
        state = create_vectors(folder, state.number + 1, identity.dim)
        write_meta(connection, {keys.GENERATION: int(meta[keys.GENERATION]) + 1, **vector_meta(state)})
    if meta[keys.INDEX_FINGERPRINT] != identity.index_fingerprint:
        verdict = IndexVerdict.TEXT_STALE
        connection.execute("UPDATE files SET digest = ''")
    write_meta(connection, {keys.CLOSED_CLEANLY: 0, **_identity_meta(identity)})
    connection.execute("COMMIT")
    remove_files(folder, keep_from=state.number)
    return verdict


def _identity_meta(identity: StoreIdentity) -> dict[str, object]:
    return {
        keys.INDEX_FINGERPRINT: identity.index_fingerprint,
        keys.EMBEDDER_FINGERPRINT: identity.embedder_fingerprint,
    }


def _set_aside(path: Path) -> Path:
    """Rename a damaged database with its log; returns its new place."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    aside = path.with_name(f"{path.name}.corrupt-{stamp}")
    path.rename(aside)
    log, log_index = path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")
    if log.exists() and log.stat().st_size:
        log.rename(aside.with_name(f"{aside.name}-wal"))
    for left in (log, log_index, damage_note(path)):
        left.unlink(missing_ok=True)  # SQLite would take them for the new database's
    return aside
