"""How much an edge counts by how it was found out."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from gortex_py.graph.edges import Edges, Provenance
from gortex_py.types import FloatArray

# What only the name says inflates the centrality of files that define common names, so it counts less.
TIER_WEIGHTS: Mapping[Provenance, float] = MappingProxyType(
    {
        Provenance.IMPORTED: 1.0,
        Provenance.PACKAGE: 1.0,
        Provenance.UNIQUE: 0.8,
        Provenance.AMBIGUOUS: 0.5,
        Provenance.UNKNOWN: 0.8,
    }
)
WEAKEST = min(TIER_WEIGHTS.values())
_WEIGHTS = np.array([TIER_WEIGHTS[tier] for tier in Provenance], np.float32)


def has_provenance(edges: Edges) -> bool:
    """Say whether it is recorded of any edge how it was found out."""
    return bool((edges.provenance != Provenance.UNKNOWN).any())


def attenuated(edges: Edges) -> FloatArray:
    """Return (e,) the weights by tier; as they are where no edge has a tier."""
    if not has_provenance(edges):
        return edges.weight
    return (edges.weight * _WEIGHTS[edges.provenance]).astype(np.float32)


def standing(edges: Edges, files: int) -> FloatArray:
    """Return (files,) how well founded the edges into each file are, in [0, 1]; zeros without any tier."""
    if not has_provenance(edges):
        return np.zeros(files, np.float32)
    weight = np.bincount(edges.target, edges.weight, files)
    founded = np.bincount(edges.target, edges.weight * _WEIGHTS[edges.provenance], files)
    mean = np.divide(founded, weight, out=np.full(files, WEAKEST), where=weight > 0)
    share: FloatArray = np.clip((mean - WEAKEST) / (1 - WEAKEST), 0, 1).astype(np.float32)
    return share
