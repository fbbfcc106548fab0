from __future__ import annotations

import numpy as np
import pytest

from gortex_py.store.vectors import best_rows, cosines, quantise, usable


def test_cosines_of_quantised_rows_are_close_to_exact() -> None:
    rng = np.random.default_rng(7)
    vectors = rng.normal(size=(10_000, 50)).astype(np.float32)  # more than two blocks
    query = rng.normal(size=50).astype(np.float32)
    query /= np.linalg.norm(query)
    exact = vectors @ query / np.linalg.norm(vectors, axis=1)
    found = cosines(quantise(vectors), query)
    assert np.abs(found - exact).max() < 0.01
    top = best_rows(exact, 50)
    assert len({*top.tolist()} & {*best_rows(found, 50).tolist()}) >= 47


@pytest.mark.parametrize("scale", [1e-30, 1e-3, 1.0, 1e30])
def test_length_does_not_matter(scale: float) -> None:
    vector = np.array([[3.0, -4.0, 0.0]], np.float32) * np.float32(scale)
    query = np.array([0.6, -0.8, 0.0], np.float32)
    assert cosines(quantise(vector), query)[0] == pytest.approx(1.0, abs=1e-4)


def test_rows_without_direction_are_not_usable() -> None:
    rows = np.array([[0, 0], [1, 0], [np.nan, 1], [np.inf, 1], [-2, 0]], np.float32)
    assert usable(rows).tolist() == [False, True, False, False, True]


def test_fewer_rows_than_asked_for_are_all_of_them() -> None:
    assert sorted(best_rows(np.array([0.1, 0.5], np.float32), 5).tolist()) == [0, 1]
