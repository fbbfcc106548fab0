"""Gather the files worth a closer look, from three channels: text, vectors, exact names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gortex_py.protocols import FileFacts, NamedSymbol, StoreReader
from gortex_py.query.words import QueryWords
from gortex_py.rank.evidence import Question
from gortex_py.rank.fuse import fuse_rankings
from gortex_py.rank.signals.path import asks_for
from gortex_py.text.tokens import squash
from gortex_py.types import Corpus, FileCategory, FloatArray, IntArray

# Of files that fuse well, this many are looked at closely. Twice as many cost twice the time and
# find nothing more on either benchmark; 100 begin to lose on real history.
HEAD = 128
VECTOR_UNITS = 400
MAX_NAMED = 1_000
# A word with more definitions than this is no name that anybody asks for by itself.
TELLING_DEFINITIONS = 20
# Words that spell a name together ("parse config" for parse_config); longer runs are sentences.
MAX_SPELLED_WORDS = 10

FIELD_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"stem": 1.5, "dir": 0.6, "name": 1.0, "scope": 0.3, "signature": 0.5, "doc": 0.8, "body": 1.0}
)
# The best section of a document counts beside the whole of it.
SECTION_WEIGHTS: Mapping[str, float] = MappingProxyType({"title": 1.5, "prose": 1.0})
MAX_SECTIONS = 1_000
# Variants find files that say it in other words; they must not crowd out those that say it. A file that
# says so all through says so in a name, too, and bodies are what costs time.
VARIANT_SHARE = 0.4
VARIANT_FIELD_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {field: FIELD_WEIGHTS[field] for field in ("stem", "name", "doc")}
)

# What is seldom the answer must not fill the head before the signals have weighed it.
CATEGORY_FACTOR: Mapping[str, float] = MappingProxyType(
    {
        FileCategory.SOURCE: 1.0,
        FileCategory.GENERATED: 0.8,
        FileCategory.VENDORED: 0.6,
        FileCategory.EXAMPLE: 0.6,
        FileCategory.TEST: 0.5,
        FileCategory.CONFIG: 0.6,
        FileCategory.DOCS: 0.6,
    }
)


@dataclass(frozen=True, slots=True)
class Named:
    """Symbols whose name the query says, by looked-for word; -1 is the query as a whole."""

    by_word: Mapping[int, tuple[NamedSymbol, ...]]

    def certain_files(self) -> IntArray:
        """Return the files that must be looked at: those that define the whole query or a telling word of it."""
        telling = [
            {symbol.file_id for symbol in symbols}
            for word, symbols in self.by_word.items()
            if word < 0 or len(symbols) <= TELLING_DEFINITIONS
        ]
        return np.array(sorted(set().union(*telling)), np.int64)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Files for a closer look."""

    file_ids: IntArray  # (n,) ascending
    rows: IntArray  # (n,) their rows in the repository's FileFacts
    blocks: IntArray  # (n,) 0 for the first HEAD files, 1 for the next HEAD, and so on
    matched: int  # files that any channel found, before the cut

    def divided(self) -> Iterator[Candidates]:
        """Yield each block by itself, in order."""
        for block in np.unique(self.blocks):
            chosen = self.blocks == block
            yield Candidates(self.file_ids[chosen], self.rows[chosen], self.blocks[chosen], self.matched)


def find_named(words: QueryWords, reader: StoreReader) -> Named:
    """Return the symbols that the query names, in any spelling."""
    wanted: dict[str, list[int]] = {}
    for ordinal, word in enumerate(words.words):
        wanted.setdefault(squash(word.text), []).append(ordinal)
    if words.name:
        wanted.setdefault(squash(words.name[-1]), []).append(-1)
    spelled = spelled_names(words)
    for ending in spelled:
        wanted.setdefault(ending, []).append(-1)
    wanted.pop("", None)
    found: dict[int, dict[tuple[int, int], NamedSymbol]] = {}
    exact = reader.symbols_named({words.name[-1]}, limit=MAX_NAMED) if words.name else []
    for stored in (*exact, *reader.symbols_squashed(wanted, limit=MAX_NAMED)):
        for ordinal in wanted.get(stored.squashed, ()):
            if ordinal >= 0 or stored.squashed not in spelled or _is_spelled(stored, spelled[0]):
                found.setdefault(ordinal, {})[stored.file_id, stored.ordinal] = stored
    return Named({ordinal: tuple(symbols.values()) for ordinal, symbols in found.items()})


def spelled_names(words: QueryWords) -> tuple[str, ...]:
    """Return what a few words may spell together: a name, or one qualified by the words before it; the whole first."""
    if not 1 <= len(words.typed) <= MAX_SPELLED_WORDS:
        return ()
    parts = [squash(word) for word in words.typed]
    # A name as it is written says itself where its qualifier ends.
    return tuple("".join(parts[start:]) for start in range(1 if words.name else len(parts)))


