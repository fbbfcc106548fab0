"""Batch look-ups in one committed state of a repository's database."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gortex_py.errors import NotFound
from gortex_py.protocols import (
    Enrichment,
    FileFacts,
    FileMentions,
    NamedSymbol,
    StoredReference,
    StoredSymbol,
    StoreStats,
)
from gortex_py.store import fts
from gortex_py.store.bags import decode_bag, decode_terms
from gortex_py.store.cache import StateCache
from gortex_py.store.connection import Failing
from gortex_py.store.enrichment_reader import EnrichmentReader
from gortex_py.store.look_up import json_list, rows_at
from gortex_py.store.meta import VERIFIED, read_generation, read_meta, vector_state
from gortex_py.store.records import FILE_DIGESTS, file_facts_from
from gortex_py.store.references import decode_mentions, decode_references
from gortex_py.store.schema import ORDINAL_BITS, ORDINALS, id_range
from gortex_py.store.symbol_reader import SymbolReader
from gortex_py.store.text_reader import TextReader
from gortex_py.store.vector_reader import VectorReader
from gortex_py.types import (
    Bag,
    Corpus,
    FileCategory,
    FloatArray,
    IntArray,
    Skipped,
    SkipReason,
    SourceFile,
    Span,
    Symbol,
    SymbolId,
    Unit,
)

T = TypeVar("T")

_FILES_WITH_KINDS = f"""
SELECT DISTINCT id >> {ORDINAL_BITS} FROM symbols
WHERE kind IN (SELECT value FROM json_each(?)) ORDER BY 1
"""

# A reader's caches. What queries look at is much the same from one to the next: a repository's
# central files; decoding them is half of a query's time.
BAG_CACHE_BYTES = 16 << 20
MAX_FREQUENCIES = 50_000  # terms


class SqliteReader:
    """StoreReader over SQLite. One thread at a time; each look-up outside a session sees the newest state."""

    def __init__(self, connection: sqlite3.Connection, folder: Path, failing: Failing) -> None:
        self._connection = connection
        self._folder = folder
        self._failing = failing
        self._session_generation: int | None = None
        self._facts: tuple[int, FileFacts] | None = None
        self._vectors = VectorReader(connection, folder)
        self._bags: StateCache[Bag] = StateCache(BAG_CACHE_BYTES)
        self._texts = TextReader(connection)
        self._symbols = SymbolReader(connection)
        self._frequencies: tuple[int, dict[str, int]] = -1, {}  # generation, term -> files
        self._enrichments = EnrichmentReader(connection)

    def close(self) -> None:
        """Let go of the connection and the mapped vectors."""
        self._facts = None
        self._vectors.close()
        self._connection.close()

    @contextmanager
    def session(self) -> Iterator[None]:
        """Hold one committed state for every look-up inside; nested use is an error."""
        if self._session_generation is not None:
            raise RuntimeError("a session is open already")
        with self._transaction() as generation:
            self._session_generation = generation
            try:
                yield
            finally:
                self._session_generation = None

    @contextmanager
    def _state(self) -> Iterator[int]:
        """Hold a state for one look-up unless a session holds one; gives its generation."""
        if self._session_generation is not None:
            with self._failing:
                yield self._session_generation
        else:
            with self._transaction() as generation, self._failing:
                yield generation

    @contextmanager
    def _transaction(self) -> Iterator[int]:
        with self._failing:
            self._connection.execute("BEGIN")
        try:
            with self._failing:
                generation = read_generation(self._connection)  # the first look pins the state
            yield generation
        finally:
            with self._failing:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")  # nothing was written; COMMIT fails on a damaged page

    @property
    def generation(self) -> int:
        """Number of the committed state."""
        with self._state() as generation:
            return generation

    def stats(self) -> StoreStats:
        """Return counts and sizes."""
        with self._state() as generation:
            files, symbols, units = self._connection.execute(
                "SELECT count(*), ifnull(sum(symbols), 0), ifnull(sum(units), 0) FROM files"
            ).fetchone()
            (vectors,) = self._connection.execute("SELECT count(*) FROM vectors WHERE row IS NOT NULL").fetchone()
            (pages,) = self._connection.execute("PRAGMA page_count").fetchone()
            (page_bytes,) = self._connection.execute("PRAGMA page_size").fetchone()
            state = vector_state(read_meta(self._connection))
        return StoreStats(
            files=files,
            symbols=symbols,
            units=units,
            vectors=vectors,
            generation=generation,
            database_bytes=pages * page_bytes,
            vector_bytes=state.size_bytes if state.dim else 0,
        )

    def file_facts(self) -> FileFacts:
        """Return the facts of every file; cached until the generation changes."""
        with self._state() as generation:
            if self._facts is None or self._facts[0] != generation:
                rows = self._connection.execute(
                    "SELECT id, path, language, category, lines, units, "
                    "len_name, len_scope, len_signature, len_doc, len_body FROM files ORDER BY id"
                ).fetchall()
                self._facts = generation, file_facts_from(rows)
            return self._facts[1]

    def verified_at_ns(self) -> int:
        """Return the wall-clock time at which the last whole pass began; 0 before the first."""
        with self._state():
            return int(read_meta(self._connection).get(VERIFIED, 0))

    def digests(self) -> Mapping[str, SourceFile]:
        """Return path -> what was indexed of it, for the census; an empty digest asks for a new analysis."""
        with self._state():
            rows = self._connection.execute("SELECT path, language, category, size_bytes, mtime_ns, digest FROM files")
            return {
                path: SourceFile(path, language, FileCategory(category), size, mtime, digest)
                for path, language, category, size, mtime, digest in rows
            }

    def file_digests(self, paths: Iterable[str], *, digests: Iterable[str] = ()) -> list[tuple[str, str]]:
        """Return (path, digest) of files with one of the paths or, which looks at every file, one of the digests."""
        with self._state():
            return self._connection.execute(FILE_DIGESTS, (json_list(paths), json_list(digests))).fetchall()

    def enrichment(self, name: str) -> Enrichment | None:
        """Return what was last stored under a name."""
        with self._state():
            return self._enrichments.stored(name)

    def enriched(self, name: str, decode: Callable[[bytes], T]) -> T | None:
        """Return the decoded data of an enrichment; decoded once for all look-ups until it is stored anew."""
        with self._state():
            return self._enrichments.decoded(name, decode)

    def skipped(self) -> list[Skipped]:
        """Return the files that are known but not indexed, by path."""
        with self._state():
            rows = self._connection.execute(
                "SELECT path, reason, detail, size_bytes, mtime_ns FROM skipped ORDER BY path"
            )
            return [Skipped(path, SkipReason(reason), *rest) for path, reason, *rest in rows]

    def files_with_kinds(self, kinds: Collection[str]) -> IntArray:
        """Return the ids of files that define a symbol of any of the kinds, ascending."""
        with self._state():
            rows = self._connection.execute(_FILES_WITH_KINDS, (json_list(kinds),))
            return np.array([row[0] for row in rows], np.int64)

    def file_id(self, path: str) -> int | None:
        """Return the id of the file with that path."""
        if not fts.storable(path):
            return None
        with self._state():
            row = self._connection.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
            return None if row is None else int(row[0])

    def lines(self, file_id: int, first: int, last: int) -> list[str]:
        """Return some lines of the file as it was indexed, without their ends: 1-based, ``last`` inclusive.

        :raises NotFound: when there is no such file.
        """
        with self._state() as generation:
            return self._texts.lines(generation, file_id, first, last)

    def text(self, file_id: int) -> str:
        """Return the file's text as it was indexed.

        :raises NotFound: when there is no such file.
        """
        with self._state() as generation:
            return self._texts.text(generation, file_id)

    def search_files(self, terms: Sequence[str], weights: Mapping[str, float]) -> tuple[IntArray, NDArray[np.float64]]:
        """Return (file ids, scores > 0) of every file that holds any term, ascending by id."""
        with self._state():
            return fts.search_tables(self._connection, terms, {f"file_{name}": w for name, w in weights.items()})

    def search_sections(
        self, terms: Sequence[str], weights: Mapping[str, float], limit: int
    ) -> tuple[IntArray, IntArray, NDArray[np.float64]]:
        """Return (file ids, unit ordinals, scores), best first, equal scores by id; all that equal the last."""
        with self._state():
            tables = {f"section_{name}": weight for name, weight in weights.items()}
            ids, scores = fts.search_tables(self._connection, terms, tables)
        order = np.argsort(-scores, kind="stable")
        order = order[scores[order] >= scores[order[:limit]].min(initial=np.inf)]
        return ids[order] >> ORDINAL_BITS, ids[order] & ORDINALS - 1, scores[order]

    def document_frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """Return the number of files that hold each term in any field; absent terms are left out."""
        asked = set(terms)
        with self._state() as generation:
            if self._frequencies[0] != generation or len(self._frequencies[1]) > MAX_FREQUENCIES:
                self._frequencies = generation, {}
            known = self._frequencies[1]
            if unknown := asked - known.keys():
                rows = self._connection.execute(
                    "SELECT term, files FROM json_each(?) AS wanted CROSS JOIN vocabulary ON term = wanted.value",
                    (json_list(unknown),),
                )
                known.update(dict.fromkeys(unknown, 0))
                known.update(rows)
        return {term: known[term] for term in asked if known[term]}

    def terms_with_prefix(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """Return (term, number of files) of the terms with that prefix, most files first, then by term."""
        if not fts.storable(prefix):
            return []
        with self._state():
            rows = self._connection.execute(
                "SELECT term, files FROM vocabulary WHERE term >= ? AND term < ? ORDER BY files DESC, term LIMIT ?",
                (prefix, prefix + "\U0010ffff", limit),
            )
            return rows.fetchall()

    def bags(self, file_ids: Sequence[int], *, with_terms: bool = False) -> list[Bag]:
        """Return each file's bag; its ``terms`` stay empty unless asked for, as ranking needs the keys alone."""
        with self._state() as generation:
            bags = [self._bag(generation, int(file_id)) for file_id in file_ids]
            if not with_terms:
                return bags
            statement = "SELECT terms FROM bags WHERE file_id = ?"
            return [
                replace(bag, terms=decode_terms(*self._row_of_file(statement, file_id)))
                for bag, file_id in zip(bags, file_ids, strict=True)
            ]

    def _bag(self, generation: int, file_id: int) -> Bag:
        bag = self._bags.get(generation, file_id)
        if bag is None:
            (data,) = self._row_of_file("SELECT data FROM bags WHERE file_id = ?", file_id)
            bag = decode_bag(data)
            self._bags.put(generation, file_id, bag, len(data))
        return bag

    def units(self, file_ids: Sequence[int]) -> list[tuple[Unit, ...]]:
        """Return each file's units in order; none for a file that is not there."""
        statement = (
            "SELECT symbol, start_line, end_line, start_byte, end_byte, text_hash FROM units "
            "WHERE id BETWEEN ? AND ? ORDER BY id"
        )
        with self._state():
            return [
                tuple(
                    Unit(symbol, Span(start, end, start_byte, end_byte), text_hash)
                    for symbol, start, end, start_byte, end_byte, text_hash in self._connection.execute(
                        statement, id_range(file_id)
                    )
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
            return self._symbols.defined(kinds)

    def units_at(self, places: Sequence[tuple[int, int]]) -> list[Unit]:
        """Return the units at (file id, ordinal), in that order.

        :raises NotFound: when one is not there.
        """
        statement = (
            "SELECT id, symbol, start_line, end_line, start_byte, end_byte, text_hash FROM units "
            "WHERE id IN (SELECT value FROM json_each(?))"
        )
        with self._state():
            rows = rows_at(self._connection, statement, places)
            return [Unit(symbol, Span(*span), text_hash) for symbol, *span, text_hash in rows]

    def file_symbols(self, file_ids: Sequence[int]) -> list[tuple[Symbol, ...]]:
        """Return each file's symbols in order; none for a file that is not there."""
        with self._state():
            return [self._symbols.of_file(file_id) for file_id in file_ids]

    def symbols_at(self, places: Sequence[tuple[int, int]]) -> list[Symbol]:
        """Return the symbols at (file id, ordinal), in that order.

        :raises NotFound: when one is not there.
        """
        with self._state():
            return self._symbols.at(places)

    def symbols_named(self, names: Iterable[str], *, limit: int = 1000) -> list[NamedSymbol]:
        """Return the symbols whose name is exactly one of the names, by file and ordinal."""
        with self._state():
            return self._symbols.with_column("name", names, limit)

    def symbols_squashed(self, squashed: Iterable[str], *, limit: int = 1000) -> list[NamedSymbol]:
        """Return the symbols whose squashed name is one of these, by file and ordinal."""
        with self._state():
            return self._symbols.with_column("squashed", squashed, limit)

    def symbol_names(self, limit: int) -> list[str]:
        """Return distinct names of the symbols, ascending."""
        with self._state():
            return self._symbols.names(limit)

    def symbol(self, symbol_id: SymbolId) -> StoredSymbol | None:
        """Return the symbol with that id."""
        with self._state():
            return self._symbols.with_id(symbol_id)

    def search_vectors(self, vector: FloatArray, corpus: Corpus, limit: int) -> tuple[IntArray, IntArray, FloatArray]:
        """Return (file ids, unit ordinals, cosines), best first, equal ones by id; empty without vectors."""
        with self._state():
            return self._vectors.search(vector, corpus, limit)

    def unit_cosines(self, file_ids: Sequence[int], vector: FloatArray) -> list[FloatArray]:
        """Return the cosine of each unit of each file; 0 where a unit has no vector."""
        with self._state() as generation:
            return self._vectors.unit_cosines(generation, file_ids, vector)

    def _row_of_file(self, statement: str, file_id: int) -> tuple[bytes, ...]:
        row = self._connection.execute(statement, (int(file_id),)).fetchone()
        if row is None:
            raise NotFound(f"no file has the id {file_id} in this state of the index")
        return tuple(row)
