"""Frozen records that flow down the pipeline. Units stand on the field.

Everywhere in this package: lines are 1-based and inclusive, bytes 0-based and half-open, ranks
1-based, scores higher-is-better, vectors float32 with unit (or zero) rows, paths relative to
the repository with forward slashes, times in the unit of their suffix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float32]
IntArray: TypeAlias = NDArray[np.int64]
SymbolId: TypeAlias = str


# --- what a file is -----------------------------------------------------------------------


class FileCategory(StrEnum):
    """What a file is for; ranking treats each category by its own prior."""

    SOURCE = "source"
    TEST = "test"
    EXAMPLE = "example"
    GENERATED = "generated"
    VENDORED = "vendored"
    DOCS = "docs"
    CONFIG = "config"  # text without a programming language: settings, data, lock files


class SkipReason(StrEnum):
    """Why a file that was seen is not in the index."""

    IGNORED = "ignored"  # counted per rule, never listed file by file
    TOO_LARGE = "too-large"
    BINARY = "binary"
    UNREADABLE = "unreadable"
    NOT_REGULAR = "not-regular"  # FIFO, socket, device
    LINK_OUTSIDE = "link-outside"  # a link whose target lies outside the root
    LINK_LOOP = "link-loop"  # a link to something that is visited anyway
    EMPTY = "empty"
    POISON = "poison"  # it crashed or exhausted a worker; retried when its content changes


@dataclass(frozen=True, slots=True)
class Problem:
    """Soft trouble with one thing; the pass goes on."""

    where: str  # a path or a component
    what: str  # one sentence, no trailing stop


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that is known but not indexed, and why."""

    path: str
    reason: SkipReason
    detail: str  # e.g. the rule and its file, or the size and the cap
    size_bytes: int = 0  # what it was when it was judged by its content; 0 when it was not read
    mtime_ns: int = 0


@dataclass(frozen=True, slots=True)
class FileStat:
    """A file the walk found, before it was read."""

    path: str  # relative to the root
    size_bytes: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that was read."""

    path: str
    language: str | None  # registry name, e.g. "python"; None is text of no known language
    category: FileCategory
    size_bytes: int
    mtime_ns: int
    digest: str  # hex blake2b-128 of the bytes


# --- what a file holds --------------------------------------------------------------------


class SymbolKind(StrEnum):
    """The kind of a definition. PROTOTYPE is a declaration whose body is elsewhere."""

    CLASS = "class"
    STRUCT = "struct"
    INTERFACE = "interface"
    TRAIT = "trait"
    ENUM = "enum"
    TYPE = "type"
    FUNCTION = "function"
    METHOD = "method"
    CONSTRUCTOR = "constructor"
    PROPERTY = "property"
    FIELD = "field"
    VARIABLE = "variable"
    CONSTANT = "constant"
    MACRO = "macro"
    MODULE = "module"
    NAMESPACE = "namespace"
    PROTOTYPE = "prototype"
    KEY = "key"  # a key path of YAML, TOML or JSON
    RULE = "rule"  # a CSS selector
    ELEMENT = "element"  # an HTML element with an id
    TABLE = "table"  # an SQL table or view
    DOC = "doc"  # a prose section


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one file."""

    start_line: int  # 1-based
    end_line: int  # 1-based, inclusive
    start_byte: int = 0  # 0-based, in the file's UTF-8 text
    end_byte: int = 0  # exclusive


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition. Its id is stable while path and qualified name are."""

    id: SymbolId  # "path::qualified.name", "~2" appended to the second of that name, and so on
    kind: SymbolKind
    name: str
    qualified_name: str  # enclosing names and the name, joined with "."
    path: str
    span: Span  # the definition with its decorators, without its leading comment
    signature: str  # the first line(s) up to the body, white space collapsed, at most 300 characters
    doc: str  # leading comment or docstring, markers stripped, at most 2,000 characters
    parent: int | None  # index of the enclosing symbol in ParsedFile.symbols
    name_line: int  # the line on which the name stands


class ReferenceKind(StrEnum):
    CALL = "call"
    IMPORT = "import"
    INHERIT = "inherit"  # base class, implemented interface, mixed-in trait
    USE = "use"  # any other mention of a type or a name


@dataclass(frozen=True, slots=True)
class Reference:
    """A raw mention of a name, before anything is resolved."""

    name: str  # the last part: "bar" of "foo.bar()"
    kind: ReferenceKind
    line: int
    symbol: int | None  # index of the innermost enclosing symbol in ParsedFile.symbols
    spelled: str = ""  # an import as the source spells it, where that is more than the name: "./lib/router.js"


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """What a parser saw in one file; pure data, no tree."""

    symbols: tuple[Symbol, ...]  # by start byte, outer before inner
    references: tuple[Reference, ...]
    comments: tuple[tuple[int, int], ...]  # byte ranges of comments and docstrings, ascending, disjoint
    cuts: Mapping[int, tuple[tuple[int, int], ...]]
    # symbol index -> (line, depth) where a window may begin: a statement, case, field or element
    # starts on that line, depth 0 directly in the body. Only for symbols that are long.
    degraded: str | None = None  # why there are no symbols ("parse timed out"), else None


# --- what is ranked -----------------------------------------------------------------------


class Field(IntEnum):
    """The fields text is ranked by; the value is the index in every per-field array."""

    NAME = 0  # names of the definitions
    SCOPE = 1  # names that enclose them
    SIGNATURE = 2
    DOC = 3  # comments and docstrings
    BODY = 4  # code


FIELD_COUNT = len(Field)


@dataclass(frozen=True, slots=True)
class Unit:
    """Lines that are ranked and shown as one: a definition, a window of a long one, or a gap.

    The units of a file partition its lines: each line's text counts for exactly one unit, the
    innermost definition that holds it. ``span`` is what a hit shows.
    """

    symbol: int | None  # index in the file's symbols; None for a gap between definitions
    span: Span  # reported lines
    text_hash: bytes  # 16 bytes; equal texts are embedded once


@dataclass(frozen=True, slots=True)
class Bag:
    """The term counts of one file, by term, unit and field, and where its terms stand: a small inverted index.

    Term i occupies entries indptr[i]:indptr[i+1] of units, fields and counts, and
    line_indptr[i]:line_indptr[i+1] of lines.
    """

    terms: tuple[str, ...]  # aligned with keys
    keys: NDArray[np.uint64]  # (n,) term_key() of each term, ascending
    indptr: NDArray[np.int32]  # (n + 1,)
    units: NDArray[np.unsignedinteger[Any]]  # (m,) ordinal of the unit, below 65,536
    fields: NDArray[np.uint8]  # (m,) Field
    counts: NDArray[np.unsignedinteger[Any]]  # (m,) saturates at 65,535
    lengths: NDArray[np.integer[Any]]  # (units, FIELD_COUNT) number of terms
    line_indptr: NDArray[np.int32]  # (n + 1,)
    lines: NDArray[np.unsignedinteger[Any]]  # (k,) 1-based, each once a term, ascending within it


@dataclass(frozen=True, slots=True)
class AnalyzedFile:
    """Everything the store keeps of one file; made in a worker, so plain data only."""

    file: SourceFile
    text: str  # decoded, newlines as \n
    line_count: int
    symbols: tuple[Symbol, ...]
    symbol_units: tuple[int, ...]  # aligned with symbols: ordinal of the unit that shows each, -1 for none
    references: tuple[Reference, ...]
    units: tuple[Unit, ...]
    bag: Bag
    degraded: str | None  # why the file is indexed as windows only, else None


@dataclass(frozen=True, slots=True)
class PackedFile:
    """An analyzed file in the form its store writes; made where it was analyzed, since packing costs as much."""

    file: SourceFile
    degraded: str | None
    text_hashes: tuple[bytes, ...]  # of the units, in order
    rows: Any  # the store's own


# --- what is asked and answered -----------------------------------------------------------


class Corpus(StrEnum):
    CODE = "code"
    DOCS = "docs"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Query:
    """A request as it came in."""

    text: str
    corpus: Corpus = Corpus.CODE
    limit: int = 10  # >= 1
    offset: int = 0
    paths: tuple[str, ...] = ()  # globs; any may match
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    explain: bool = False


class QueryClass(StrEnum):
    CONCEPT = "concept"
    SYMBOL = "symbol"
    PATH = "path"
    SIGNATURE = "signature"
    KEYWORD_SOUP = "keyword_soup"


@dataclass(frozen=True, slots=True)
class QueryShape:
    """What was made of a query's text, before the repository is looked at."""

    query_class: QueryClass
    alpha: float  # share of the vector channel in [0, 1]; 0 is all text
    identifier_density: float  # in [0, 1]
    soup_terms: tuple[str, ...] = ()
    advice: QueryAdvice | None = None


