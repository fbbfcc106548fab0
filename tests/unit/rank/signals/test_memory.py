from __future__ import annotations

import numpy as np
import pytest

from gortex_py.rank.profiles import CERTAIN, CODE, PROSE
from gortex_py.rank.signals.memory import MEMORY_SIGNALS
from gortex_py.types import FileCategory
from tests.builders import make_evidence, make_question

(MEMORY,) = MEMORY_SIGNALS
LEARNED = np.array([0.1, 0.9, 0.5], np.float32)


def lifts(**facts: object) -> list[float]:
    return MEMORY.score(make_question(), make_evidence(**({"learned": LEARNED} | facts))).tolist()  # type: ignore[arg-type]


def test_a_file_is_lifted_by_what_was_learned_of_it() -> None:
    assert lifts() == pytest.approx([0.1, 0.9, 0.5])


def test_nothing_learned_lifts_nothing() -> None:
    assert lifts(learned=np.zeros(0, np.float32)) == [0, 0, 0]


@pytest.mark.parametrize("fact", ["name_match", "path_match"])
def test_habit_chooses_among_exact_hits_and_never_against_them(fact: str) -> None:
    assert lifts(**{fact: np.array([1, 0, 1], np.float32)}) == pytest.approx([0.1, 0, 0.5])
    assert lifts(**{fact: np.array([1, 0.6, 0.5], np.float32)}) == pytest.approx([0.1, 0, 0])


def test_habit_does_not_put_a_test_of_a_name_above_its_definition() -> None:
    categories = (FileCategory.SOURCE.value, FileCategory.TEST.value, FileCategory.SOURCE.value)
    match = np.array([1, 1, 0], np.float32)
    assert lifts(name_match=match, categories=categories) == pytest.approx([0.1, 0, 0])


def test_a_name_that_words_only_happen_to_spell_holds_nothing_back() -> None:
    assert lifts(name_match=np.array([0.05, 0, 0], np.float32)) == pytest.approx([0.1, 0.9, 0.5])


def test_the_most_it_adds_is_a_fraction_of_an_exact_name() -> None:
    for profile in (CODE, PROSE):
        assert profile["memory"].base <= CERTAIN / 5
        assert not profile["memory"].is_scaled
