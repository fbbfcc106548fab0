"""Retrieval metrics as pure functions of ranks.

A query's ranks are one entry a target: the 1-based rank of the first hit that shows the target,
or None. Relevance is binary. Two targets shown by one hit share its rank and gain once, while
the ideal still counts both: a hit that covers two targets cannot pass for two hits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

DEPTH = 10
"""Hits that count; the labelled sets are scored at ten."""

Ranks = Sequence[int | None]


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of one file; a place without lines is the whole file."""

    path: str  # both sides of a comparison must be relative to the same folder, or absolute
    start_line: int | None = None  # 1-based
    end_line: int | None = None  # 1-based, inclusive

    def shows(self, target: Place) -> bool:
        """Return whether this place lies in the target's file and overlaps its lines, if it has any."""
        if self.path != target.path:
            return False
        if target.start_line is None or target.end_line is None or self.start_line is None or self.end_line is None:
            return True
        return self.start_line <= target.end_line and target.start_line <= self.end_line


def target_ranks(targets: Sequence[Place], hits: Sequence[Place], *, depth: int = DEPTH) -> tuple[int | None, ...]:
    """Return each target's rank: that of the first of ``depth`` hits that shows it, or None."""
    head = hits[:depth]
    return tuple(next((rank for rank, hit in enumerate(head, 1) if hit.shows(target)), None) for target in targets)


def ndcg_at_k(ranks: Ranks, k: int = DEPTH) -> float:
    """Return the normalised discounted cumulative gain in [0, 1]; 0 for a query without targets.

    The gain is the sum of 1 / log2(rank + 1) over the distinct ranks up to k, the ideal the
    same sum over the ranks 1 to min(k, number of targets).
    """
    found = {rank for rank in ranks if rank is not None and rank <= k}
    ideal = _discounted(range(1, min(k, len(ranks)) + 1))
    return _discounted(sorted(found)) / ideal if ideal else 0.0


def recall_at_k(ranks: Ranks, k: int = DEPTH) -> float:
    """Return the share of targets ranked k or better; 0 for a query without targets."""
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks) if ranks else 0.0


def reciprocal_rank(ranks: Ranks) -> float:
    """Return 1 / the best rank; 0 when no target was found."""
    best = min((rank for rank in ranks if rank is not None), default=None)
    return 1.0 / best if best else 0.0


def mean(values: Iterable[float]) -> float:
    """Return the arithmetic mean; 0 of nothing."""
    listed = list(values)
    return math.fsum(listed) / len(listed) if listed else 0.0


def percentile(values: Iterable[float], percent: float) -> float:
    """Return the smallest value that at least ``percent`` of the values do not exceed; 0 of nothing.

    The nearest rank is a value that was really measured, which an interpolated one is not.
    """
    ordered = sorted(values)
    if not ordered:
        return 0.0
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def _discounted(ranks: Iterable[int]) -> float:
    return math.fsum(1.0 / math.log2(rank + 1) for rank in ranks)
