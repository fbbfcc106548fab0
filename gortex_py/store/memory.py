"""The task memory on disk: what was opened after which query, in a small database of the daemon's own.

An association belongs to a repository, a key (a whole query, or one keyword) and a place (a path
and a symbol in it). The text of queries is kept, so the file is its owner's alone and deleted rows
are overwritten.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from types import MappingProxyType

from gortex_py.errors import IncompatibleIndex, NotReady, StoreFailed
from gortex_py.query.keywords import QueryKeys
from gortex_py.rank.learning import EXPIRY_S, Association, passed_over, selected
from gortex_py.store.connection import Failing, connect_reader, connect_writer, damage_note, is_damage
from gortex_py.store.database import set_aside

logger = logging.getLogger(__name__)

MEMORY_APPLICATION_ID = 0x67_6F_72_6D  # "gorm"
MEMORY_FORMAT = 1
WHAT = "task memory"
# A search asks and does not wait; who writes can wait for another program for a moment.
WRITE_WAIT_S = 0.3
PRIVATE = 0o600


class KeyScope(IntEnum):
    """What a key is."""

    WHOLE = 0  # a query
    KEYWORD = 1  # a stem that queries share


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is kept; beyond, what was unused for longest goes."""

    places: Mapping[KeyScope, int]  # of a key
    keys: Mapping[KeyScope, int]  # of a repository


BOUNDS = Bounds(
    places=MappingProxyType({KeyScope.WHOLE: 20, KeyScope.KEYWORD: 10}),
    keys=MappingProxyType({KeyScope.WHOLE: 2_000, KeyScope.KEYWORD: 4_000}),
)