@dataclass(frozen=True, slots=True)
class QueryAdvice:
    reason: str
    split_into: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contribution:
    """One signal's share of a score; a hit's contributions sum to its score."""

    signal: str
    raw: float
    weight: float

    @property
    def score(self) -> float:
        return self.raw * self.weight


@dataclass(frozen=True, slots=True)
class HitSpan:
    """A further match in the same file as a hit."""

    start_line: int
    end_line: int
    symbol: str | None
    kind: SymbolKind | None


@dataclass(frozen=True, slots=True)
class Hit:
    """One answered file with its best span."""

    repo: str
    path: str
    start_line: int
    end_line: int
    symbol_id: SymbolId | None
    symbol: str | None
    qualified_name: str | None
    kind: SymbolKind | None
    language: str | None
    category: FileCategory
    score: float
    snippet: str
    highlights: tuple[tuple[int, int], ...]  # character ranges in snippet, half-open
    also: tuple[HitSpan, ...] = ()
    contributions: tuple[Contribution, ...] = ()


class IndexState(StrEnum):
    INDEXING = "indexing"
    READY = "ready"
    EMPTY = "empty"  # a finished pass that indexed nothing
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A whole answer of one repository or of several merged."""

    query: Query
    shape: QueryShape
    hits: tuple[Hit, ...]
    total: int  # files that matched, before offset and limit
    warnings: tuple[str, ...]  # what could not be seen or used
    generation: int
    elapsed_ms: Mapping[str, float] = field(default_factory=dict)  # by stage


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one pass did. A pass that skipped forty files succeeded, and says so."""

    added: int
    changed: int
    deleted: int
    unchanged: int
    degraded: int  # files indexed as windows only
    skipped: Mapping[SkipReason, int]
    embedded: int  # texts that went through the embedder
    dropped_vectors: int
    problems: tuple[Problem, ...]
    elapsed_ms: float


JsonObject: TypeAlias = dict[str, Any]
