"""Add up the signals, and say what each contributed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gortex_py.rank.evidence import Evidence, Question
from gortex_py.rank.profiles import Weight, weight_for
from gortex_py.rank.signals import Signal
from gortex_py.types import Contribution, IntArray


@dataclass(frozen=True, slots=True)
class Scores:
    """The scored candidates."""

    totals: NDArray[np.float64]  # (n,)
    raw: NDArray[np.float64]  # (signals, n)
    weights: NDArray[np.float64]  # (signals,)
    names: tuple[str, ...]  # of the signals

    def contributions(self, candidate: int) -> tuple[Contribution, ...]:
        """Return what made up a candidate's score, largest first; zeros are left out."""
        parts = [
            Contribution(name, float(raw), float(weight))
            for name, raw, weight in zip(self.names, self.raw[:, candidate], self.weights, strict=True)
            if raw * weight != 0
        ]
        return tuple(sorted(parts, key=lambda part: (-abs(part.score), part.signal)))


def score(question: Question, evidence: Evidence, signals: Sequence[Signal], profile: Mapping[str, Weight]) -> Scores:
    """Return every candidate's score: the sum over the profile's signals of weight times raw value."""
    used = [signal for signal in signals if signal.name in profile]
    raw = np.zeros((len(used), evidence.count), np.float64)
    for row, signal in enumerate(used):
        raw[row] = signal.score(question, evidence)
    weights = np.array([weight_for(profile[signal.name], question) for signal in used], np.float64)
    # Not a matrix product: it rounds equal candidates differently by where they stand.
    totals = (weights[:, None] * raw).sum(axis=0)
    return Scores(totals, raw, weights, tuple(signal.name for signal in used))


def order(scores: Scores, evidence: Evidence, blocks: Sequence[int] | IntArray | None = None) -> list[int]:
    """Return the candidates best first; equal scores by path, so that the order is total.

    :param blocks: (n,) candidates of a smaller number come before all of a larger one
    """
    block = [0] * evidence.count if blocks is None else [int(number) for number in blocks]
    return sorted(range(evidence.count), key=lambda i: (block[i], -scores.totals[i], evidence.paths[i]))
