"""Signals from the repository's own space."""

from __future__ import annotations

import numpy as np
import pytest

from gortex_py.rank.evidence import Evidence
from gortex_py.rank.signals import SIGNALS
from gortex_py.types import FIELD_COUNT, Field
from tests.builders import make_evidence, make_question

BY_NAME = {signal.name: signal for signal in SIGNALS}
PATHS = ("a.py", "b.py", "c.py", "d.py", "e.py")


def feedback(evidence: Evidence) -> list[float]:
    return BY_NAME["feedback"].score(make_question(), evidence).tolist()


def evidence_of(matched: list[float], vectors: list[list[float]], paths: tuple[str, ...] = PATHS) -> Evidence:
    match = np.zeros((2, len(paths), FIELD_COUNT), np.float32)
    match[0, :, Field.DOC] = matched
    return make_evidence(paths, file_match=match, latent_vectors=np.array(vectors, np.float32))


VECTORS = [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.8, 0.6], [-1.0, 0.0]]


def test_files_like_the_three_best_by_text_rise() -> None:
    assert feedback(evidence_of([0.9, 0.8, 0.7, 0, 0], VECTORS)) == pytest.approx([1, 1, 1, 0.8, 0])


def test_the_fourth_best_has_no_say() -> None:
    few, more = evidence_of([0.9, 0.8, 0.7, 0, 0.6], VECTORS), evidence_of([0.9, 0.8, 0.7, 0, 0], VECTORS)
    assert feedback(few) == feedback(more)


def test_feedback_does_not_depend_on_the_order_of_the_candidates() -> None:
    matched = [0.5, 0.5, 0.5, 0.5, 0.5]
    forth = feedback(evidence_of(matched, VECTORS))
    back = feedback(evidence_of(matched, VECTORS[::-1], PATHS[::-1]))
    assert forth == back[::-1]


def test_without_a_space_nothing_is_said() -> None:
    evidence = make_evidence(PATHS)
    assert feedback(evidence) == [0] * 5
    assert BY_NAME["latent"].score(make_question(), evidence).tolist() == [0] * 5
    assert feedback(evidence_of([1, 1, 1, 1, 1], [[0.0, 0.0]] * 5)) == [0] * 5
