"""A small in-memory BM25+ over weighted fields.

All fields of a tool make one bag of weighted counts, so its length is weighted too. Counts are
whole numbers: the order in which a corpus is built changes nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import groupby

from gortex_py.discovery.catalog import ToolCard
from gortex_py.discovery.narrowing import WIDE, Narrowing, content_words
from gortex_py.discovery.order import collation_key
from gortex_py.discovery.reading import PLAIN, Reading
from gortex_py.errors import UsageError

K1 = 1.2
B = 0.75
DELTA = 1.0

NAME_WEIGHT = 6
LABEL_WEIGHT = 4
MCP_NAME_WEIGHT = 4
SERVER_WEIGHT = 2
SUMMARY_WEIGHT = 2
KEY_WEIGHT = 1

NO_TOKENS = "Query must contain at least one letter or number."


@dataclass(frozen=True, slots=True)
class Match:
    """A tool that shares at least one token with the query."""

    card: ToolCard
    score: float  # unrounded, above 0; comparable within one corpus only


def weighted_counts(card: ToolCard, reading: Reading = PLAIN) -> Counter[str]:
    """Return a tool's bag: each occurrence of a token counts as much as its field weighs."""
    fields = [
        (card.name, NAME_WEIGHT),
        (card.label, LABEL_WEIGHT),
        (card.mcp_tool_name or "", MCP_NAME_WEIGHT),
        (card.server_name or "", SERVER_WEIGHT),
        (card.summary, SUMMARY_WEIGHT),
        *((key, KEY_WEIGHT) for key in card.schema_keys),
        *reading.more(card),
    ]
    counts: Counter[str] = Counter()
    for text, weight in fields:
        for token in reading.tokens(text):
            counts[token] += weight
    return counts


class ToolIndex:
    """An index of one corpus; never changed once built."""

    __slots__ = (
        "_cards",
        "_counts",
        "_damping",
        "_numbers",
        "_postings",
        "_reading",
        "average_length",
        "documents",
        "lengths",
    )

    def __init__(self, cards: Iterable[ToolCard], reading: Reading = PLAIN) -> None:
        self._reading = reading
        self._cards = tuple(cards)
        self._numbers: Sequence[int] = range(len(self._cards))
        postings: dict[str, list[tuple[int, int]]] = {}
        totals = []
        for number, card in enumerate(self._cards):
            counts = weighted_counts(card, reading)
            totals.append(counts.total())
            for token, count in counts.items():
                postings.setdefault(token, []).append((number, count))
        self._postings: Mapping[str, list[tuple[int, int]]] = postings
        self._counts = totals
        self._measure()

    def without(self, names: Collection[str]) -> ToolIndex:
        """Return the index of the corpus without some tools: what building it anew would give, many times faster."""
        gone = {number for number in self._numbers if self._cards[number].name in names} if names else set[int]()
        postings = dict(self._postings)
        for token in {token for number in gone for token in weighted_counts(self._cards[number], self._reading)}:
            postings[token] = [posting for posting in postings[token] if posting[0] not in gone]
        rest = ToolIndex((), self._reading)
        rest._cards, rest._counts, rest._postings = self._cards, self._counts, postings
        rest._numbers = [number for number in self._numbers if number not in gone]
        rest._measure()
        return rest

    def _measure(self) -> None:
        self.documents = tuple(self._cards[number] for number in self._numbers)
        self.lengths = tuple(self._counts[number] for number in self._numbers)
        self.average_length = (sum(self.lengths) / len(self.lengths) if self.lengths else 0.0) or 1.0
        self._damping = [K1 * (1 - B + B * (length / self.average_length)) for length in self._counts]

    def document_frequency(self, token: str) -> int:
        """Return how many tools have a token."""
        return len(self._postings.get(token, ()))

    def search(
        self,
        query: str,
        limit: int | None = None,
        *,
        exclude: Collection[str] = (),
        narrowing: Narrowing = WIDE,
    ) -> list[Match]:
        """Return the best matches, best first; equal scores by name. No match gives none.

        :param limit: how many; all when None.
        :param exclude: names left out, before the limit is applied.
        :param narrowing: what else is left out or put first, before the limit is applied.
        :raises UsageError: when the query holds no letter or number, even on an empty corpus.
        """
        asked = Counter(self._reading.asked(query))  # keeps the order of first appearance, which fixes the sums
        if not asked:
            raise UsageError(NO_TOKENS, code="query-without-words")
        scores: dict[int, float] = {}
        for token, times in asked.items():
            self._add(scores, token, times)
        if exclude:
            scores = {number: score for number, score in scores.items() if self._cards[number].name not in exclude}
        scores = self._narrowed(scores, asked, narrowing)
        first = self._named(scores, query) if narrowing.exact_name_first else []
        if limit is not None and limit < len(scores):
            worst = nlargest(limit, scores.values())[-1]
            scores = {number: score for number, score in scores.items() if score >= worst}
        matches = [Match(self._cards[number], score) for number, score in sorted(scores.items())]
        ahead = {match.card.name for match in first}
        return [*first, *(match for match in _ordered(matches) if match.card.name not in ahead)][:limit]

    def _narrowed(self, scores: dict[int, float], asked: Iterable[str], narrowing: Narrowing) -> dict[int, float]:
        if narrowing.min_coverage > 0:
            words = content_words(asked)
            covered = Counter(number for word in words for number, _ in self._postings.get(word, ()))
            least = narrowing.min_coverage * len(words)
            scores = {number: score for number, score in scores.items() if covered[number] >= least}
        if narrowing.relative_floor > 0 and scores:
            least = narrowing.relative_floor * max(scores.values())
            scores = {number: score for number, score in scores.items() if score >= least}
        return scores

    def _named(self, scores: Mapping[int, float], query: str) -> list[Match]:
        """Return the matches that are called what the query says."""
        asked = query.strip().lower()
        cards = {number: self._cards[number] for number in sorted(scores)}
        return _ordered(
            [
                Match(card, scores[number])
                for number, card in cards.items()
                if asked in (card.name.lower(), card.label.lower(), (card.mcp_tool_name or "").lower())
            ]
        )

    def _add(self, scores: dict[int, float], token: str, times: int) -> None:
        """Add a token's share to the scores. The order of operations fixes the last digits of a score."""
        postings = self._postings.get(token, ())
        frequency = len(postings)
        weight = times * math.log(1 + (len(self.documents) - frequency + 0.5) / (frequency + 0.5))
        damping = self._damping
        for number, count in postings:
            part = weight * (count * (K1 + 1) / (count + damping[number]) + DELTA)
            scores[number] = scores.get(number, 0.0) + part


def _ordered(matches: list[Match]) -> list[Match]:
    """Sort by score, and only what is equal by name: the key of a name costs more than a comparison of numbers."""
    matches.sort(key=lambda match: -match.score)
    ordered: list[Match] = []
    for _, equal in groupby(matches, key=lambda match: match.score):
        group = list(equal)
        ordered += sorted(group, key=lambda match: collation_key(match.card.name)) if len(group) > 1 else group
    return ordered
