"""Signals from what was done to a file before."""

from __future__ import annotations

from gortex_py.rank.evidence import Evidence, Question
from gortex_py.rank.signals.signal import Signal
from gortex_py.types import FloatArray


def _history(_: Question, evidence: Evidence) -> FloatArray:
    return evidence.history_match


HISTORY_SIGNALS = (
    Signal("history", "The subjects of past commits that touched the file say the query's words.", _history),
)