def _is_spelled(stored: NamedSymbol, whole: str) -> bool:
    """Tell whether words spell a symbol's name, or its end with all that they say before it."""
    return stored.squashed == whole or (
        len(stored.qualified_name) >= len(whole) and squash(stored.qualified_name).endswith(whole)
    )


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to look, and how widely."""

    allowed: NDArray[np.bool_]  # (files,) rows of the repository's FileFacts that pass the filters
    corpus: Corpus
    vector: FloatArray | None  # (dim,) the query's vector; None without the vector channel
    alpha: float  # the vector channel's share in [0, 1]
    path: str  # the path that the whole query is, or ""
    head: int  # how many files to look at closely
    learned: tuple[str, ...] = ()  # paths that were opened after this very query before


def gather(question: Question, named: Named, scope: Scope, reader: StoreReader) -> Candidates:
    """Return the best files of all channels, fused by the query's shape; named files are never cut.

    They come in whole blocks, and a block is the same whatever page is asked for: so pages deep
    in a long answer neither repeat a file nor lose one.
    """
    allowed, wanted = scope.allowed, -(-scope.head // HEAD) * HEAD
    facts = reader.file_facts()
    scores = _text_scores(question, scope, reader)
    text = _best_first(np.where(allowed, scores, 0.0), facts, wanted)
    vector_rows: list[int] = []
    if scope.vector is not None:
        ids, _, cosines = reader.search_vectors(scope.vector, scope.corpus, VECTOR_UNITS)
        rows = np.searchsorted(facts.ids, ids)
        ranked_rows = _ordered(rows, cosines, facts)
        vector_rows = [row for row in dict.fromkeys(ranked_rows) if allowed[row]]
    # By path, so that a tie does not hang on which file was indexed first.
    by_path = {facts.paths[row]: row for row in (*text[:HEAD], *vector_rows)}
    text_paths, vector_paths = ([facts.paths[row] for row in rows] for rows in (text[:HEAD], vector_rows))
    fused = [by_path[path] for path in fuse_rankings(text_paths, vector_paths, scope.alpha)]
    ranked = list(dict.fromkeys((*fused, *text[HEAD:])))[:wanted]
    asked_for = np.array(rows_with_path(scope.path, facts) if scope.path else [], np.int64)
    named_rows = np.searchsorted(facts.ids, named.certain_files())
    certain = [*_best_named(named_rows[allowed[named_rows]], scores, facts), *asked_for[allowed[asked_for]].tolist()]
    learned = [reader.file_id(path) for path in scope.learned]
    learned_rows = np.searchsorted(facts.ids, [file_id for file_id in learned if file_id is not None])
    certain += learned_rows[allowed[learned_rows]].tolist()
    block = {row: place // HEAD for place, row in enumerate(ranked)} | dict.fromkeys(certain, 0)
    found = (scores > 0) & allowed
    found[[*vector_rows, *certain]] = True
    rows = np.array(sorted(block), np.int64)
    blocks = np.array([block[row] for row in rows.tolist()], np.int64)
    return Candidates(facts.ids[rows], rows, blocks, int(np.count_nonzero(found)))


def _text_scores(question: Question, scope: Scope, reader: StoreReader) -> NDArray[np.float64]:
    """Return (files,) summed per-field BM25, weighed down where the category is seldom the answer."""
    facts = reader.file_facts()
    scores = np.zeros(len(facts.ids))
    originals = [group.term for group in question.groups if group.idf > 0]
    variants = {term for group in question.groups for term, _ in group.variants[1:]}
    channels = ((originals, FIELD_WEIGHTS, 1.0), (sorted(variants), VARIANT_FIELD_WEIGHTS, VARIANT_SHARE))
    for terms, fields, share in channels:
        if terms:
            ids, values = reader.search_files(terms, fields)
            scores[np.searchsorted(facts.ids, ids)] += share * values
            if scope.corpus is not Corpus.CODE:
                scores += share * _section_scores(terms, reader)
    factors = {
        category: 1.0
        if asks_for(question.all_words, FileCategory(category))
        or (category == FileCategory.DOCS and scope.corpus is not Corpus.CODE)
        else factor
        for category, factor in CATEGORY_FACTOR.items()
    }
    weighed: NDArray[np.float64] = scores * np.array([factors[category] for category in facts.categories])
    return weighed


def _section_scores(terms: Sequence[str], reader: StoreReader) -> NDArray[np.float64]:
    """Return (files,) the score of the best section of each document."""
    facts = reader.file_facts()
    best = np.zeros(len(facts.ids))
    ids, _, values = reader.search_sections(terms, SECTION_WEIGHTS, MAX_SECTIONS)
    np.maximum.at(best, np.searchsorted(facts.ids, ids), values)
    return best


def _best_first(scores: NDArray[np.float64], facts: FileFacts, limit: int) -> list[int]:
    """Return the rows of the largest positive scores, best first."""
    rows = np.flatnonzero(scores > 0)
    if len(rows) > limit:
        kept = np.partition(scores[rows], len(rows) - limit)[len(rows) - limit]
        rows = rows[scores[rows] >= kept]
    return _ordered(rows, scores[rows], facts)[:limit]


def _best_named(rows: IntArray, scores: NDArray[np.float64], facts: FileFacts) -> list[int]:
    """Return the files that define a named symbol; only beyond the head's size do the weakest go."""
    return _ordered(rows, scores[rows], facts)[:HEAD]


def _ordered(rows: IntArray, scores: NDArray[np.floating[Any]], facts: FileFacts) -> list[int]:
    """Return rows best first; ties by path, since a row's number tells of the index's history."""
    pairs = zip((-scores).tolist(), rows.tolist(), strict=True)
    return [row for _, _, row in sorted((score, facts.paths[row], row) for score, row in pairs)]


def rows_with_path(wanted: str, facts: FileFacts) -> list[int]:
    """Return the rows of files whose path is, or ends in, the wanted one."""
    return [row for row, path in enumerate(facts.paths) if path == wanted or path.endswith("/" + wanted)]
