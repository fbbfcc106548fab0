"""Compare two results query by query, and say how sure the difference is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from gortex_py.errors import UsageError
from gortex_py.evaluation.metrics import mean
from gortex_py.evaluation.report import EvaluationReport, QueryOutcome
from gortex_py.types import JsonObject

RESAMPLES = 10_000
"""The ends of the interval move by under 0.0005 between seeds on 557 queries."""

SEED = 20_240
TIE = 1e-9
"""Differences below this are rounding."""


@dataclass(frozen=True, slots=True)
class QueryChange:
    """One query that both results hold."""

    corpus: str
    category: str
    query: str
    before: float  # NDCG@10
    after: float
    ranks_before: tuple[int | None, ...]
    ranks_after: tuple[int | None, ...]

    @property
    def difference(self) -> float:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean difference with its bootstrap interval of 95 %."""

    queries: int
    better: int
    worse: int
    mean: float
    low: float
    high: float

    @property
    def is_sure(self) -> bool:
        """Whether the interval excludes zero."""
        return not self.low <= 0.0 <= self.high


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the second result differs from the first."""

    before: str
    after: str
    overall: Difference  # mean over corpora, as the headline
    by_category: dict[str, Difference]  # mean over queries
    changes: tuple[QueryChange, ...]  # only queries whose NDCG differs, worst first
    only_before: int  # queries the second result lacks
    only_after: int


def compare(before: EvaluationReport, after: EvaluationReport) -> Comparison:
    """Return the paired comparison of two results over the queries that both hold.

    :raises UsageError: when they share no query.
    """
    first, second = _by_key(before.outcomes), _by_key(after.outcomes)
    shared = [key for key in first if key in second]
    if not shared:
        raise UsageError("the two results share no query; they are of different manifests")
    changes = [_change(first[key], second[key]) for key in shared]
    categories = sorted({change.category for change in changes})
    return Comparison(
        before=_name(before),
        after=_name(after),
        overall=difference_of(_differences(_split(changes, [change.corpus for change in changes]))),
        by_category={
            name: difference_of(_differences([[c for c in changes if c.category == name]])) for name in categories
        },
        changes=tuple(
            sorted(
                (change for change in changes if abs(change.difference) > TIE),
                key=lambda change: (change.difference, change.corpus, change.query),
            )
        ),
        only_before=len(first) - len(shared),
        only_after=len(second) - len(shared),
    )


def difference_of(groups: Sequence[Sequence[float]]) -> Difference:
    """Return the mean over groups of each group's mean difference, with its interval.

    :param groups: differences query by query, a group a corpus
    """
    flat = [value for group in groups for value in group]
    low, high = bootstrap_interval(groups)
    return Difference(
        queries=len(flat),
        better=sum(value > TIE for value in flat),
        worse=sum(value < -TIE for value in flat),
        mean=mean(mean(group) for group in groups),
        low=low,
        high=high,
    )


def bootstrap_interval(
    groups: Sequence[Sequence[float]], *, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[float, float]:
    """Return the 2.5th and 97.5th percentile of the mean over groups of each group's resampled mean.

    Values are drawn with replacement within their group, so that every corpus keeps its weight.
    """
    random = np.random.default_rng(seed)
    means = np.zeros(resamples)
    filled = [np.asarray(group, dtype=np.float64) for group in groups if len(group)]
    for values in filled:
        means += values[random.integers(0, len(values), size=(resamples, len(values)))].mean(axis=1)
    low, high = np.percentile(means / max(len(filled), 1), [2.5, 97.5])
    return float(low), float(high)


def comparison_to_json(comparison: Comparison) -> JsonObject:
    """Return the comparison ready for a JSON encoder."""
    return asdict(comparison)


def format_comparison(comparison: Comparison, *, limit: int = 15) -> str:
    """Return the comparison as text: the differences, then the ``limit`` largest losses and gains."""
    lines = [
        f"{comparison.before} -> {comparison.after}, NDCG@10",
        _difference_row("all corpora", comparison.overall),
        *(_difference_row(name, difference) for name, difference in comparison.by_category.items()),
    ]
    losses = [change for change in comparison.changes if change.difference < 0][:limit]
    gains = [change for change in reversed(comparison.changes) if change.difference > 0][:limit]
    for title, changes in (("worse", losses), ("better", gains)):
        if changes:
            lines += ["", f"{title}:", *map(_change_row, changes)]
    if comparison.only_before or comparison.only_after:
        lines += [
            "",
            f"left out: {comparison.only_before} queries only in the first, {comparison.only_after} only in the second",
        ]
    return "\n".join(lines)


def _by_key(outcomes: Sequence[QueryOutcome]) -> dict[tuple[str, str, int], QueryOutcome]:
    # A corpus may ask the same words twice with other targets, so the occurrence is part of the key.
    seen: Counter[tuple[str, str]] = Counter()
    keyed = {}
    for outcome in outcomes:
        pair = (outcome.corpus, outcome.query)
        keyed[(*pair, seen[pair])] = outcome
        seen[pair] += 1
    return keyed


def _change(before: QueryOutcome, after: QueryOutcome) -> QueryChange:
    return QueryChange(
        corpus=before.corpus,
        category=before.category,
        query=before.query,
        before=before.ndcg,
        after=after.ndcg,
        ranks_before=before.ranks,
        ranks_after=after.ranks,
    )


def _split(changes: Sequence[QueryChange], keys: Sequence[str]) -> list[list[QueryChange]]:
    groups: dict[str, list[QueryChange]] = {}
    for change, key in zip(changes, keys, strict=True):
        groups.setdefault(key, []).append(change)
    return list(groups.values())


def _differences(groups: Sequence[Sequence[QueryChange]]) -> list[list[float]]:
    return [[change.difference for change in group] for group in groups]


def _difference_row(name: str, d: Difference) -> str:
    return (
        f"{name:<20}{d.mean:+.4f} [{d.low:+.4f}, {d.high:+.4f}]{' *' if d.is_sure else ''}"
        f"  better {d.better}, worse {d.worse} of {d.queries}"
    )


def _change_row(change: QueryChange) -> str:
    return (
        f"  {change.difference:+.3f}  {change.corpus}: {change.query!r}"
        f"  ranks {_ranks(change.ranks_before)} -> {_ranks(change.ranks_after)}"
    )


def _ranks(ranks: tuple[int | None, ...]) -> str:
    return ",".join("-" if rank is None else str(rank) for rank in ranks)


def _name(report: EvaluationReport) -> str:
    return f"{report.method}-{report.revision}" if report.revision else report.method
