"""The second pass: what the best files lean on, and what leans on them, moves up a little.

A pure function of the first pass's totals, so that it can be left out. It never gives anything to a
file that the query names, nor as much as an exact name is worth: such files keep their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gortex_py.rank.evidence import Evidence, Question, Standing
from gortex_py.rank.pipeline import Scores, order
from gortex_py.rank.profiles import Weight, weight_for

SEEDS = 3  # best files whose neighbours are looked at
WALK_SEEDS = 8
RESTART = 0.15
WALK_STEPS = 10  # a walker that starts anew at every seventh step has gone nowhere further by then
# What the neighbours of the second and third are worth beside those of the first.
SEED_SHARES = (1.0, 0.5, 0.33)


def with_neighbours(question: Question, evidence: Evidence, first: Scores, profile: Mapping[str, Weight]) -> Scores:
    """Return the scores with what the neighbours of the best files gain, as signals of their own.

    ``bases``: it is a base of one of the best three or has it as a base; ``imports``: the same of
    imports; ``proximity``: how often one is there who walks the graph from the best eight.
    """
    made = {"bases": _bases, "imports": _imports, "proximity": _proximity}
    names = [name for name in made if name in profile]
    if not names or not len(evidence.standing.source):
        return first
    ranked = order(first, evidence)
    raw = np.array([made[name](evidence.standing, ranked, evidence.count) for name in names])
    raw[:, (evidence.name_match > 0) | (evidence.path_match > 0)] = 0.0
    weights = np.repeat([[weight_for(profile[name], question)] for name in names], evidence.count, axis=1)
    return replace(
        first,
        totals=first.totals + (weights * raw).sum(axis=0),
        raw=np.concatenate([first.raw, raw]),
        weights=np.concatenate([first.weights, weights]),
        names=(*first.names, *names),
    )


def _bases(standing: Standing, ranked: Sequence[int], count: int) -> NDArray[np.float64]:
    return _beside(standing, standing.inherits, ranked, count)


def _imports(standing: Standing, ranked: Sequence[int], count: int) -> NDArray[np.float64]:
    return _beside(standing, standing.imports, ranked, count)


def _beside(standing: Standing, chosen: NDArray[np.bool_], ranked: Sequence[int], count: int) -> NDArray[np.float64]:
    """Return (n,) the strength of the best edge to or from a seed, as a share of all that seed's edges."""
    best = np.zeros(count)
    for seed, share in zip(ranked[:SEEDS], SEED_SHARES, strict=False):
        linked = np.zeros(count)
        for near, far in ((standing.source, standing.target), (standing.target, standing.source)):
            edges = chosen & (near == seed)
            np.maximum.at(linked, far[edges], standing.strength[edges])
        if linked.any():
            np.maximum(best, share * linked / np.sqrt((linked > 0).sum()), out=best)
    return np.minimum(best, 1.0)


def _proximity(standing: Standing, ranked: Sequence[int], count: int) -> NDArray[np.float64]:
    """Return (n,) the share of time spent by a walk along edges either way, the largest of the others as 1."""
    seeds = np.zeros(count)
    seeds[ranked[:WALK_SEEDS]] = 1 / min(count, WALK_SEEDS)
    source = np.concatenate([standing.source, standing.target])
    target = np.concatenate([standing.target, standing.source])
    strength = np.concatenate([standing.strength, standing.strength]).astype(np.float64)
    out = np.bincount(source, strength, count)
    step, stuck = strength / out[source], out == 0
    walk = seeds
    for _ in range(WALK_STEPS):
        gone = np.bincount(target, step * walk[source], count)
        walk = RESTART * seeds + (1 - RESTART) * (gone + walk[stuck].sum() * seeds)
    top = float(walk.max(initial=0.0))
    return walk / top if top > 0 else walk
