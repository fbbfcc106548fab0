"""Two results are compared query by query."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gortex_py.errors import UsageError
from gortex_py.evaluation.compare import bootstrap_interval, compare, comparison_to_json, format_comparison
from tests.unit.evaluation.builders import make_outcome, make_report


def test_a_gain_and_a_loss_are_told_apart() -> None:
    before = make_report(make_outcome(1, query="a"), make_outcome(None, query="b"), make_outcome(3, query="c"))
    after = make_report(make_outcome(2, query="a"), make_outcome(1, query="b"), make_outcome(3, query="c"))
    comparison = compare(before, after)
    # a: 1 -> 1/log2(3) = 0.63093, so -0.36907; b: 0 -> 1; c: unchanged. Mean (1 - 0.36907) / 3 = 0.21031
    assert [change.query for change in comparison.changes] == ["a", "b"]
    assert comparison.overall.mean == pytest.approx(0.21031, abs=1e-5)
    assert (comparison.overall.better, comparison.overall.worse, comparison.overall.queries) == (1, 1, 3)
    text = format_comparison(comparison)
    assert "-0.369  shop: 'a'  ranks 1 -> 2" in text
    assert "+1.000  shop: 'b'  ranks - -> 1" in text


def test_the_mean_is_over_corpora() -> None:
    before = make_report(*(make_outcome(None, query=q) for q in "abc"), make_outcome(1, corpus="bank"))
    after = make_report(*(make_outcome(1, query=q) for q in "abc"), make_outcome(1, corpus="bank"))
    # shop gains 1 on each of three queries, bank nothing on its one: (1 + 0) / 2, not 3 / 4
    assert compare(before, after).overall.mean == pytest.approx(0.5)
    assert compare(before, after).by_category["semantic"].mean == pytest.approx(0.75)


def test_words_asked_twice_are_paired_in_order() -> None:
    before = make_report(make_outcome(None), make_outcome(1))
    after = make_report(make_outcome(1), make_outcome(1))
    (change,) = compare(before, after).changes
    assert (change.before, change.after) == (0.0, 1.0)


def test_queries_of_one_side_are_counted_and_left_out() -> None:
    before = make_report(make_outcome(1, query="a"), make_outcome(1, query="old"))
    after = make_report(make_outcome(1, query="a"))
    comparison = compare(before, after)
    assert (comparison.overall.queries, comparison.only_before, comparison.only_after) == (1, 1, 0)
    assert "left out: 1 queries only in the first, 0 only in the second" in format_comparison(comparison)
    with pytest.raises(UsageError, match="share no query"):
        compare(before, make_report(make_outcome(1, corpus="other")))


def test_the_interval_is_that_of_the_known_distribution() -> None:
    # The mean of 400 draws of a fair 0/1 has deviation 0.5 / sqrt(400) = 0.025: about 0.5 -+ 1.96 * 0.025.
    low, high = bootstrap_interval([[0.0, 1.0] * 200])
    assert low == pytest.approx(0.451, abs=0.003)
    assert high == pytest.approx(0.549, abs=0.003)


def test_the_interval_weighs_groups_alike_and_is_repeatable() -> None:
    groups = [[1.0] * 50, [0.0]]
    assert bootstrap_interval(groups) == (0.5, 0.5)
    noisy = [list(np.random.default_rng(1).normal(size=30))]
    assert bootstrap_interval(noisy) == bootstrap_interval(noisy)
    assert bootstrap_interval([]) == (0.0, 0.0)


def test_a_sure_difference_is_marked() -> None:
    names = [str(i) for i in range(12)]
    before = make_report(*(make_outcome(None, query=q) for q in names))
    after = make_report(*(make_outcome(2, query=q) for q in names))
    assert (
        format_comparison(compare(before, after))
        .splitlines()[1]
        .startswith("all corpora         +0.6309 [+0.6309, +0.6309] *  better 12, worse 0 of 12")
    )
    assert " *" not in format_comparison(compare(before, before))


def test_a_comparison_is_json() -> None:
    report = make_report(make_outcome(1))
    raw = json.loads(json.dumps(comparison_to_json(compare(report, report))))
    assert raw["overall"]["mean"] == 0.0
    assert raw["changes"] == []
