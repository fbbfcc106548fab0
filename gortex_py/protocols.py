"""The seams: what each layer needs of another, without naming an implementation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from gortex_py.types import (
    AnalyzedFile,
    Bag,
    Corpus,
    FileStat,
    FloatArray,
    IntArray,
    PackedFile,
    ParsedFile,
    Reference,
    Skipped,
    SourceFile,
    Symbol,
    SymbolId,
    SymbolKind,
    Unit,
)

T = TypeVar("T")


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """What is really running, e.g. ``static`` or ``local → static fallback``."""

    @property
    def dim(self) -> int: ...

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same text would give another vector (model, weights, options)."""

    def embed(self, texts: Sequence[str], /) -> FloatArray:
        """Return (len(texts), dim) float32, unit rows; a zero row for a text it knows no word of.

        :raises EmbeddingFailed: when the provider cannot answer.
        """


class Parser(Protocol):
    """Finds the symbols of one file."""

    def parse(self, path: str, language: str | None, text: str, /) -> ParsedFile:
        """Never raises for odd input: trouble degrades the file and is named in the result."""


@dataclass(frozen=True, slots=True)
class Learned:
    """A file that was opened after earlier queries, and how much that says for it now."""

    path: str
    lift: float  # in (0, 1]
    is_whole: bool  # opened after this very query, not only after others with its words


class TaskMemory(Protocol):
    """What was opened in one repository after earlier queries. Only read here."""

    def recall(self, query: str, /) -> Sequence[Learned]:
        """Return what speaks for a query, strongest first, each file once.

        :raises NotReady: when another program holds it.
        :raises StoreFailed: when it cannot be read.
        """


# --- the store ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FileFacts:
    """One row a file for the whole repository, as columns; row order is ascending file id."""

    ids: IntArray  # (n,)
    paths: tuple[str, ...]
    languages: tuple[str | None, ...]
    categories: tuple[str, ...]  # FileCategory values
    lines: IntArray  # (n,)
    units: IntArray  # (n,) number of units
    lengths: IntArray  # (n, FIELD_COUNT) terms a field


@dataclass(frozen=True, slots=True)
class StoredSymbol:
    symbol: Symbol
    file_id: int
    ordinal: int  # index in its file's symbols


@dataclass(frozen=True, slots=True)
class StoredReference:
    """All mentions of one name by one symbol in one way."""

    reference: Reference  # its line is that of the first
    count: int


@dataclass(frozen=True, slots=True)
class FileMentions:
    """All names that one file mentions, as columns: what is wanted of every file must be read fast."""

    file_id: int
    names: Sequence[str]
    places: Sequence[int]  # (m,) index in names, of one name mentioned by one symbol in one way
    kinds: Sequence[str]  # (m,) ReferenceKind values
    counts: Sequence[int]  # (m,) how often
    imports: Sequence[str]  # imports as the source spells them, where that is more than a name


@dataclass(frozen=True, slots=True)
class NamedSymbol:
    """What ranking needs of a symbol whose name was asked for."""

    file_id: int
    ordinal: int  # index in its file's symbols
    unit: int  # ordinal of the unit that shows it, -1 for none
    kind: SymbolKind
    name: str
    squashed: str  # text.tokens.squash of the name
    qualified_name: str


@dataclass(frozen=True, slots=True)
class StoreStats:
    files: int
    symbols: int
    units: int
    vectors: int
    generation: int
    database_bytes: int
    vector_bytes: int


@dataclass(frozen=True, slots=True)
class Enrichment:
    """Facts about a whole repository that were made of its files after a pass."""

    inputs: str  # what they were made from beside the files, in its maker's own words
    data: bytes
    behind: int = 0  # files that came, changed or went since


