"""The key-value table: what the database says about itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from gortex_py.store.vectors import VectorState

GENERATION = "generation"
INDEX_FINGERPRINT = "index_fingerprint"
EMBEDDER_FINGERPRINT = "embedder_fingerprint"
VERIFIED = (
    "verified_at_ns"  # no indexed file was read or verified before it: the last whole pass, or the interrupted first
)
CLOSED_CLEANLY = "closed_cleanly"  # "1" only between a close and the next open

_VECTOR_KEYS = ("vector_number", "vector_id", "vector_dim", "vector_rows", "vector_checksum")


def read_meta(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the whole table."""
    return dict(connection.execute("SELECT key, value FROM meta"))


def write_meta(connection: sqlite3.Connection, values: Mapping[str, object]) -> None:
    """Set some keys."""
    connection.executemany(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [(key, str(value)) for key, value in values.items()],
    )


def read_generation(connection: sqlite3.Connection) -> int:
    """Return the number of the committed state."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()
    return int(row[0])


def vector_state(meta: Mapping[str, str]) -> VectorState:
    """Return what is recorded of the vector file."""
    number, id_, dim, rows, checksum = (meta[key] for key in _VECTOR_KEYS)
    return VectorState(int(number), id_, int(dim), int(rows), int(checksum))


def vector_meta(state: VectorState) -> dict[str, object]:
    """Return the keys that record a vector file."""
    values = (state.number, state.id, state.dim, state.rows, state.checksum)
    return dict(zip(_VECTOR_KEYS, values, strict=True))
