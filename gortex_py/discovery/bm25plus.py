"""A small in-memory BM25+ over weighted fields.

All fields of a tool make one bag of weighted counts, so its length is weighted too. Counts are
whole numbers: the order in which a corpus is built changes nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gortex_py.discovery.catalog import ToolCard
from gortex_py.discovery.narrowing import WIDE, Narrowing, content_words
from gortex_py.discovery.order import collation_key
from gortex_py.discovery.reading import PLAIN, Reading
from gortex_py.errors import UsageError

Numbers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]

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


def weighted_counts(card: ToolCard, reading: Reading = PLAIN) -> dict[str, int]:
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
    # Texts of one weight are split in one go; a line end between them joins nothing.
    texts: dict[int, list[str]] = {}
    for text, weight in fields:
        texts.setdefault(weight, []).append(text)
    counts: dict[str, int] = {}
    for weight, joined in texts.items():
        for token in reading.tokens("\n".join(joined)):
            counts[token] = counts.get(token, 0) + weight
    return counts


class _Base:
    """What the indexes of a corpus and of its parts share: cards, lengths, postings."""

    def __init__(self, cards: Iterable[ToolCard], reading: Reading) -> None:
        self.cards = tuple(cards)
        self.reading = reading
        # Two lists a token, not one of pairs: a million small objects would keep the garbage collector busy.
        self._postings: dict[str, tuple[list[int], list[int]]] = {}
        self._arrays: dict[str, tuple[Numbers, Floats]] = {}
        lengths = []
        for number, card in enumerate(self.cards):
            counts = weighted_counts(card, reading)
            lengths.append(sum(counts.values()))
            for token, count in counts.items():
                numbers, found = self._postings.setdefault(token, ([], []))
                numbers.append(number)
                found.append(count)
        self.lengths: Floats = np.array(lengths, dtype=np.float64)

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Cards by name."""
        return {card.name: number for number, card in enumerate(self.cards)}

    @cached_property
    def called(self) -> Mapping[str, list[int]]:
        """Cards by each text that somebody may call them by, in lower case."""
        found: dict[str, list[int]] = {}
        for number, card in enumerate(self.cards):
            for text in {card.name.lower(), card.label.lower(), (card.mcp_tool_name or "").lower()}:
                found.setdefault(text, []).append(number)
        return found

    def postings(self, token: str) -> tuple[Numbers, Floats]:
        """Return the cards that have a token, and its count in each."""
        if token not in self._arrays:
            listed = self._postings.get(token)
            if listed is None:
                return np.empty(0, dtype=np.int64), np.empty(0)  # not kept: queries hold any word
            numbers, counts = listed
            self._arrays[token] = np.array(numbers, dtype=np.int64), np.array(counts, dtype=np.float64)
        return self._arrays[token]


class ToolIndex:
    """An index of one corpus; never changed once built."""

    __slots__ = ("__dict__", "_alive", "_base", "average_length", "size")

    def __init__(self, cards: Iterable[ToolCard], reading: Reading = PLAIN) -> None:
        base = _Base(cards, reading)
        self._take(base, np.ones(len(base.cards), dtype=np.bool_))

    def without(self, names: Collection[str]) -> ToolIndex:
        """Return the index of the corpus without some tools: what building it anew would give, many times faster."""
        alive = self._alive.copy()
        alive[[number for name in names if (number := self._base.numbers.get(name)) is not None]] = False
        rest = object.__new__(ToolIndex)
        rest._take(self._base, alive)
        return rest

    def _take(self, base: _Base, alive: Flags) -> None:
        self._base, self._alive = base, alive
        self.size = int(alive.sum())  # how many tools there are
        total = float(base.lengths[alive].sum())  # whole numbers, so the order of the sum changes nothing
        self.average_length = (total / self.size if self.size else 0.0) or 1.0

    @cached_property
    def documents(self) -> tuple[ToolCard, ...]:
        """The cards in their order."""
        return tuple(self._base.cards[number] for number in np.flatnonzero(self._alive))

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """The weighted length of each card."""
        return tuple(int(length) for length in self._base.lengths[self._alive])

    @cached_property
    def _damping(self) -> Floats:
        return K1 * (1 - B + B * (self._base.lengths / self.average_length))

    def document_frequency(self, token: str) -> int:
        """Return how many tools have a token."""
        return len(self._found(token)[0])

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
        asked = Counter(self._base.reading.asked(query))  # keeps the order of first appearance, which fixes the sums
        if not asked:
            raise UsageError(NO_TOKENS, code="query-without-words")
        scores = np.zeros(len(self._base.cards))
        for token, times in asked.items():
            self._add(scores, token, times)
        for name in exclude:
            if name in self._base.numbers:
                scores[self._base.numbers[name]] = 0.0
        self._narrow(scores, asked, narrowing)
        first = self._named(scores, query) if narrowing.exact_name_first else []
        found = np.flatnonzero(scores)
        if limit is not None and limit < len(found):
            worst = np.partition(scores[found], len(found) - limit)[len(found) - limit]
            found = found[scores[found] >= worst]
        ahead = {match.card.name for match in first}
        rest = [match for match in _ordered(self._matches(scores, found)) if match.card.name not in ahead]
        return [*first, *rest][:limit]

    def _found(self, token: str) -> tuple[Numbers, Floats]:
        numbers, counts = self._base.postings(token)
        alive = self._alive[numbers]
        return numbers[alive], counts[alive]

    def _add(self, scores: Floats, token: str, times: int) -> None:
        """Add a token's share to the scores. The order of operations fixes the last digits of a score."""
        numbers, counts = self._found(token)
        weight = times * math.log(1 + (self.size - len(numbers) + 0.5) / (len(numbers) + 0.5))
        scores[numbers] += weight * (counts * (K1 + 1) / (counts + self._damping[numbers]) + DELTA)

    def _narrow(self, scores: Floats, asked: Iterable[str], narrowing: Narrowing) -> None:
        if narrowing.min_coverage > 0:
            words = content_words(asked)
            covered = np.zeros(len(scores), dtype=np.int64)
            for word in words:
                covered[self._base.postings(word)[0]] += 1
            scores[covered < narrowing.min_coverage * len(words)] = 0.0
        if narrowing.relative_floor > 0 and len(scores):
            scores[scores < narrowing.relative_floor * scores.max()] = 0.0

    def _named(self, scores: Floats, query: str) -> list[Match]:
        """Return the matches that are called what the query says."""
        numbers = self._base.called.get(query.strip().lower(), ())
        return _ordered(self._matches(scores, [number for number in numbers if scores[number] > 0]))

    def _matches(self, scores: Floats, numbers: Iterable[int]) -> list[Match]:
        return [Match(self._base.cards[number], float(scores[number])) for number in numbers]


def _ordered(matches: list[Match]) -> list[Match]:
    """Sort by score, and only what is equal by name: the key of a name costs more than a comparison of numbers."""
    matches.sort(key=lambda match: -match.score)
    ordered: list[Match] = []
    for _, equal in groupby(matches, key=lambda match: match.score):
        group = list(equal)
        ordered += sorted(group, key=lambda match: collation_key(match.card.name)) if len(group) > 1 else group
    return ordered
