"""What selections add up to. The expected numbers are worked out by hand from the constants."""

from __future__ import annotations

import pytest

from gortex_py.rank.learning import (
    DAY_S,
    REJECTED,
    SKIPPED,
    Association,
    fade,
    keyword_lift,
    passed_over,
    selected,
    whole_lift,
)

NOW = 1_000_000_000.0


def after(times: list[float]) -> Association:
    """Return an association that was selected at these times, in days from NOW."""
    association: Association | None = None
    for days in times:
        association = selected(association, NOW + days * DAY_S)
    assert association is not None
    return association


def known(selections: int, *, misses: float = 0.0, age_days: float = 0.0) -> Association:
    return Association(selections, float(selections), misses, NOW - age_days * DAY_S)


@pytest.mark.parametrize(("days", "left"), [(0, 1.0), (1.5, 0.707107), (3, 0.5), (6, 0.25), (-1, 1.0)])
def test_half_is_left_after_three_days(days: float, left: float) -> None:
    assert fade(days * DAY_S) == pytest.approx(left, abs=1e-6)


def test_counts_fade_between_selections() -> None:
    assert after([0, 0, 0]).hits == 3.0
    # 1, then 1 × ½ + 1, then 1.5 × ½ + 1
    assert after([0, 3, 6]).hits == pytest.approx(1.75)
    assert after([0, 3, 6]).selections == 3
    assert after([0] * 12).hits == 10.0


def test_seven_days_without_a_selection_end_it() -> None:
    assert whole_lift(known(9, age_days=6.99), NOW) > 0
    assert whole_lift(known(9, age_days=7.01), NOW) == 0
    assert keyword_lift([known(9, age_days=7.01)], 1, NOW) == 0
    assert after([0, 0, 0, 7.01]) == Association(1, 1.0, 0.0, NOW + 7.01 * DAY_S)


@pytest.mark.parametrize(
    ("selections", "lift"),
    # boost = 1 + 0.3 × (n - 2), at most 3, and the lift is half of what is above 1
    [(1, 0.0), (2, 0.0), (3, 0.15), (4, 0.30), (5, 0.45), (8, 0.90), (9, 1.0), (10, 1.0)],
)
def test_a_query_lifts_from_the_third_selection_on(selections: int, lift: float) -> None:
    assert whole_lift(known(selections), NOW) == pytest.approx(lift)


def test_a_lift_fades_since_the_last_selection() -> None:
    assert whole_lift(known(5, age_days=3), NOW) == pytest.approx(0.225)
    assert keyword_lift([known(3, age_days=3)], 1, NOW) == pytest.approx(0.06)


@pytest.mark.parametrize(
    ("by_keyword", "keywords", "lift"),
    [
        # boost = 1 + (mean - 1) × 0.12 × share, at most 1.6
        ([1], 1, 0.0),
        ([2], 1, 0.06),
        ([3, 3], 2, 0.12),
        ([3, 3], 4, 0.06),
        ([2, 4], 2, 0.12),
        ([10], 1, 0.3),
        ([3, 1], 2, 0.06),
        ([], 3, 0.0),
    ],
)
def test_keywords_lift_by_their_mean_and_their_share(by_keyword: list[int], keywords: int, lift: float) -> None:
    assert keyword_lift([known(n) for n in by_keyword], keywords, NOW) == pytest.approx(lift)


def test_the_query_itself_says_more_than_all_of_its_keywords() -> None:
    for selections in range(3, 11):
        assert whole_lift(known(selections), NOW) > keyword_lift([known(selections)] * 3, 3, NOW) > 0


def test_four_skips_undo_one_selection_and_a_rejection_undoes_one_at_once() -> None:
    skipped = known(4)
    for _ in range(4):
        skipped = passed_over(skipped, SKIPPED)
    assert whole_lift(skipped, NOW) == pytest.approx(whole_lift(known(3), NOW))
    assert whole_lift(passed_over(known(4), REJECTED), NOW) == pytest.approx(whole_lift(known(3), NOW))
    assert whole_lift(passed_over(known(3), 5.0), NOW) == 0
    assert keyword_lift([passed_over(known(3), 2.0)], 1, NOW) == 0


def test_a_selection_takes_back_the_skip_it_proves_wrong() -> None:
    assert selected(passed_over(known(2), SKIPPED), NOW, revoked=SKIPPED) == known(3)


def test_a_clock_that_was_set_back_breaks_nothing() -> None:
    association = selected(known(2), NOW - DAY_S)
    assert (association.hits, association.last_used) == (3.0, NOW)