_TABLES = (
    "CREATE TABLE association (repo TEXT NOT NULL, scope INTEGER NOT NULL, key TEXT NOT NULL, path TEXT NOT NULL,"
    " symbol TEXT NOT NULL, digest TEXT NOT NULL, selections INTEGER NOT NULL, hits REAL NOT NULL,"
    " misses REAL NOT NULL, last_used REAL NOT NULL, PRIMARY KEY (repo, scope, key, path, symbol)) WITHOUT ROWID",
    "CREATE INDEX association_path ON association (repo, path)",
    "CREATE INDEX association_last_used ON association (last_used)",
    f"PRAGMA application_id = {MEMORY_APPLICATION_ID}",
    f"PRAGMA user_version = {MEMORY_FORMAT}",
)
_COUNTS = "selections, hits, misses, last_used"
_THIS = "repo = ? AND scope = ? AND key = ?"
_RECALL = f"SELECT path, symbol, {_COUNTS} FROM association WHERE repo = ? AND scope = ? AND key "


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was opened."""

    path: str
    symbol: str = ""  # qualified name; "" for the file as such
    digest: str = ""  # of the file's content, by which it is found again under another name


@dataclass(frozen=True, slots=True)
class Change:
    """What one event says of a place."""

    place: Place
    is_selected: bool
    misses: float = 0.0  # added; taken back by a selection


@dataclass(frozen=True, slots=True)
class Remembered:
    """An association as it is kept."""

    repo: str
    scope: KeyScope
    key: str
    place: Place
    association: Association


@dataclass(frozen=True, slots=True)
class Recalled:
    """What is associated with a query: by (path, symbol), with itself and with its keywords."""

    whole: Mapping[tuple[str, str], Association]
    by_keyword: Mapping[tuple[str, str], Sequence[Association]]


class MemoryStore:
    """The open database. Any thread may call; every change is on disk, and all of it, when its call returns."""

    def __init__(self, path: Path, writer: sqlite3.Connection, bounds: Bounds) -> None:
        self._path = path
        self._bounds = bounds
        self._failing = Failing(path, WHAT)
        self._writer = writer
        self._reader = connect_reader(path, wait_s=0)
        self._writing, self._reading = threading.Lock(), threading.Lock()
        self._is_closed = False

    @classmethod
    def open(cls, path: Path, bounds: Bounds = BOUNDS) -> MemoryStore:
        """Open the database or begin one; a damaged one is set aside.

        :raises IncompatibleIndex: when a newer version wrote it.
        :raises NotReady: when another program holds it.
        :raises StoreFailed: when the disk is in the way.
        """
        with _busy_is_not_ready(path), Failing(path, WHAT):
            path.parent.mkdir(parents=True, exist_ok=True)
            if damage_note(path).exists() and path.exists():  # met in use, where a quick check may not look
                logger.error("%s was damaged and set aside as %s; a new one is begun", path, set_aside(path).name)
            try:
                return cls(path, _connect(path), bounds)
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    raise
                aside = set_aside(path)
                logger.error("%s was damaged (%s) and set aside as %s; a new one is begun", path, error, aside.name)
                return cls(path, _connect(path), bounds)

    def close(self) -> None:
        """Close the database."""
        with self._writing, self._reading:
            self._is_closed = True
            self._reader.close()
            self._writer.close()

    @property
    def is_damaged(self) -> bool:
        """Say whether damage was met in use; opening it again begins a new one."""
        return self._failing.is_damaged

    # --- reading --------------------------------------------------------------------------

    def recall(self, repo: str, keys: QueryKeys, now: float) -> Recalled:
        """Return what is associated with a query and its keywords in a repository; never waits.

        :raises NotReady: when another program holds the database.
        """
        oldest, marks = now - EXPIRY_S, ", ".join("?" * len(keys.keywords))
        read = self._reader.execute
        with self._usable(self._reading):
            whole = read(f"{_RECALL}= ? AND last_used >= ?", (repo, int(KeyScope.WHOLE), keys.whole, oldest))
            own = {(path, symbol): Association._make(counts) for path, symbol, *counts in whole}
            by_keyword: dict[tuple[str, str], list[Association]] = {}
            shared = (repo, int(KeyScope.KEYWORD), *keys.keywords, oldest)
            for path, symbol, *counts in read(f"{_RECALL}IN ({marks}) AND last_used >= ?", shared):
                by_keyword.setdefault((path, symbol), []).append(Association._make(counts))
        return Recalled(own, by_keyword)

    def rows(self, repo: str | None, keys: QueryKeys | None) -> list[Remembered]:
        """Return what is kept of a repository and a query, or of all; the last used first."""
        where, values = _chosen(repo, keys)
        with self._usable(self._reading):
            rows = self._reader.execute(
                f"SELECT repo, scope, key, path, symbol, digest, {_COUNTS} FROM association WHERE {where}"
                " ORDER BY last_used DESC, repo, scope, key, path, symbol",
                values,
            ).fetchall()
        return [
            Remembered(repo, KeyScope(scope), key, Place(path, symbol, digest), Association(*counts))
            for repo, scope, key, path, symbol, digest, *counts in rows
        ]

    def paths(self, repo: str) -> dict[str, str]:
        """Return path -> digest of what is remembered of a repository."""
        with self._usable(self._reading):
            return dict(self._reader.execute("SELECT DISTINCT path, digest FROM association WHERE repo = ?", (repo,)))

    # --- writing --------------------------------------------------------------------------

    def learn(self, repo: str, keys: QueryKeys, changes: Sequence[Change], now: float) -> None:
        """Count one event: selections are added, skips only where there is something to lower.

        :raises NotReady: when another program holds the database.
        """
        with self._changing() as connection:
            connection.execute("DELETE FROM association WHERE last_used < ?", (now - EXPIRY_S,))
            wanted = [(KeyScope.WHOLE, keys.whole), *((KeyScope.KEYWORD, word) for word in keys.keywords)]
            known = f"SELECT EXISTS (SELECT 1 FROM association WHERE {_THIS})"
            is_new = [not connection.execute(known, (repo, int(scope), key)).fetchone()[0] for scope, key in wanted]
            for scope, key in wanted:
                self._count(repo, scope, key, changes, now)
            if any(is_new):  # counting the keys takes long where there are thousands
                self._bound(repo)

    def move(self, repo: str, path: str, new: Place) -> None:
        """Have what is known of a path hold for another path or another content of it."""
        with self._changing() as connection:
            connection.execute(
                "UPDATE OR REPLACE association SET path = ?, digest = ? WHERE repo = ? AND path = ?",
                (new.path, new.digest, repo, path),
            )

    def forget(self, repo: str | None = None, keys: QueryKeys | None = None) -> int:
        """Delete what is kept of a repository and a query, or all; returns how many associations that were.

        What is deleted is overwritten in the database, which is then written anew, and its log is emptied. To
        forget all is to delete damaged databases that were set aside as well.
        """
        where, values = _chosen(repo, keys)
        with self._changing() as connection:
            gone = connection.execute(f"DELETE FROM association WHERE {where}", values).rowcount
        with self._usable(self._writing):
            self._writer.execute("VACUUM")
            with self._reading:
                self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            if repo is None and keys is None:
                for aside in self._path.parent.glob(f"{self._path.name}.corrupt-*"):
                    aside.unlink()
        return gone

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        with self._usable(self._writing), self._writer:
            self._writer.execute("BEGIN IMMEDIATE")
            yield self._writer

    @contextmanager
    def _usable(self, lock: threading.Lock) -> Iterator[None]:
        """Hold a connection; an error says of which file."""
        with lock, _busy_is_not_ready(self._path), self._failing:
            if self._is_closed:
                raise NotReady(f"the {WHAT} {self._path} is closed", code="memory-busy")
            yield

    def _count(self, repo: str, scope: KeyScope, key: str, changes: Iterable[Change], now: float) -> None:
        """Add what an event says to the associations of one key."""
        for change in changes:
            place = change.place
            this = (repo, int(scope), key, place.path, place.symbol)
            row = self._writer.execute(
                f"SELECT {_COUNTS} FROM association WHERE {_THIS} AND path = ? AND symbol = ?", this
            ).fetchone()
            known = Association(*row) if row else None
            if change.is_selected:
                now_known = selected(known, now, revoked=change.misses)
            elif known is not None:
                now_known = passed_over(known, change.misses)
            else:
                continue
            counts = (now_known.selections, now_known.hits, now_known.misses, now_known.last_used)
            self._writer.execute(
                "INSERT INTO association VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET digest = coalesce(nullif(excluded.digest, ''), digest),"
                " selections = excluded.selections, hits = excluded.hits, misses = excluded.misses,"
                " last_used = excluded.last_used",
                (*this, place.digest, *counts),
            )
        self._writer.execute(
            f"DELETE FROM association WHERE {_THIS} AND (path, symbol) NOT IN (SELECT path, symbol FROM association"
            f" WHERE {_THIS} ORDER BY last_used DESC, hits DESC, path, symbol LIMIT ?)",
            (repo, int(scope), key, repo, int(scope), key, self._bounds.places[scope]),
        )

    def _bound(self, repo: str) -> None:
        """Delete the keys unused for longest where a repository has too many."""
        for scope, most in self._bounds.keys.items():
            self._writer.execute(
                "DELETE FROM association WHERE repo = ? AND scope = ? AND key IN (SELECT key FROM association"
                " WHERE repo = ? AND scope = ? GROUP BY key ORDER BY max(last_used) DESC, key LIMIT -1 OFFSET ?)",
                (repo, int(scope), repo, int(scope), most),
            )


def _chosen(repo: str | None, keys: QueryKeys | None) -> tuple[str, list[object]]:
    """Return a condition and its values: a query's own associations and those of its keywords."""
    parts, values = ["1"], list[object]()
    if repo is not None:
        parts.append("repo = ?")
        values.append(repo)
    if keys is not None:
        marks = ", ".join("?" * len(keys.keywords))
        parts.append(f"(scope = {KeyScope.WHOLE:d} AND key = ? OR scope = {KeyScope.KEYWORD:d} AND key IN ({marks}))")
        values += [keys.whole, *keys.keywords]
    return " AND ".join(parts), values


