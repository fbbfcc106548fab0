"""Reciprocal rank fusion gives the published numbers, and a better rank never costs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gortex_py.rank.fuse import fuse, fuse_rankings, reciprocal_rank

ranks = st.none() | st.integers(1, 500)
shares = st.floats(0, 1)


@pytest.mark.parametrize(
    ("text", "vector", "alpha", "expected"),
    [  # 1/61 = .016393; shares of it and of 1/66 and 1/111, ranks from 1
        (1, 1, 0.5, 0.016393),
        (1, 1, 0.3, 0.016393),
        (1, 1, 0.0, 0.016393),
        (1, None, 0.5, 0.008197),
        (1, None, 0.3, 0.011475),
        (None, 1, 0.5, 0.008197),
        (None, 1, 0.3, 0.004918),
        (6, 1, 0.5, 0.015772),
        (6, 1, 0.3, 0.015524),
        (1, 51, 0.5, 0.012701),
        (1, 51, 0.3, 0.014178),
        (None, None, 0.5, 0.0),
    ],
)
def test_the_reference_values_hold(text: int | None, vector: int | None, alpha: float, expected: float) -> None:
    assert fuse(text, vector, alpha) == pytest.approx(expected, abs=1e-6)


def test_the_share_is_clamped() -> None:
    assert fuse(1, None, -3) == fuse(1, None, 0) == reciprocal_rank(1)
    assert fuse(1, None, 7) == fuse(1, None, 1) == 0


@given(st.integers(1, 500), ranks, shares)
def test_a_better_rank_in_either_channel_never_costs(rank: int, other: int | None, alpha: float) -> None:
    assert fuse(rank, other, alpha) >= fuse(rank + 1, other, alpha) >= fuse(None, other, alpha)
    assert fuse(other, rank, alpha) >= fuse(other, rank + 1, alpha) >= fuse(other, None, alpha)


@given(ranks, ranks, shares)
def test_a_score_lies_between_nothing_and_first_in_both(text: int | None, vector: int | None, alpha: float) -> None:
    assert 0 <= fuse(text, vector, alpha) <= 1 / 61 + 1e-12


ids = st.lists(st.integers(0, 30), unique=True, max_size=12)


@given(ids, ids, shares)
def test_fusing_rankings_orders_every_id_once_by_score_then_id(
    text: list[int], vector: list[int], alpha: float
) -> None:
    fused = fuse_rankings(text, vector, alpha)
    assert sorted(fused) == sorted({*text, *vector})

    def score(i: int) -> float:
        return fuse(text.index(i) + 1 if i in text else None, vector.index(i) + 1 if i in vector else None, alpha)

    assert fused == sorted(fused, key=lambda i: (-score(i), i))


def test_one_channel_alone_keeps_its_order() -> None:
    assert fuse_rankings([5, 3, 9], [], 0.5) == [5, 3, 9]
    assert fuse_rankings([], [5, 3, 9], 0.5) == [5, 3, 9]
    assert fuse_rankings([5, 3, 5, 9], [], 0.5) == [5, 3, 9]


def test_the_share_decides_between_channels_that_disagree() -> None:
    assert fuse_rankings([1, 2], [2, 1], 0.15) == [1, 2]
    assert fuse_rankings([1, 2], [2, 1], 0.85) == [2, 1]
    assert fuse_rankings([2, 1], [1, 2], 0.5) == [1, 2]  # a tie: by id
