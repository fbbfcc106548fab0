"""The read path on one screen: shape, words, channels, fusion, evidence, signals, hits."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import numpy as np

from gortex_py.errors import EmbeddingFailed, NotReady, StoreFailed
from gortex_py.protocols import Embedder, Learned, StoreReader, TaskMemory
from gortex_py.query.shape import ALPHA_LANGUAGE, known_symbol, shape_of
from gortex_py.query.words import QueryWords, read_words
from gortex_py.rank.evidence import Question
from gortex_py.rank.neighbours import with_neighbours
from gortex_py.rank.pipeline import order, order_of_both, score
from gortex_py.rank.profiles import CODE, GRAPH, PROSE
from gortex_py.rank.signals import SIGNALS
from gortex_py.search.candidates import HEAD, Candidates, Named, Scope, find_named, gather
from gortex_py.search.facts import Reading, load_evidence
from gortex_py.search.filters import allowed_rows
from gortex_py.search.options import SearchOptions
from gortex_py.search.present import Ranking, present
from gortex_py.search.question import pose
from gortex_py.text.tokens import identifier_terms
from gortex_py.types import Corpus, FloatArray, Hit, Query, QueryClass, QueryShape, SearchResult

# A file that was chosen for a query and shares no word with it is looked at all the same; few are.
MAX_LEARNED = 3
NOTHING_TO_SEARCH = "The query has no letters or digits, so there is nothing to search for"


class Stopwatch:
    """Milliseconds by stage."""

    def __init__(self) -> None:
        self._last = perf_counter()
        self.elapsed_ms: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        """Give the time since the last lap to a stage."""
        now = perf_counter()
        self.elapsed_ms[stage] = self.elapsed_ms.get(stage, 0.0) + (now - self._last) * 1000
        self._last = now


class Engine:
    """Searches one repository. Not shared between threads: its reader is not."""

    def __init__(
        self,
        repo: str,
        reader: StoreReader,
        embedder: Embedder | None,
        *,
        options: SearchOptions | None = None,
        memory: TaskMemory | None = None,
    ) -> None:
        self.repo = repo
        self.reader = reader
        self.embedder = embedder
        self.options = options or SearchOptions()
        self._expanders = self.options.expanders()
        self._signals = tuple(signal for signal in SIGNALS if signal.name not in self.options.without_signals)
        self._memory = memory if self.options.task_memory else None

    def search(self, query: Query) -> SearchResult:
        """Return the ranked answer to a query, from one committed state of the index."""
        watch = Stopwatch()
        shape = shape_of(
            query.text,
            keyword_soup_rewrite=self.options.keyword_soup_rewrite,
            concepts=self.options.concepts,
        )
        words = read_words(query.text, project=self.repo)
        if not self.options.wording:
            words = replace(words, asks=False, is_telling=False)
        is_searchable = any(identifier_terms(word.text) for word in words.words)
        warnings: list[str] = [] if is_searchable else [NOTHING_TO_SEARCH]
        vector = self._embed(query.text, warnings) if is_searchable else None
        learned = self._recall(query.text, warnings) if is_searchable else ()
        watch.lap("query")
        with self.reader.session():
            generation = self.reader.generation
            named = find_named(words, self.reader)
            shape = _recognise(shape, words, named)
            if not self.options.shape:
                shape = replace(shape, alpha=ALPHA_LANGUAGE)
            hits, total = self._page(query, Reading(shape, words, named, vector, learned), watch)
        return SearchResult(
            query=query,
            shape=shape,
            hits=hits,
            total=total,
            warnings=tuple(warnings),
            generation=generation,
            elapsed_ms=watch.elapsed_ms,
        )

    def _page(self, query: Query, read: Reading, watch: Stopwatch) -> tuple[tuple[Hit, ...], int]:
        """Return the hits of the page that is asked for, and how many files matched.

        Each block is ranked by itself, as some signals compare files: what stands on a page must
        not depend on which other pages were looked at with it.
        """
        facts = self.reader.file_facts()
        # A change is told in the code's own words; other words for them only find other places.
        expanders = () if read.words.is_telling else self._expanders
        near = self.options.near_spellings
        question = pose(read.words, self.reader, len(facts.ids), expanders, near_spellings=near)
        scope = Scope(
            allowed=allowed_rows(query, facts, self.reader),
            corpus=query.corpus,
            vector=read.vector,
            alpha=read.shape.alpha,
            path=read.words.path,
            head=max(HEAD, query.offset + query.limit),
            learned=tuple(each.path for each in read.learned if each.is_whole)[:MAX_LEARNED],
        )
        candidates = gather(question, read.named, scope, self.reader)
        watch.lap("candidates")
        hits: list[Hit] = []
        start, stop = query.offset, query.offset + query.limit
        for block in candidates.divided():
            if start < len(block.rows) and stop > 0:
                ranking = self._rank(query, question, read, block, watch)
                in_order = order_of_both if query.corpus is Corpus.ALL else order
                best_first = in_order(ranking.scores, ranking.evidence, block.blocks)
                hits += present(best_first[max(0, start) : stop], self.repo, query, ranking, self.reader)
                watch.lap("present")
            start, stop = start - len(block.rows), stop - len(block.rows)
        return tuple(hits), candidates.matched

    def _rank(
        self, query: Query, question: Question, read: Reading, candidates: Candidates, watch: Stopwatch
    ) -> Ranking:
        evidence, matches = load_evidence(question, read, candidates, self.reader, self.options)
        watch.lap("evidence")
        from_graph = {name: GRAPH[name] for name in self.options.graph_signals}
        profile = PROSE if query.corpus is Corpus.DOCS else {**CODE, **from_graph}
        docs_profile = PROSE if query.corpus is Corpus.ALL else None
        scores = score(question, evidence, self._signals, profile, docs_profile=docs_profile)
        scores = with_neighbours(question, evidence, scores, profile)
        watch.lap("rank")
        return Ranking(question, candidates, evidence, matches, scores)

    def _embed(self, text: str, warnings: list[str]) -> FloatArray | None:
        """Return the query's (dim,) vector; trouble costs the vector channel, never the answer."""
        if self.embedder is None or not self.options.vectors:
            return None
        try:
            vector: FloatArray = self.embedder.embed([text])[0]
        except EmbeddingFailed as failure:
            warnings.append(f"The vector channel was left out: {failure.message}")
            return None
        return vector if np.any(vector) else None

    def _recall(self, text: str, warnings: list[str]) -> tuple[Learned, ...]:
        """Return what the task memory says for a query; trouble costs what was learned, never the answer."""
        if self._memory is None:
            return ()
        try:
            return tuple(self._memory.recall(text))
        except (NotReady, StoreFailed) as failure:
            warnings.append(f"What was learned was left out: {failure.message}")
            return ()


def _recognise(shape: QueryShape, words: QueryWords, named: Named) -> QueryShape:
    """Return the shape of a single plain word as a symbol's where it is the name of one here."""
    is_plain_word = shape.query_class is QueryClass.CONCEPT and len(words.words) == 1 and words.name
    if is_plain_word and any(symbol.name == words.name[-1] for symbol in named.by_word.get(-1, ())):
        return known_symbol(shape)
    return shape
