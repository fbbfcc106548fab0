"""The signal from what was opened after earlier queries."""

from __future__ import annotations

import numpy as np

from gortex_py.rank.evidence import Evidence, Question
from gortex_py.rank.signals.names import exact_name
from gortex_py.rank.signals.signal import Signal
from gortex_py.types import FloatArray

# Above the certainty of a name that several plain words only happen to spell.
IS_A_NAME = 0.1


def _memory(question: Question, evidence: Evidence) -> FloatArray:
    """Where the query is a name or a path, habit may choose among the best holders, never against them."""
    if len(evidence.learned) != evidence.count:
        return np.zeros(evidence.count, np.float32)
    exactness = np.maximum(exact_name(question, evidence), evidence.path_match)
    best = exactness.max(initial=0.0)
    if best <= IS_A_NAME:
        return evidence.learned
    return np.where(exactness >= best, evidence.learned, 0).astype(np.float32)


MEMORY_SIGNALS = (Signal("memory", "The file was opened after this query or after others with its words.", _memory),)
