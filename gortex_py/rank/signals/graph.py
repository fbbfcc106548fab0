"""Signals from how much of the repository leans on a file."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gortex_py.rank.evidence import Evidence, Question, Standing
from gortex_py.rank.signals.signal import Signal
from gortex_py.types import FloatArray


def _of(column: Callable[[Standing], FloatArray]) -> Callable[[Question, Evidence], FloatArray]:
    def score(_: Question, evidence: Evidence) -> FloatArray:
        values = column(evidence.standing)
        return values if len(values) else np.zeros(evidence.count, np.float32)

    return score


GRAPH_SIGNALS = (
    Signal("centrality", "Much of the code leans on the file (PageRank).", _of(lambda standing: standing.centrality)),
    Signal(
        "authority",
        "What leans on much leans on the file, and it does not itself lean on everything (HITS).",
        _of(lambda standing: standing.authority),
    ),
    Signal("provenance", "It is sure who leans on the file.", _of(lambda standing: standing.founded)),
)