def _connect(path: Path) -> sqlite3.Connection:
    is_new = not path.exists()
    connection = connect_writer(path, create=True, wait_s=WRITE_WAIT_S)
    try:
        if is_new:
            with suppress(OSError):  # a file system without permissions; the folder is private, too
                path.chmod(PRIVATE)
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA journal_mode = WAL")
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version > MEMORY_FORMAT:
            raise IncompatibleIndex(
                f"{path} has format {version}, written by a newer version; this one reads up to {MEMORY_FORMAT}: "
                "upgrade, or move the file away to begin a new one"
            )
        if version == 0:
            connection.execute("BEGIN IMMEDIATE")
            for statement in _TABLES:
                connection.execute(statement)
            connection.execute("COMMIT")
        else:
            _check(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection) -> None:
    report = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if report != "ok":
        error = sqlite3.DatabaseError(report)
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error


@contextmanager
def _busy_is_not_ready(path: Path) -> Iterator[None]:
    """Turn a database that another program holds into NotReady, whatever it was turned into before."""
    try:
        yield
    except (sqlite3.Error, StoreFailed) as error:
        cause = error if isinstance(error, sqlite3.Error) else error.__cause__
        if getattr(cause, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise NotReady(f"another program holds the {WHAT} {path}", code="memory-busy") from error
        raise
