"""The signal from static vectors."""

from __future__ import annotations

import numpy as np

from gortex_py.rank.evidence import Evidence, Question
from gortex_py.rank.signals.signal import Signal
from gortex_py.types import FloatArray


def _cosine(_: Question, evidence: Evidence) -> FloatArray:
    return np.maximum(0, evidence.best_of_units(np.maximum(0, evidence.unit_cosine)))


VECTOR_SIGNALS = (Signal("cosine", "The meaning of one definition's words is near the query's.", _cosine),)
