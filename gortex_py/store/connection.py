"""Connections: one that writes, any number that only read, and what their errors become."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

from gortex_py.errors import StoreFailed

BUSY_TIMEOUT_S = 10.0
WRITER_CACHE_KIB = 64 * 1024
READER_CACHE_KIB = 16 * 1024
READER_MMAP_BYTES = 1 << 30
CHECKPOINT_PAGES = 4000  # 32 MB of log: fewer copies of pages that a bulk load rewrites
LOG_BYTES = 64 << 20  # a log that grew beyond is cut back
STATEMENTS = 256


def database_uri(path: Path, mode: str) -> str:
    """Return the file URI of a database, whatever characters its path holds."""
    return f"file:{quote(str(path.absolute()))}?mode={mode}"


def connect_writer(path: Path, *, create: bool, wait_s: float | None = None) -> sqlite3.Connection:
    """Open the writing connection: WAL, safe against a crash of the process, explicit transactions.

    :param wait_s: how long to wait for another program that writes, BUSY_TIMEOUT_S for None.
    """
    return _connect(
        path,
        "rwc" if create else "rw",
        (
            f"cache_size = -{WRITER_CACHE_KIB}",
            "synchronous = NORMAL",
            # Some builds overwrite freed pages with zeroes; an index holds nothing that is not in the files.
            "secure_delete = OFF",
            "temp_store = MEMORY",
            f"wal_autocheckpoint = {CHECKPOINT_PAGES}",
            f"journal_size_limit = {LOG_BYTES}",
        ),
        wait_s,
    )


def connect_reader(path: Path, *, wait_s: float | None = None) -> sqlite3.Connection:
    """Open a connection that cannot write."""
    settings = ("query_only = ON", f"cache_size = -{READER_CACHE_KIB}", f"mmap_size = {READER_MMAP_BYTES}")
    return _connect(path, "ro", settings, wait_s)


def _connect(path: Path, mode: str, settings: Sequence[str], wait_s: float | None) -> sqlite3.Connection:
    # A pool may hand a connection from thread to thread; that it is one at a time is the pool's promise.
    connection = sqlite3.connect(
        database_uri(path, mode),
        uri=True,
        timeout=BUSY_TIMEOUT_S if wait_s is None else wait_s,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=STATEMENTS,
    )
    try:
        for setting in settings:
            connection.execute(f"PRAGMA {setting}")
    except BaseException:
        connection.close()
        raise
    return connection


# What SQLite says of a file that holds nonsense, as opposed to a disk that refuses.
DAMAGE_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
DAMAGED = "index-damaged"


class Failing:
    """Turn database and file errors inside a ``with`` block into StoreFailed that names the path.

    Damage is remembered beside the database, so that the next opening sets it aside.
    """

    def __init__(self, path: Path, what: str = "index") -> None:
        self._path = path
        self._what = what  # for the message
        self.is_damaged = False

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, sqlite3.ProgrammingError):
            return  # a mistake of ours or use after close: not the disk's fault
        is_found = isinstance(error, StoreFailed) and error.code == DAMAGED
        if is_found or is_damage(error):
            self.is_damaged = True
            with suppress(OSError):  # a full disk; the damage will be met again
                damage_note(self._path).write_text(str(error), encoding="utf-8")
            if not is_found:
                raise StoreFailed(f"the {self._what} {self._path} is damaged: {error}", code=DAMAGED) from error
        if isinstance(error, (sqlite3.Error, OSError)):
            raise StoreFailed(f"the {self._what} {self._path} cannot be used: {error}") from error


def is_damage(error: BaseException | None) -> bool:
    """Tell whether an error says that what was written is not what is read."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return isinstance(error, zlib.error) or (isinstance(error, sqlite3.DatabaseError) and code in DAMAGE_CODES)


def damage_note(path: Path) -> Path:
    """Return the file that says what damage was met in a database."""
    return path.with_name(f"{path.name}.damaged")
