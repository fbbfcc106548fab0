"""Plain stand-ins for the parts behind a protocol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from math import log
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gortex_py.errors import EmbeddingFailed, NotFound
from gortex_py.protocols import (
    Enrichment,
    FileFacts,
    FileMentions,
    NamedSymbol,
    StoredReference,
    StoredSymbol,
    StoreStats,
)
from gortex_py.text.tokens import squash, term_key, text_terms
from gortex_py.types import (
    FIELD_COUNT,
    AnalyzedFile,
    Bag,
    Corpus,
    Field,
    FileCategory,
    FileStat,
    FloatArray,
    IntArray,
    PackedFile,
    Reference,
    Skipped,
    SourceFile,
    Symbol,
    SymbolId,
    Unit,
)

T = TypeVar("T")
K1, B = 1.2, 0.75
Row = tuple[int, int]  # file id, unit ordinal; -1 for the whole file


class MemoryStore:
    """StoreReader and StoreWriter in dictionaries: what SqliteStore must answer, computed the long way."""

    def __init__(self, dim: int = 4) -> None:
        self.dim = dim
        self.files: dict[int, AnalyzedFile] = {}
        self.vectors: dict[bytes, FloatArray | None] = {}
        self._skipped: list[Skipped] = []
        self._generation = 0
        self._changed = False
        self._next_id = 1
        self._verified_at_ns = 0
        self._enrichments: dict[str, Enrichment] = {}

    def close(self) -> None:
        pass

    @contextmanager
    def session(self) -> Iterator[None]:
        yield

    @contextmanager
    def batch(self) -> Iterator[None]:
        before = copy(self.files), copy(self.vectors), self._skipped
        self._changed, self._next_id = False, max(self.files, default=0) + 1
        try:
            yield
        except BaseException:
            self.files, self.vectors, self._skipped = before
            raise
        self._generation += self._changed

    # --- writing --------------------------------------------------------------------------

    @staticmethod
    def pack(analyzed: AnalyzedFile) -> PackedFile:
        return PackedFile(analyzed.file, analyzed.degraded, tuple(u.text_hash for u in analyzed.units), analyzed)

    def replace_file(self, file: PackedFile) -> None:
        file_id = self.file_id(file.file.path)
        if file_id is None:
            file_id, self._next_id = self._next_id, self._next_id + 1
        self.files[file_id] = file.rows
        self._changed = True

    def delete_files(self, paths: Sequence[str]) -> None:
        for path in paths:
            file_id = self.file_id(path)
            if file_id is not None:
                del self.files[file_id]
                self._changed = True

    def touch_files(self, stats: Sequence[FileStat]) -> None:
        for stat in stats:
            file_id = self.file_id(stat.path)
            if file_id is not None:
                file = replace(self.files[file_id].file, size_bytes=stat.size_bytes, mtime_ns=stat.mtime_ns)
                self.files[file_id] = replace(self.files[file_id], file=file)

    def put_enrichment(self, name: str, enrichment: Enrichment) -> None:
        self._enrichments[name] = enrichment
        self._changed = True

    def set_verified(self, began_ns: int) -> None:
        self._verified_at_ns = began_ns

    def verified_at_ns(self) -> int:
        return self._verified_at_ns

    def without_vectors(self, hashes: Sequence[bytes]) -> list[bytes]:
        return [text_hash for text_hash in dict.fromkeys(hashes) if text_hash not in self.vectors]

    def files_with_kinds(self, kinds: Collection[str]) -> IntArray:
        found = {stored.file_id for stored in self._symbols() if stored.symbol.kind in kinds}
        return np.array(sorted(found), np.int64)

    def set_skipped(self, skipped: Sequence[Skipped]) -> None:
        self._skipped = sorted(skipped, key=lambda entry: entry.path)

    def missing_vectors(self, limit: int) -> list[bytes]:
        wanted = {unit.text_hash for file in self.files.values() for unit in file.units}
        return sorted(wanted - set(self.vectors))[:limit]

    def add_vectors(self, hashes: Sequence[bytes], vectors: FloatArray) -> int:
        if vectors.shape[1] != self.dim:
            return len(hashes)
        dropped = 0
        for text_hash, vector in zip(hashes, vectors, strict=True):
            good = bool(np.isfinite(vector).all() and vector.any())
            self.vectors.setdefault(text_hash, vector / np.linalg.norm(vector) if good else None)
            dropped += not good
        self._changed |= len(hashes) > 0
        return dropped

    def optimize(self) -> None:
        pass

    # --- reading --------------------------------------------------------------------------

    @property
    def generation(self) -> int:
        return self._generation

    def stats(self) -> StoreStats:
        return StoreStats(
            files=len(self.files),
            symbols=sum(len(file.symbols) for file in self.files.values()),
            units=sum(len(file.units) for file in self.files.values()),
            vectors=sum(vector is not None for vector in self.vectors.values()),
            generation=self._generation,
            database_bytes=0,
            vector_bytes=0,
        )

    def file_facts(self) -> FileFacts:
        files = [self.files[file_id] for file_id in sorted(self.files)]
        return FileFacts(
            ids=np.array(sorted(self.files), np.int64),
            paths=tuple(file.file.path for file in files),
            languages=tuple(file.file.language for file in files),
            categories=tuple(file.file.category.value for file in files),
            lines=np.array([file.line_count for file in files], np.int64),
            units=np.array([len(file.units) for file in files], np.int64),
            lengths=np.array([file.bag.lengths.sum(axis=0) for file in files], np.int64).reshape(-1, FIELD_COUNT),
        )

    def search_files(self, terms: Sequence[str], weights: Mapping[str, float]) -> tuple[IntArray, NDArray[np.float64]]:
        scores = self._bm25(terms, weights, self._file_words)
        ids = sorted(scores)
        return np.array([row[0] for row in ids], np.int64), np.array([scores[row] for row in ids], np.float64)

    def search_sections(
        self, terms: Sequence[str], weights: Mapping[str, float], limit: int
    ) -> tuple[IntArray, IntArray, NDArray[np.float64]]:
        scores = self._bm25(terms, weights, self._section_words)
        rows = sorted(scores, key=lambda row: (-scores[row], row))[:limit]
        return (
            np.array([row[0] for row in rows], np.int64),
            np.array([row[1] for row in rows], np.int64),
            np.array([scores[row] for row in rows], np.float64),
        )

    def document_frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        frequencies = self._frequencies()
        return {term: frequencies[term] for term in terms if term in frequencies}

    def terms_with_prefix(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        found = [(term, files) for term, files in self._frequencies().items() if term.startswith(prefix)]
        return sorted(found, key=lambda entry: (-entry[1], entry[0]))[:limit]

    def bags(self, file_ids: Sequence[int], *, with_terms: bool = False) -> list[Bag]:
        return [self._file(file_id).bag for file_id in file_ids]

    def units(self, file_ids: Sequence[int]) -> list[tuple[Unit, ...]]:
        return [self._file(file_id).units for file_id in file_ids]

    def file_symbols(self, file_ids: Sequence[int]) -> list[tuple[Symbol, ...]]:
        return [self._file(file_id).symbols for file_id in file_ids]

    def file_references(self, file_ids: Sequence[int]) -> list[tuple[StoredReference, ...]]:
        return [_grouped(self._file(file_id).references) for file_id in file_ids]

    def mentions(self) -> Iterator[FileMentions]:
        for file_id in sorted(self.files):
            said = self.files[file_id].references
            names, kinds = [reference.name for reference in said], [reference.kind.value for reference in said]
            spelled = [reference.spelled for reference in said if reference.spelled]
            yield FileMentions(file_id, names, range(len(said)), kinds, [1] * len(said), spelled)

    def defined_names(self, kinds: Collection[str]) -> tuple[IntArray, list[str]]:
        pairs = sorted({(each.file_id, each.symbol.name) for each in self._symbols() if each.symbol.kind in kinds})
        return np.array([file_id for file_id, _ in pairs], np.int64), [name for _, name in pairs]

    def units_at(self, places: Sequence[tuple[int, int]]) -> list[Unit]:
        return [self._file(file_id).units[ordinal] for file_id, ordinal in places]

    def symbols_at(self, places: Sequence[tuple[int, int]]) -> list[Symbol]:
        return [self._file(file_id).symbols[ordinal] for file_id, ordinal in places]

    def symbols_named(self, names: Iterable[str], *, limit: int = 1000) -> list[NamedSymbol]:
        wanted = set(names)
        return [named for named in map(self._named, self._symbols()) if named.name in wanted][:limit]

    def symbols_squashed(self, squashed: Iterable[str], *, limit: int = 1000) -> list[NamedSymbol]:
        wanted = set(squashed)
        return [named for named in map(self._named, self._symbols()) if named.squashed in wanted][:limit]

    def symbol_names(self, limit: int) -> list[str]:
        return sorted({stored.symbol.name for stored in self._symbols()})[:limit]

    def symbol(self, symbol_id: SymbolId) -> StoredSymbol | None:
        return next((stored for stored in self._symbols() if stored.symbol.id == symbol_id), None)

    def file_id(self, path: str) -> int | None:
        return next((file_id for file_id, file in self.files.items() if file.file.path == path), None)

    def lines(self, file_id: int, first: int, last: int) -> Sequence[str]:
        return self.text(file_id).split("\n")[first - 1 : last]

    def text(self, file_id: int) -> str:
        return self._file(file_id).text

    def search_vectors(self, vector: FloatArray, corpus: Corpus, limit: int) -> tuple[IntArray, IntArray, FloatArray]:
        rows: list[tuple[float, int, int]] = []
        for file_id, file in self.files.items():
            is_docs = file.file.category is FileCategory.DOCS
            if corpus is Corpus.ALL or is_docs == (corpus is Corpus.DOCS):
                for ordinal, cosine in enumerate(self._cosines(file, vector)):
                    if self.vectors.get(file.units[ordinal].text_hash) is not None:
                        rows.append((-cosine, file_id, ordinal))
        rows = sorted(rows)[:limit]
        return (
            np.array([file_id for _, file_id, _ in rows], np.int64),
            np.array([ordinal for _, _, ordinal in rows], np.int64),
            np.array([-negative for negative, _, _ in rows], np.float32),
        )

    def unit_cosines(self, file_ids: Sequence[int], vector: FloatArray) -> list[FloatArray]:
        return [np.array(self._cosines(self.files[file_id], vector), np.float32) for file_id in file_ids]

    def enrichment(self, name: str) -> Enrichment | None:
        return self._enrichments.get(name)

    def enriched(self, name: str, decode: Callable[[bytes], T]) -> T | None:
        found = self._enrichments.get(name)
        return None if found is None else decode(found.data)

    def skipped(self) -> list[Skipped]:
        return list(self._skipped)

    def digests(self) -> Mapping[str, SourceFile]:
        return {file.file.path: file.file for file in self.files.values()}

    def file_digests(self, paths: Iterable[str], *, digests: Iterable[str] = ()) -> list[tuple[str, str]]:
        by_path, by_digest = set(paths), set(digests)
        known = [(file.file.path, file.file.digest) for file in self.files.values()]
        return sorted((p, d) for p, d in known if p in by_path or d in by_digest)

    # --- the long way ---------------------------------------------------------------------

    def _file(self, file_id: int) -> AnalyzedFile:
        if file_id not in self.files:
            raise NotFound(f"no file has the id {file_id}")
        return self.files[file_id]

    def _named(self, stored: StoredSymbol) -> NamedSymbol:
        symbol = stored.symbol
        unit = self._file(stored.file_id).symbol_units[stored.ordinal]
        names = (symbol.name, squash(symbol.name), symbol.qualified_name)
        return NamedSymbol(stored.file_id, stored.ordinal, unit, symbol.kind, *names)

    def _symbols(self) -> Iterator[StoredSymbol]:
        for file_id in sorted(self.files):
            for ordinal, symbol in enumerate(self.files[file_id].symbols):
                yield StoredSymbol(symbol, file_id, ordinal)

    def _frequencies(self) -> Counter[str]:
        held: Counter[str] = Counter()
        for file in self.files.values():
            stem, directory = _path_words(file.file.path)
            held.update({*file.bag.terms, *stem, *directory})
        return held

    def _cosines(self, file: AnalyzedFile, vector: FloatArray) -> list[float]:
        unit = vector / np.linalg.norm(vector)
        found = [self.vectors.get(each.text_hash) for each in file.units]
        return [0.0 if stored is None else float(stored @ unit) for stored in found]

    def _file_words(self, field: str) -> dict[Row, list[str]]:
        if field in ("stem", "dir"):
            return {(i, -1): _path_words(f.file.path)[field == "dir"] for i, f in self.files.items()}
        words: dict[Row, list[str]] = {}
        for file_id, file in self.files.items():
            for (_, in_field), counted in _bag_words(file.bag).items():
                if in_field == Field[field.upper()]:
                    words.setdefault((file_id, -1), []).extend(counted)
        return words

    def _section_words(self, field: str) -> dict[Row, list[str]]:
        words: dict[Row, list[str]] = {}
        for file_id, file in self.files.items():
            if file.file.category is FileCategory.DOCS:
                for (ordinal, in_field), counted in _bag_words(file.bag).items():
                    if field == ("title" if in_field is Field.NAME else "prose"):
                        words.setdefault((file_id, ordinal), []).extend(counted)
        return words

    def _bm25(self, terms: Sequence[str], weights: Mapping[str, float], words_of: object) -> dict[Row, float]:
        assert callable(words_of)
        total: dict[Row, float] = {}
        for field, weight in weights.items():
            words = {row: Counter(texts) for row, texts in words_of(field).items() if texts}
            if not words or not weight:
                continue
            average = sum(counts.total() for counts in words.values()) / len(words)
            for term in dict.fromkeys(terms):
                holders = [row for row, counts in words.items() if counts[term]]
                idf = max(1e-6, log((len(words) - len(holders) + 0.5) / (len(holders) + 0.5)))
                for row in holders:
                    tf, length = words[row][term], words[row].total()
                    score = idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * length / average))
                    total[row] = total.get(row, 0.0) + weight * score
        return total


def _path_words(path: str) -> tuple[list[str], list[str]]:
    directory, _, name = path.rpartition("/")
    stem = name.rpartition(".")[0] or name
    return text_terms(stem), text_terms(directory)


def _bag_words(bag: Bag) -> dict[tuple[int, Field], list[str]]:
    words: dict[tuple[int, Field], list[str]] = {}
    for i, term in enumerate(bag.terms):
        for entry in range(bag.indptr[i], bag.indptr[i + 1]):
            key = int(bag.units[entry]), Field(int(bag.fields[entry]))
            words.setdefault(key, []).extend([term] * int(bag.counts[entry]))
    return words


def _grouped(references: Sequence[Reference]) -> tuple[StoredReference, ...]:
    groups: dict[tuple[int | None, str, str, str], list[Reference]] = {}
    for reference in references:
        groups.setdefault((reference.symbol, reference.name, reference.kind.value, reference.spelled), []).append(
            reference
        )
    return tuple(StoredReference(group[0], len(group)) for group in groups.values())


class HashEmbedder:
    """An embedder whose vectors depend on a text's words alone; it counts, and fails when told to."""

    def __init__(self, dim: int = 8, *, seed: int = 0) -> None:
        self.name = "hash"
        self.dim = dim
        self.fingerprint = f"hash-{dim}-{seed}"
        self.seed = seed
        self.embedded: list[str] = []
        self.fails = False

    def embed(self, texts: Sequence[str], /) -> FloatArray:
        if self.fails:
            raise EmbeddingFailed("the provider is away")
        self.embedded.extend(texts)
        out = np.zeros((len(texts), self.dim), np.float32)
        for i, text in enumerate(texts):
            for term in text_terms(text):
                out[i, (term_key(term) + self.seed) % self.dim] += 1
        norms = np.linalg.norm(out, axis=1, keepdims=True)
        vectors: FloatArray = np.divide(out, norms, out=out, where=norms > 0)
        return vectors
