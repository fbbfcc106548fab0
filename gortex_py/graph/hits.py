"""Hubs, which lean on much that matters, and authorities, which much leans on that leans on much."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gortex_py.types import FloatArray, IntArray

ROUNDS = 40


def hits(
    source: IntArray, target: IntArray, weight: FloatArray, nodes: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return (nodes,) how much of an authority and how much of a hub each is, the largest of either as 1."""
    authority, hub = np.ones(nodes), np.ones(nodes)
    for _ in range(ROUNDS):
        authority = _unit(weight * hub[source], target, nodes)
        hub = _unit(weight * authority[target], source, nodes)
    return _up_to_one(authority), _up_to_one(hub)


def damped(authority: NDArray[np.float64], hub: NDArray[np.float64]) -> FloatArray:
    """Return authority / (1 + hub): what everything calls and what calls everything is half of what it seems."""
    return (authority / (1 + hub)).astype(np.float32)


def _unit(parts: NDArray[np.float64], at: IntArray, nodes: int) -> NDArray[np.float64]:
    """Return (nodes,) the sums of the parts at each node, as a vector of length 1."""
    values = np.bincount(at, parts, nodes).astype(np.float64)
    length = float(np.sqrt((values * values).sum()))
    return values / length if length > 0 else values


def _up_to_one(values: NDArray[np.float64]) -> NDArray[np.float64]:
    top = float(values.max(initial=0.0))
    return values / top if top > 0 else values
