"""Signals from the repository's own latent space: which of its words go together."""

from __future__ import annotations

import numpy as np

from gortex_py.rank.evidence import Evidence, Question
from gortex_py.rank.signals.signal import Signal
from gortex_py.types import Field, FloatArray

# How many of the best files tell what the answer is about, and what makes a file one of them.
FEEDBACK_FILES = 3
STEM_SHARE, NAME_SHARE, DOC_SHARE, BODY_SHARE, UNIT_SHARE = 1.0, 0.6, 0.7, 0.5, 0.5
UNIT_FIELDS = np.array([1.0, 0.3, 0.3, 0.7, 0.8], np.float32)  # name scope signature doc body


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
    match = evidence.file_match
    units = question.mass_share((evidence.unit_match * UNIT_FIELDS).sum(axis=2))
    total: FloatArray = (
        STEM_SHARE * question.mass_share(evidence.stem_cover)
        + NAME_SHARE * question.mass_share(match[:, :, Field.NAME])
        + DOC_SHARE * question.mass_share(match[:, :, Field.DOC])
        + BODY_SHARE * question.mass_share(match[:, :, Field.BODY])
        + UNIT_SHARE * evidence.best_of_units(units)
    )
    return total.tolist()


LATENT_SIGNALS = (
    Signal("latent", "The file's words are about what the query's words are about in this repository.", _latent),
    Signal("feedback", "The file is about the same as the three that match best.", _feedback),
)
