"""What the repository's graph says of the candidates of one query."""

from __future__ import annotations

import numpy as np

from gortex_py.graph.edges import KIND_NUMBER
from gortex_py.graph.record import Graph
from gortex_py.rank.evidence import Standing
from gortex_py.types import FloatArray, IntArray, ReferenceKind

_IMPORT, _INHERIT = KIND_NUMBER[ReferenceKind.IMPORT], KIND_NUMBER[ReferenceKind.INHERIT]


def standing_of(file_ids: IntArray, graph: Graph | None) -> Standing:
    """Return the place of files in the graph and the edges among them; a file that came since has none."""
    if graph is None or not len(graph.file_ids):
        return Standing()
    rows = graph.rows_of(file_ids)
    known = rows >= 0
    candidate = np.full(len(graph.file_ids), -1)  # row in the graph -> index of the candidate
    candidate[rows[known]] = np.flatnonzero(known)
    begin, end = graph.out_begin[rows[known]], graph.out_begin[rows[known] + 1]
    counts = end - begin
    edges = np.arange(counts.sum()) + np.repeat(begin - (np.cumsum(counts) - counts), counts)
    edges = edges[candidate[graph.edges.target[edges]] >= 0]

    def values(column: FloatArray) -> FloatArray:
        return np.where(known, column[rows], np.float32(0))

    return Standing(
        centrality=values(graph.centrality),
        authority=values(graph.authority),
        founded=values(graph.standing),
        source=candidate[graph.edges.source[edges]],
        target=candidate[graph.edges.target[edges]],
        strength=graph.strength[edges],
        inherits=graph.edges.kind[edges] == _INHERIT,
        imports=graph.edges.kind[edges] == _IMPORT,
    )
