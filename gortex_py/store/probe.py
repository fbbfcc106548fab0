"""What this machine's SQLite can do."""

from __future__ import annotations

import sqlite3
from contextlib import closing


def sqlite_version() -> str:
    """Return the version of the SQLite library in use."""
    return sqlite3.sqlite_version


def has_fts5() -> bool:
    """Say whether full-text tables can be made."""
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
        except sqlite3.OperationalError:
            return False
    return True
