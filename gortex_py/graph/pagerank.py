"""PageRank: how often one ends at a file who follows what the code leans on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gortex_py.types import FloatArray, IntArray

DAMPING = 0.85
ROUNDS = 40


def pagerank(source: IntArray, target: IntArray, weight: FloatArray, nodes: int) -> NDArray[np.float64]:
    """Return (nodes,) the share of time spent at each node; they sum to 1.

    From a node without edges out of it one goes on anywhere.
    """
    if not nodes:
        return np.zeros(0)
    out = np.bincount(source, weight, nodes)
    step = weight / out[source]
    dangling = out == 0
    rank = np.full(nodes, 1 / nodes)
    for _ in range(ROUNDS):
        stray = rank[dangling].sum() / nodes
        rank = (1 - DAMPING) / nodes + DAMPING * (np.bincount(target, step * rank[source], nodes) + stray)
    return rank


def log_scaled(rank: NDArray[np.float64]) -> FloatArray:
    """Return the logarithms, the smallest as 0 and the largest as 1; zeros where all are equal."""
    if not len(rank):
        return np.zeros(0, np.float32)
    logs = np.log(rank)
    low, high = logs.min(), logs.max()
    # What differs by less than the rounding of the sums is equal.
    return ((logs - low) / (high - low) if high - low > 1e-9 else np.zeros(len(rank))).astype(np.float32)
