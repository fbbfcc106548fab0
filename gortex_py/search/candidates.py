"""Gather the files worth a closer look, from three channels: text, vectors, exact names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from gortex_py.protocols import FileFacts, NamedSymbol, StoreReader
from gortex_py.query.words import QueryWords
from gortex_py.rank.evidence import Question
from gortex_py.rank.fuse import fuse_rankings
from gortex_py.rank.signals.path import asks_for
from gortex_py.text.tokens import squash
from gortex_py.types import Corpus, FileCategory, FloatArray, IntArray

# Of files that fuse well, this many are looked at closely: on queries from real history, 0.975 of
# the right files are among the first 200.
HEAD = 250
VECTOR_UNITS = 400
MAX_NAMED = 1_000
# A word with more definitions than this is no name that anybody asks for by itself.
TELLING_DEFINITIONS = 20
# Words that spell a name together ("parse config" for parse_config); longer runs are sentences.
MAX_SPELLED_WORDS = 4

FIELD_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"stem": 1.5, "dir": 0.6, "name": 1.0, "scope": 0.3, "signature": 0.5, "doc": 0.8, "body": 1.0}
)
# The best section of a document counts beside the whole of it.
SECTION_WEIGHTS: Mapping[str, float] = MappingProxyType({"title": 1.5, "prose": 1.0})
MAX_SECTIONS = 1_000
# Variants find files that say it in other words; they must not crowd out those that say it.
VARIANT_SHARE = 0.4

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


def find_named(words: QueryWords, reader: StoreReader) -> Named:
    """Return the symbols that the query names, in any spelling."""
    wanted: dict[str, list[int]] = {}
    for ordinal, word in enumerate(words.words):
        wanted.setdefault(squash(word.text), []).append(ordinal)
    if words.name:
        wanted.setdefault(squash(words.name[-1]), []).append(-1)
    if 1 <= len(words.words) <= MAX_SPELLED_WORDS:
        wanted.setdefault("".join(squash(word.text) for word in words.words), []).append(-1)
    wanted.pop("", None)
    found: dict[int, dict[tuple[int, int], NamedSymbol]] = {}
    exact = reader.symbols_named({words.name[-1]}, limit=MAX_NAMED) if words.name else []
    for stored in (*exact, *reader.symbols_squashed(wanted, limit=MAX_NAMED)):
        for ordinal in wanted.get(stored.squashed, ()):
            found.setdefault(ordinal, {})[stored.file_id, stored.ordinal] = stored
    return Named({ordinal: tuple(symbols.values()) for ordinal, symbols in found.items()})


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to look, and how widely."""

    allowed: NDArray[np.bool_]  # (files,) rows of the repository's FileFacts that pass the filters
    corpus: Corpus
    vector: FloatArray | None  # (dim,) the query's vector; None without the vector channel
    alpha: float  # the vector channel's share in [0, 1]
    path: str  # the path that the whole query is, or ""


def gather(question: Question, named: Named, scope: Scope, reader: StoreReader) -> tuple[Candidates, ...]:
    """Return the best files of all channels, fused by the query's shape; named files are never cut.

    Who pages beyond the head gets the rest in further blocks of its size. Where one ends does not
    depend on the page, or a page would repeat what another had shown.
    """
    allowed = scope.allowed
    facts = reader.file_facts()
    scores = _text_scores(question, scope, reader)
    all_text = _best_first(np.where(allowed, scores, 0.0), facts)
    text = all_text[:HEAD].tolist()
    vector_rows: list[int] = []
    if scope.vector is not None:
        ids, _, _ = reader.search_vectors(scope.vector, scope.corpus, VECTOR_UNITS)
        rows = np.searchsorted(facts.ids, ids)
        vector_rows = [row for row in dict.fromkeys(rows.tolist()) if allowed[row]]
    fused = fuse_rankings(text, vector_rows, scope.alpha)
    asked_for = np.array(rows_with_path(scope.path, facts) if scope.path else [], np.int64)
    named_rows = np.searchsorted(facts.ids, named.certain_files())
    forced = _best_named(named_rows[allowed[named_rows]], scores)
    first = np.unique(np.array([*fused[:HEAD], *forced, *asked_for[allowed[asked_for]].tolist()], np.int64))
    rest = np.concatenate([np.array(fused[HEAD:], np.int64), all_text[HEAD:]])
    _, firsts = np.unique(rest, return_index=True)
    rest = rest[np.sort(firsts)]
    rest = rest[~np.isin(rest, first)]
    blocks = [first, *(np.sort(rest[at : at + HEAD]) for at in range(0, len(rest), HEAD))]
    return tuple(Candidates(facts.ids[block], block) for block in blocks)


def _text_scores(question: Question, scope: Scope, reader: StoreReader) -> NDArray[np.float64]:
    """Return (files,) summed per-field BM25, weighed down where the category is seldom the answer."""
    facts = reader.file_facts()
    scores = np.zeros(len(facts.ids))
    originals = [group.term for group in question.groups if group.idf > 0]
    variants = [term for group in question.groups for term, _ in group.variants[1:]]
    for terms, share in ((originals, 1.0), (variants, VARIANT_SHARE)):
        if terms:
            ids, values = reader.search_files(terms, FIELD_WEIGHTS)
            scores[np.searchsorted(facts.ids, ids)] += share * values
            if scope.corpus is not Corpus.CODE:
                scores += share * _section_scores(terms, reader)
    factors = {
        category: 1.0 if asks_for(question.all_words, FileCategory(category)) else factor
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


def _best_first(scores: NDArray[np.float64], facts: FileFacts) -> IntArray:
    """Return the rows of the positive scores, best first; ties by path, as rows depend on an index's history."""
    rows = np.flatnonzero(scores > 0)
    rows = rows[np.argsort(-scores[rows], kind="stable")]
    bounds = np.concatenate([[0], np.flatnonzero(np.diff(scores[rows])) + 1, [len(rows)]])
    for tied in np.flatnonzero(np.diff(bounds) > 1).tolist():
        first, end = bounds[tied], bounds[tied + 1]
        rows[first:end] = sorted(rows[first:end].tolist(), key=facts.paths.__getitem__)
    return rows


def _best_named(rows: IntArray, scores: NDArray[np.float64]) -> Sequence[int]:
    """Return the files that define a named symbol; only beyond the head's size do the weakest go."""
    return rows[np.lexsort((rows, -scores[rows]))][:HEAD].tolist()  # type: ignore[no-any-return]


def rows_with_path(wanted: str, facts: FileFacts) -> list[int]:
    """Return the rows of files whose path is, or ends in, the wanted one."""
    return [row for row, path in enumerate(facts.paths) if path == wanted or path.endswith("/" + wanted)]
