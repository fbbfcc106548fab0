"""Metrics against numbers worked out by hand."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gortex_py.evaluation.metrics import (
    Place,
    mean,
    ndcg_at_k,
    percentile,
    recall_at_k,
    reciprocal_rank,
    target_ranks,
)

RANKS = st.lists(st.none() | st.integers(1, 30), min_size=1, max_size=15)


def test_ndcg_of_two_targets_one_of_them_at_rank_three() -> None:
    # gain  = 1/log2(3+1)               = 1/2                    = 0.5
    # ideal = 1/log2(1+1) + 1/log2(2+1) = 1 + 0.6309297535714574 = 1.6309297535714575
    # 0.5 / 1.6309297535714575 = 0.3065735963827292
    assert ndcg_at_k([3, None]) == pytest.approx(0.3065735963827292, abs=1e-15)


def test_ndcg_of_three_targets_at_ranks_two_one_and_five() -> None:
    # gain  = 1/log2(2) + 1/log2(3) + 1/log2(6) = 1 + 0.63092975 + 0.38685281 = 2.01778256
    # ideal = 1/log2(2) + 1/log2(3) + 1/log2(4) = 1 + 0.63092975 + 0.5        = 2.13092975
    # 2.01778256 / 2.13092975 = 0.94690243
    assert ndcg_at_k([2, 1, 5]) == pytest.approx(0.94690243, abs=1e-8)


def test_two_targets_shown_by_one_hit_gain_once_against_an_ideal_of_two() -> None:
    # gain = 1/log2(2) = 1, ideal = 1 + 1/log2(3) = 1.63092975; 1 / 1.63092975 = 0.61314719
    assert ndcg_at_k([1, 1]) == pytest.approx(0.61314719, abs=1e-8)


def test_the_ideal_of_twelve_targets_is_cut_at_ten() -> None:
    # ten targets at ranks 1..10 fill the page; the other two cannot be on it, so the score is whole
    assert ndcg_at_k([*range(1, 11), None, None]) == pytest.approx(1.0)


def test_a_rank_past_the_cut_counts_as_not_found() -> None:
    assert ndcg_at_k([11]) == 0.0
    assert recall_at_k([11], 10) == 0.0
    assert recall_at_k([11], 11) == 1.0


def test_recall_is_the_share_of_targets_within_k() -> None:
    # three targets at 1, 4 and nowhere: one of three within 1, two of three within 4
    assert recall_at_k([4, 1, None], 1) == pytest.approx(1 / 3)
    assert recall_at_k([4, 1, None], 4) == pytest.approx(2 / 3)


def test_reciprocal_rank_takes_the_best_target() -> None:
    assert reciprocal_rank([None, 4, 2]) == 0.5
    assert reciprocal_rank([None]) == 0.0


def test_nothing_asked_scores_nothing() -> None:
    assert (ndcg_at_k([]), recall_at_k([], 5), reciprocal_rank([]), mean([]), percentile([], 95)) == (0, 0, 0, 0, 0)


def test_a_target_takes_the_rank_of_the_first_hit_in_its_file() -> None:
    hits = [Place("b.py", 1, 9), Place("a.py", 50, 60), Place("a.py", 1, 9)]
    assert target_ranks([Place("a.py"), Place("b.py"), Place("c.py")], hits) == (2, 1, None)


def test_a_target_with_lines_needs_a_hit_that_overlaps_them() -> None:
    hits = [Place("a.py", 50, 60), Place("a.py", 1, 10)]
    assert target_ranks([Place("a.py", 10, 20)], hits) == (2,)  # line 10 is shared: both ends are inclusive
    assert target_ranks([Place("a.py", 11, 20)], hits) == (None,)
    assert target_ranks([Place("a.py", 60, 90)], hits) == (1,)
    assert target_ranks([Place("a.py", 40, 50)], hits) == (1,)


def test_hits_after_the_tenth_do_not_count() -> None:
    hits = [Place(f"{i}.py", 1, 1) for i in range(12)]
    assert target_ranks([Place("9.py"), Place("10.py")], hits) == (10, None)


def test_a_percentile_is_a_measured_value() -> None:
    # nearest rank of 4 values: p50 is the 2nd (4 * .50 = 2), p95 the 4th (4 * .95 = 3.8, rounded up)
    assert percentile([40, 10, 30, 20], 50) == 20
    assert percentile([40, 10, 30, 20], 95) == 40
    assert percentile([7], 50) == 7


def _reference_ndcg(ranks: list[int | None], k: int) -> float:
    page = [0] * k
    for rank in ranks:
        if rank is not None and rank <= k:
            page[rank - 1] = 1
    gain = sum(hit / log2(position + 2) for position, hit in enumerate(page))
    return gain / sum(1 / log2(position + 2) for position in range(min(k, len(ranks))))


@given(RANKS, st.integers(1, 12))
def test_ndcg_agrees_with_a_page_filled_hit_by_hit(ranks: list[int | None], k: int) -> None:
    assert ndcg_at_k(ranks, k) == pytest.approx(_reference_ndcg(ranks, k))
    assert 0.0 <= ndcg_at_k(ranks, k) <= 1.0 + 1e-12


@given(RANKS)
def test_moving_a_target_up_to_a_free_rank_never_lowers_ndcg(ranks: list[int | None]) -> None:
    free = next(rank for rank in range(1, 40) if rank not in ranks)
    moved = sorted((rank if rank is not None else 99 for rank in ranks), reverse=True)
    better = [min(free, moved[0]), *moved[1:]]
    assert ndcg_at_k(better) >= ndcg_at_k(ranks) - 1e-12
