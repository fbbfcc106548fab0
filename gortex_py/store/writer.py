"""The one writer of a repository's database."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from gortex_py.protocols import Enrichment
from gortex_py.store.bags import decode_bag, decode_terms, field_texts
from gortex_py.store.connection import Failing
from gortex_py.store.fts import TextFeed
from gortex_py.store.meta import GENERATION, VERIFIED, read_generation, read_meta, vector_meta, vector_state, write_meta
from gortex_py.store.rows import FileRows
from gortex_py.store.schema import ORDINAL_BITS, ORDINALS, TEXT_TABLES
from gortex_py.store.vectors import VectorState, append_rows, create_vectors, map_rows, quantise, remove_files, usable
from gortex_py.types import FileCategory, FileStat, FloatArray, PackedFile, Skipped

DEAD_VECTORS_SHARE = 0.3  # of the vector file's rows before it is written anew
MAX_PARAMETERS = 30_000  # of one statement; the limit that SQLite is built with is 32,766

_FILE_SQL = f"INSERT INTO files VALUES ({', '.join('?' * 16)})"
_SYMBOL_SQL = f"INSERT INTO symbols VALUES ({', '.join('?' * 15)})"
_UNIT_SQL = f"INSERT INTO units VALUES ({', '.join('?' * 7)})"
_MISSING_SQL = """
SELECT DISTINCT text_hash FROM units
WHERE text_hash {} ? AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.text_hash = units.text_hash)
ORDER BY text_hash LIMIT ?
"""
_USED_SQL = "EXISTS (SELECT 1 FROM units WHERE units.text_hash = vectors.text_hash)"


class SqliteWriter:
    """StoreWriter over SQLite. One thread at a time; changes need an open batch."""

    def __init__(self, connection: sqlite3.Connection, folder: Path, failing: Failing) -> None:
        self._connection = connection
        self._folder = folder
        self._failing = failing
        self._feed = TextFeed(connection)
        self._vocabulary: Counter[str] = Counter()
        self._next_file_id = 0
        self._in_batch = False
        self._changed = False
        self._touched = 0  # files, in this batch
        self._asked_up_to = b""
        with failing:
            self._vectors = vector_state(read_meta(connection))

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Everything inside becomes visible together, or not at all."""
        if self._in_batch:
            raise RuntimeError("a batch is open already")
        with self._failing:
            self._connection.execute("BEGIN IMMEDIATE")
        vectors = self._vectors
        self._in_batch, self._changed, self._touched = True, False, 0
        try:
            with self._failing:
                self._next_file_id = self._connection.execute("SELECT ifnull(max(id), 0) + 1 FROM files").fetchone()[0]
            yield
            with self._failing:
                self._finish(vectors)
                self._connection.execute("COMMIT")
        except BaseException:
            self._vectors = vectors
            self._feed.discard()
            # After some errors (a full disk) SQLite has rolled back by itself.
            with self._failing:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
            raise
        finally:
            self._in_batch = False
            self._vocabulary.clear()

    def replace_file(self, file: PackedFile) -> None:
        """Put a file's rows in place of what the path had before."""
        self._need_batch()
        with self._failing:
            file_id = self._remove(file.file.path)
            if file_id is None:
                file_id, self._next_file_id = self._next_file_id, self._next_file_id + 1
            self._insert(file_id, file.rows)
        self._touched += 1
        self._changed = True

    def delete_files(self, paths: Sequence[str]) -> None:
        """Take files out; paths that are not there are no trouble."""
        self._need_batch()
        with self._failing:
            for path in paths:
                if self._remove(path) is not None:
                    self._touched += 1
                    self._changed = True

    def touch_files(self, stats: Sequence[FileStat]) -> None:
        """Record a new size and time for files whose content did not change."""
        self._need_batch()
        with self._failing:
            self._connection.executemany(
                "UPDATE files SET size_bytes = ?, mtime_ns = ? WHERE path = ?",
                [(stat.size_bytes, stat.mtime_ns, stat.path) for stat in stats],
            )

    def set_skipped(self, skipped: Sequence[Skipped]) -> None:
        """Replace the list of files that are known but not indexed."""
        self._need_batch()
        with self._failing:
            self._connection.execute("DELETE FROM skipped")
            self._connection.executemany(
                "INSERT OR REPLACE INTO skipped VALUES (?, ?, ?, ?, ?)",
                [(s.path, s.reason.value, s.detail, s.size_bytes, s.mtime_ns) for s in skipped],
            )

    def set_verified(self, began_ns: int) -> None:
        """Record the wall-clock time at which a whole pass began that has now ended."""
        self._need_batch()
        with self._failing:
            write_meta(self._connection, {VERIFIED: began_ns})

    def put_enrichment(self, name: str, enrichment: Enrichment) -> None:
        """Store whole-repository facts in place of those of that name; answers may change, so it is a new state."""
        self._need_batch()
        with self._failing:
            version = read_generation(self._connection) + 1
            self._connection.execute(
                "INSERT OR REPLACE INTO enrichments VALUES (?, ?, ?, ?, ?)",
                (name, version, enrichment.behind, enrichment.inputs, enrichment.data),
            )
        self._changed = True

    def missing_vectors(self, limit: int) -> list[bytes]:
        """Return text hashes of units that have no vector yet.

        Goes on where the last add_vectors() ended and comes round, so that asking and adding
        by turns passes over the units once and not once a turn.
        """
        if not self._vectors.dim:
            return []
        with self._failing:
            execute = self._connection.execute
            found = [row[0] for row in execute(_MISSING_SQL.format(">"), (self._asked_up_to, limit))]
            if len(found) < limit and self._asked_up_to:
                rest = execute(_MISSING_SQL.format("<="), (self._asked_up_to, limit - len(found)))
                found.extend(row[0] for row in rest)
        return found

    def without_vectors(self, hashes: Sequence[bytes]) -> list[bytes]:
        """Return those of the text hashes for which nothing is stored yet, in their order."""
        if not self._vectors.dim:
            return []
        known: set[bytes] = set()
        with self._failing:
            for at in range(0, len(hashes), MAX_PARAMETERS):
                part = hashes[at : at + MAX_PARAMETERS]
                marks = ",".join("?" * len(part))
                rows = self._connection.execute(f"SELECT text_hash FROM vectors WHERE text_hash IN ({marks})", part)
                known.update(row[0] for row in rows)
        return [text_hash for text_hash in dict.fromkeys(hashes) if text_hash not in known]

    def add_vectors(self, hashes: Sequence[bytes], vectors: FloatArray) -> int:
        """Store one vector for each text hash; returns how many were dropped as malformed.

        A zero or not finite row is remembered as "has none" and not asked for again, since the
        embedder would say the same. Vectors of another width are refused and remain missing.

        :param vectors: (len(hashes), dim) float32.
        """
        self._need_batch()
        if len(hashes) != len(vectors):
            raise ValueError(f"{len(hashes)} hashes and {len(vectors)} vectors")
        if not len(hashes):
            return 0
        if vectors.ndim != 2 or vectors.shape[1] != self._vectors.dim:
            return len(hashes)
        good = usable(vectors)
        self._asked_up_to = max(hashes)
        with self._failing:
            self._append(hashes, vectors, good.tolist())
        self._changed = True
        return len(hashes) - int(good.sum())

    def optimize(self) -> None:
        """Merge what many batches left apart; called once after a large pass, outside a batch."""
        if self._in_batch:
            raise RuntimeError("optimize() within a batch")
        with self._failing:
            for table in TEXT_TABLES:
                self._connection.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")
            self._connection.execute("PRAGMA optimize")
            self._compact_vectors()
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    # --- files ----------------------------------------------------------------------------

    def _remove(self, path: str) -> int | None:
        """Take a file's rows out and return its id, or None if there is no such file."""
        execute = self._connection.execute
        row = execute("SELECT id, category FROM files WHERE path = ?", (path,)).fetchone()
        if row is None:
            return None
        file_id, category = row
        data, packed, stem, directory = execute(
            "SELECT data, terms, stem, dir FROM bags WHERE file_id = ?", (file_id,)
        ).fetchone()
        bag = decode_bag(data, decode_terms(packed))
        is_prose = category == FileCategory.DOCS
        self._feed.remove(file_id, (stem, directory), field_texts(bag, by_unit=is_prose), prose=is_prose)
        self._vocabulary.subtract({*bag.terms, *stem.split(), *directory.split()})
        first = file_id << ORDINAL_BITS
        for table in ("symbols", "units"):
            execute(f"DELETE FROM {table} WHERE id BETWEEN ? AND ?", (first, first | ORDINALS - 1))
        for table in ("refs", "sources", "bags"):
            execute(f"DELETE FROM {table} WHERE file_id = ?", (file_id,))
        execute("DELETE FROM files WHERE id = ?", (file_id,))
        return int(file_id)

    def _insert(self, file_id: int, rows: FileRows) -> None:
        execute, executemany = self._connection.execute, self._connection.executemany
        execute(_FILE_SQL, (file_id, *rows.file))
        execute("INSERT INTO sources VALUES (?, ?)", (file_id, rows.source))
        execute("INSERT INTO bags VALUES (?, ?, ?, ?, ?)", (file_id, rows.bag, rows.bag_terms, rows.stem, rows.dir))
        first = file_id << ORDINAL_BITS
        executemany(_SYMBOL_SQL, [(first | i, *row) for i, row in enumerate(rows.symbols)])
        executemany(_UNIT_SQL, [(first | i, *row) for i, row in enumerate(rows.units)])
        execute("INSERT INTO refs VALUES (?, ?)", (file_id, rows.references))
        self._feed.add(file_id, (rows.stem, rows.dir), rows.texts, prose=rows.is_prose)
        self._vocabulary.update(rows.vocabulary)

    def _finish(self, vectors_before: VectorState) -> None:
        """Write what was held back; the last thing before a commit."""
        self._feed.flush()
        changes = sorted((term, count) for term, count in self._vocabulary.items() if count)
        self._connection.executemany(
            "INSERT INTO vocabulary VALUES (?, ?) ON CONFLICT (term) DO UPDATE SET files = files + excluded.files",
            changes,
        )
        self._connection.executemany(
            "DELETE FROM vocabulary WHERE term = ? AND files <= 0", [(term,) for term, count in changes if count < 0]
        )
        if self._touched:
            self._connection.execute("UPDATE enrichments SET behind = behind + ?", (self._touched,))
        if self._vectors != vectors_before:
            write_meta(self._connection, vector_meta(self._vectors))
        if self._changed:
            write_meta(self._connection, {GENERATION: read_generation(self._connection) + 1})

    def _need_batch(self) -> None:
        if not self._in_batch:
            raise RuntimeError("changes need an open batch()")

    # --- vectors --------------------------------------------------------------------------

    def _append(self, hashes: Sequence[bytes], vectors: FloatArray, good: Sequence[bool]) -> None:
        execute = self._connection.execute
        chosen: list[int] = []
        for i, text_hash in enumerate(hashes):
            row = self._vectors.rows + len(chosen) if good[i] else None
            added = execute("INSERT OR IGNORE INTO vectors VALUES (?, ?)", (text_hash, row)).rowcount
            if added and good[i]:
                chosen.append(i)
        if chosen:
            rows = quantise(np.asarray(vectors, np.float32)[chosen])
            self._vectors = append_rows(self._folder, self._vectors, rows)

    def _compact_vectors(self) -> None:
        """Write the vector file anew when too many of its rows belong to no unit."""
        execute = self._connection.execute
        live = execute(f"SELECT count(*) FROM vectors WHERE row IS NOT NULL AND {_USED_SQL}").fetchone()[0]
        old = self._vectors
        if old.rows - live <= DEAD_VECTORS_SHARE * old.rows:
            return
        with self.batch():
            execute(f"DELETE FROM vectors WHERE NOT {_USED_SQL}")
            kept = execute("SELECT row, text_hash FROM vectors WHERE row IS NOT NULL ORDER BY row").fetchall()
            new = create_vectors(self._folder, old.number + 1, old.dim)
            rows = map_rows(self._folder, old)[[row for row, _ in kept]]
            self._vectors = append_rows(self._folder, new, rows)
            self._connection.executemany(
                "UPDATE vectors SET row = ? WHERE text_hash = ?",
                [(i, text_hash) for i, (_, text_hash) in enumerate(kept)],
            )
        # The one before stays: a reader of the state before this commit may not have mapped it yet.
        remove_files(self._folder, keep_from=old.number)
