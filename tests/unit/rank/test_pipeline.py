"""A score is the sum of what explains it, and the order is total."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gortex_py.rank.evidence import Evidence, Question
from gortex_py.rank.pipeline import Scores, order, score
from gortex_py.rank.profiles import CODE, PROSE, Weight, weight_for
from gortex_py.rank.signals import SIGNALS, Signal
from gortex_py.types import FloatArray
from tests.builders import make_evidence, make_question
from tests.contracts.test_signal_contract import permuted, random_evidence


def fixed(name: str, *values: float) -> Signal:
    def give(_: Question, __: Evidence) -> FloatArray:
        return np.array(values, np.float32)

    return Signal(name, "A fixed value.", give)


def scores_of(*totals: float) -> Scores:
    row = np.array([totals], np.float64)
    return Scores(row[0], row, np.ones(1), ("x",))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 8), st.sampled_from([CODE, PROSE]), st.booleans())
def test_contributions_sum_to_the_score(seed: int, n: int, profile: dict[str, Weight], asks: bool) -> None:
    question = make_question(["a", "b"], idf=[1.5, 4.0], asks=asks)
    scores = score(question, random_evidence(seed, n, 2), SIGNALS, profile)
    for i in range(n):
        parts = scores.contributions(i)
        assert sum(part.score for part in parts) == pytest.approx(scores.totals[i], abs=1e-9)
        assert all(part.score for part in parts)
        sizes = [abs(part.score) for part in parts]
        assert sizes == sorted(sizes, reverse=True)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 8), st.data())
def test_the_answer_does_not_depend_on_the_candidates_order(seed: int, n: int, data: st.DataObject) -> None:
    evidence = random_evidence(seed, n, 2)
    shuffled = permuted(evidence, data.draw(st.permutations(range(n))))
    question = make_question()
    straight = [evidence.paths[i] for i in order(score(question, evidence, SIGNALS, CODE), evidence)]
    mixed = [shuffled.paths[i] for i in order(score(question, shuffled, SIGNALS, CODE), shuffled)]
    assert straight == mixed


@pytest.mark.parametrize("n", [5, 17, 50, 203])
def test_equal_candidates_score_equally_wherever_they_stand(n: int) -> None:
    question = make_question([f"t{i}" for i in range(9)], idf=[0.3 + i / 7 for i in range(9)])
    one = random_evidence(n, 1, 9)
    same = {
        name: np.repeat(getattr(one, name), n, axis=1)
        for name in ("file_match", "stem_cover", "dir_cover", "dirs_cover", "pair_match")
    }
    same |= {
        name: np.repeat(getattr(one, name), n)
        for name in ("lines", "stem_mass", "stem_hit_mass", "stem_equal", "name_match", "path_match")
    }
    unit = np.random.default_rng(n).random((9, 1, 5), np.float32)
    evidence = make_evidence(
        [f"f{i:03}.py" for i in range(n)],
        groups=9,
        units=[1] * n,
        unit_match=np.repeat(unit, n, axis=1),
        unit_cover=np.repeat(unit[:, :, 0], n, axis=1),
        **same,
    )
    scores = score(question, evidence, SIGNALS, CODE)
    assert len(set(scores.totals.tolist())) == 1
    assert order(scores, evidence) == list(range(n))


def test_equal_scores_are_ordered_by_path() -> None:
    evidence = make_evidence(["b.py", "a.py", "c.py", "A.py"])
    assert order(scores_of(1, 1, 2, 1), evidence) == [2, 3, 1, 0]


def test_a_block_comes_before_the_next_whatever_the_scores() -> None:
    evidence = make_evidence(["b.py", "a.py", "c.py"])
    assert order(scores_of(1, 2, 3), evidence, [0, 0, 1]) == [1, 0, 2]


def test_only_signals_of_the_profile_count() -> None:
    signals = [fixed("one", 1, 2), fixed("two", 10, 20)]
    scores = score(make_question(), make_evidence(["a", "b"]), signals, {"two": Weight(0.5)})
    assert scores.totals.tolist() == [5.0, 10.0]
    assert [part.signal for part in scores.contributions(0)] == ["two"]


def test_no_candidates_have_no_scores() -> None:
    evidence = make_evidence([], groups=2)
    scores = score(make_question(), evidence, SIGNALS, CODE)
    assert scores.totals.shape == (0,)
    assert order(scores, evidence) == []


def test_an_exact_name_outweighs_everything_else_together() -> None:
    """The best that other signals can add is less than what a name in another spelling gives."""
    question = make_question(["a", "b"], idf=[3.0, 3.0])
    certain = {"exact_name", "exact_path"}
    best = sum(
        max(0.0, weight_for(weight, question)) for name, weight in CODE.items() if name not in certain | {"size"}
    )
    worst = sum(min(0.0, weight_for(weight, question)) for name, weight in CODE.items() if name != "depth")
    longest = weight_for(CODE["size"], question) * np.log1p(100_000)
    assert weight_for(CODE["exact_name"], question) > best + longest
    assert worst < 0


def test_a_weight_follows_the_way_of_asking_and_the_length_of_the_query() -> None:
    short, long = make_question(["a"], idf=[3.0]), make_question(["a"] * 4, idf=[3.0] * 4)
    asking = make_question(["a"], idf=[3.0], asks=True)
    assert weight_for(Weight(2.0, ask=-0.5), short) == 2.0
    assert weight_for(Weight(2.0, ask=-0.5), asking) == 1.5
    assert weight_for(Weight(2.0, is_scaled=True), long) == pytest.approx(
        2 * weight_for(Weight(2.0, is_scaled=True), short)
    )