class StoreReader(Protocol):
    """Batch look-ups in one committed state. Not shared between threads."""

    def close(self) -> None: ...

    def session(self) -> AbstractContextManager[None]:
        """Hold one committed state for every look-up inside; nested use is an error."""

    @property
    def generation(self) -> int:
        """Number of the committed state; grows by one with each commit that changes content."""

    def stats(self) -> StoreStats: ...

    def file_facts(self) -> FileFacts:
        """Facts of every file; cached until the generation changes."""

    def search_files(self, terms: Sequence[str], weights: Mapping[str, float]) -> tuple[IntArray, NDArray[np.float64]]:
        """Return (file ids, scores > 0) of every file that holds any term, unordered.

        A score is the sum over the named file fields (``stem dir name scope signature doc
        body``) of weight x BM25 in that field's own table.
        """

    def search_sections(
        self, terms: Sequence[str], weights: Mapping[str, float], limit: int
    ) -> tuple[IntArray, IntArray, NDArray[np.float64]]:
        """Return (file ids, unit ordinals, scores) of prose sections, best first.

        A score is the sum over the named section fields (``title prose``) of weight x BM25 in
        that field's own table.
        """

    def document_frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """Return the number of files that hold each term in any field; absent terms are left out."""

    def terms_with_prefix(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """Return (term, number of files) of the vocabulary's terms with that prefix."""

    def bags(self, file_ids: Sequence[int], *, with_terms: bool = False) -> list[Bag]:
        """Return each file's bag; its ``terms`` stay empty unless asked for, as ranking needs the keys alone."""

    def units(self, file_ids: Sequence[int]) -> list[tuple[Unit, ...]]: ...

    def file_symbols(self, file_ids: Sequence[int]) -> list[tuple[Symbol, ...]]: ...

    def file_references(self, file_ids: Sequence[int]) -> list[tuple[StoredReference, ...]]:
        """Return the names each file mentions. To find who mentions a name, search its terms in ``body`` first."""

    def mentions(self) -> Iterator[FileMentions]:
        """Give what each file mentions, by file id; to be read to its end inside a session."""

    def defined_names(self, kinds: Collection[str]) -> tuple[IntArray, list[str]]:
        """Return (file ids, names) of the symbols of some kinds, each pair once, by file id and name."""

    def units_at(self, places: Sequence[tuple[int, int]]) -> list[Unit]:
        """Return the units at (file id, ordinal), in that order."""

    def symbols_at(self, places: Sequence[tuple[int, int]]) -> list[Symbol]:
        """Return the symbols at (file id, ordinal), in that order."""

    def symbols_named(self, names: Iterable[str], *, limit: int = 1000) -> list[NamedSymbol]:
        """Return the symbols whose name is exactly one of the names."""

    def symbols_squashed(self, squashed: Iterable[str], *, limit: int = 1000) -> list[NamedSymbol]:
        """Return the symbols whose squashed name (text.tokens.squash) is one of these."""

    def symbol_names(self, limit: int) -> list[str]:
        """Return distinct names of the symbols, ascending."""

    def symbol(self, symbol_id: SymbolId) -> StoredSymbol | None: ...

    def files_with_kinds(self, kinds: Collection[str]) -> IntArray:
        """Return the ids of files that define a symbol of any of the kinds, ascending."""

    def file_id(self, path: str) -> int | None: ...

    def lines(self, file_id: int, first: int, last: int) -> Sequence[str]:
        """Return some lines of the file as it was indexed, without their ends: 1-based, ``last`` inclusive."""

    def text(self, file_id: int) -> str:
        """Return the file's text as it was indexed."""

    def search_vectors(self, vector: FloatArray, corpus: Corpus, limit: int) -> tuple[IntArray, IntArray, FloatArray]:
        """Return (file ids, unit ordinals, cosines), best first; empty without vectors."""

    def unit_cosines(self, file_ids: Sequence[int], vector: FloatArray) -> list[FloatArray]:
        """Return the cosine of each unit of each file; 0 where a unit has no vector."""

    def enrichment(self, name: str) -> Enrichment | None:
        """Return what was last stored under a name."""

    def enriched(self, name: str, decode: Callable[[bytes], T]) -> T | None:
        """Return the decoded data of an enrichment; decoded once for all look-ups until it is stored anew."""

    def skipped(self) -> list[Skipped]: ...

    def verified_at_ns(self) -> int:
        """Return the wall-clock time before which no indexed file was last read or verified; 0 when not known."""

    def digests(self) -> Mapping[str, SourceFile]:
        """Return path -> what was indexed of it, for the census."""

    def file_digests(self, paths: Iterable[str], *, digests: Iterable[str] = ()) -> list[tuple[str, str]]:
        """Return (path, digest) by path of the files with one of the paths or one of the digests."""


class StoreWriter(Protocol):
    """The one writer of a repository's database; used from one thread."""

    def batch(self) -> AbstractContextManager[None]:
        """Everything inside becomes visible together, or not at all."""

    def replace_file(self, file: PackedFile) -> None:
        """Put a file's rows in place of what the path had before."""

    def delete_files(self, paths: Sequence[str]) -> None: ...

    def touch_files(self, stats: Sequence[FileStat]) -> None:
        """Record a new size and time for files whose content did not change."""

    def set_skipped(self, skipped: Sequence[Skipped]) -> None:
        """Replace the list of files that are known but not indexed."""

    def set_verified(self, began_ns: int) -> None:
        """Record the wall-clock time at which a whole pass began that has now ended."""

    def put_enrichment(self, name: str, enrichment: Enrichment) -> None:
        """Store whole-repository facts in place of those of that name."""

    def missing_vectors(self, limit: int) -> list[bytes]:
        """Return text hashes of units that have no vector yet."""

    def without_vectors(self, hashes: Sequence[bytes]) -> list[bytes]:
        """Return those of the text hashes for which nothing is stored yet."""

    def add_vectors(self, hashes: Sequence[bytes], vectors: FloatArray) -> int:
        """Store one vector for each text hash; returns how many were dropped as malformed.

        A zero or not finite row is remembered as "has none" and not asked for again. Vectors of
        another width are refused and remain missing.
        """

    def optimize(self) -> None:
        """Merge what many batches left apart; called once after a large pass."""


class IndexStore(Protocol):
    """One repository's index."""

    @property
    def pack(self) -> Callable[[AnalyzedFile], PackedFile]:
        """A function of a module, so that worker processes can be told of it by name."""

    def writer(self) -> StoreWriter:
        """Return the one writer; always the same."""

    def reader(self) -> StoreReader:
        """Return a new reader."""
