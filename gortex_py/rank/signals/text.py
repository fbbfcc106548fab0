"""Signals from text: comments, code, and how much of the query one place holds."""

from __future__ import annotations

import numpy as np

from gortex_py.rank.evidence import Evidence, Question
from gortex_py.rank.signals.signal import Signal
from gortex_py.types import Field, FloatArray


def _doc(question: Question, evidence: Evidence) -> FloatArray:
    return question.mass_share(evidence.file_match[:, :, Field.DOC])


def _body(question: Question, evidence: Evidence) -> FloatArray:
    return evidence.best_of_units(question.mass_share(evidence.unit_match[:, :, Field.BODY]))


def _page(question: Question, evidence: Evidence) -> FloatArray:
    return question.mass_share(evidence.file_match[:, :, Field.BODY])


def _coverage(question: Question, evidence: Evidence) -> FloatArray:
    return evidence.best_of_units(question.mass_share(evidence.unit_cover))


def _pairs(_: Question, evidence: Evidence) -> FloatArray:
    pairs = evidence.pair_match.shape[0]
    if not pairs:
        return np.zeros(evidence.count, np.float32)
    # Two pairs found are as good as it gets; a long query has many that mean nothing.
    share: FloatArray = (np.minimum(2, evidence.pair_match.sum(0)) / pairs).astype(np.float32)
    return share


def _line_pairs(_: Question, evidence: Evidence) -> FloatArray:
    pairs = max(1, evidence.line_match.shape[0])
    share: FloatArray = (evidence.line_match.sum(0) / pairs).astype(np.float32)
    return share


def _window(_: Question, evidence: Evidence) -> FloatArray:
    return evidence.window_share


TEXT_SIGNALS = (
    Signal("doc", "The query's words occur in the file's comments and docstrings.", _doc),
    Signal("body", "The query's words occur in the code of one definition.", _body),
    Signal("page", "The query's words occur in the file as a whole.", _page),
    Signal("coverage", "One definition holds the query's words, in whatever field.", _coverage),
    Signal("pairs", "Neighbouring words of the query occur as one identifier.", _pairs),
    Signal("line_pairs", "Neighbouring words of the query stand on one line.", _line_pairs),
    Signal("window", "A few consecutive lines hold the query's words.", _window),
)
