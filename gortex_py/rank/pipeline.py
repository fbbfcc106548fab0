"""Add up the signals, and say what each contributed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gortex_py.rank.evidence import Evidence, Question
from gortex_py.rank.profiles import CERTAIN, Weight, weight_for
from gortex_py.rank.signals import Signal
from gortex_py.types import Contribution, FileCategory, IntArray

NO_WEIGHT = Weight(0.0)
# Code gathers points from names, directories and its being code; a document as good has about this much less.
DOCS_LIFT = 5.0
# A name in another spelling counts half.
LEAST_CERTAIN = 0.5


@dataclass(frozen=True, slots=True)
class Scores:
    """The scored candidates."""

    totals: NDArray[np.float64]  # (n,)
    raw: NDArray[np.float64]  # (signals, n)
    weights: NDArray[np.float64]  # (signals, n)
    names: tuple[str, ...]  # of the signals

    def contributions(self, candidate: int) -> tuple[Contribution, ...]:
        """Return what made up a candidate's score, largest first; zeros are left out."""
        parts = [
            Contribution(name, float(raw), float(weight))
            for name, raw, weight in zip(self.names, self.raw[:, candidate], self.weights[:, candidate], strict=True)
            if raw * weight != 0
        ]
        return tuple(sorted(parts, key=lambda part: (-abs(part.score), part.signal)))


def score(
    question: Question,
    evidence: Evidence,
    signals: Sequence[Signal],
    profile: Mapping[str, Weight],
    *,
    docs_profile: Mapping[str, Weight] | None = None,
) -> Scores:
    """Return every candidate's score: the sum over the profile's signals of weight times raw value.

    :param docs_profile: what documentation is weighed by; None weighs it like the rest
    """
    docs_profile = profile if docs_profile is None else docs_profile
    used = [signal for signal in signals if signal.name in profile or signal.name in docs_profile]
    raw = np.zeros((len(used), evidence.count), np.float64)
    for row, signal in enumerate(used):
        raw[row] = signal.score(question, evidence)
    by_kind = np.array(
        [
            [weight_for(weights.get(signal.name, NO_WEIGHT), question) for weights in (profile, docs_profile)]
            for signal in used
        ],
        np.float64,
    ).reshape(len(used), 2)
    weights = by_kind[:, is_docs(evidence).astype(np.int64)]
    # Not a matrix product: it rounds equal candidates differently by where they stand.
    totals = (weights * raw).sum(axis=0)
    return Scores(totals, raw, weights, tuple(signal.name for signal in used))


def is_docs(evidence: Evidence) -> NDArray[np.bool_]:
    """Return (n,) which candidates are documentation."""
    return np.array([category == FileCategory.DOCS for category in evidence.categories], np.bool_)


def order(scores: Scores, evidence: Evidence, blocks: Sequence[int] | IntArray | None = None) -> list[int]:
    """Return the candidates best first; equal scores by path, so that the order is total.

    :param blocks: (n,) candidates of a smaller number come before all of a larger one
    """
    block = [0] * evidence.count if blocks is None else [int(number) for number in blocks]
    return sorted(range(evidence.count), key=lambda i: (block[i], -scores.totals[i], evidence.paths[i]))


def order_of_both(scores: Scores, evidence: Evidence, blocks: Sequence[int] | IntArray) -> list[int]:
    """Return the candidates best first where code and documentation are two rankings.

    Their scores are made of different signals, so ranks are fused: the first of each, then the
    second of each. Only what is asked for by its name or path comes before, by score.
    """
    documents = is_docs(evidence)
    lifted = scores.totals + DOCS_LIFT * documents
    places = [0, 0]
    keys: dict[int, tuple[int, int, float, str]] = {}
    for i in order(scores, evidence, blocks):
        place = 0
        if scores.totals[i] < CERTAIN * LEAST_CERTAIN:
            kind = int(documents[i])
            places[kind] += 1
            place = places[kind]
        keys[i] = (int(blocks[i]), place, -float(lifted[i]), evidence.paths[i])
    return sorted(keys, key=keys.__getitem__)
