"""Signals from the repository's own latent space: which of its words go together."""

from __future__ import annotations

import numpy as np

from gortex_py.rank.evidence import Evidence, Question
from gortex_py.rank.signals.signal import Signal
from gortex_py.types import FloatArray

# How many of the best files tell what the answer is about, and what makes a file one of them.
FEEDBACK_FILES = 3
FILE_FIELDS = np.array([0.6, 0.0, 0.0, 0.7, 0.5], np.float32)  # name scope signature doc body
UNIT_FIELDS = np.array([1.0, 0.3, 0.3, 0.7, 0.8], np.float32)
UNIT_SHARE = 0.5


def _latent(_: Question, evidence: Evidence) -> FloatArray:
    return evidence.latent_cosine


def _feedback(question: Question, evidence: Evidence) -> FloatArray:
    """Return the cosine with the middle of the files that match best by text alone.

    By text alone: the latent cosine would confirm itself, and priors know nothing of the query.
    """
    vectors = evidence.latent_vectors
    matched = _text_match(question, evidence)
    best = sorted(range(evidence.count), key=lambda i: (-matched[i], evidence.paths[i]))[:FEEDBACK_FILES]
    middle = vectors[best].sum(axis=0)
    length = float(np.sqrt((middle * middle).sum()))
    if length == 0:
        return np.zeros(evidence.count, np.float32)
    # Not a matrix product: it rounds equal rows differently by where they stand.
    cosines: FloatArray = np.maximum(0, (vectors * (middle / length)).sum(axis=1)).astype(np.float32)
    return cosines


def _text_match(question: Question, evidence: Evidence) -> list[float]:
    stems = question.mass_share(evidence.stem_cover)
    files = (_by_field(question, evidence.file_match) * FILE_FIELDS).sum(axis=1)
    units = (_by_field(question, evidence.unit_match) * UNIT_FIELDS).sum(axis=1)
    total: list[float] = (stems + files + UNIT_SHARE * evidence.best_of_units(units)).tolist()
    return total


def _by_field(question: Question, match: FloatArray) -> FloatArray:
    """Return (k, FIELD_COUNT) the mass share of a (q, k, FIELD_COUNT) match; groups first, the others are many."""
    share: FloatArray = (question.idf[:, None, None] * match).sum(axis=0) / max(question.mass, 1e-9)
    return share


LATENT_SIGNALS = (
    Signal("latent", "The file's words are about what the query's words are about in this repository.", _latent),
    Signal("feedback", "The file is about the same as the three that match best.", _feedback),
)
