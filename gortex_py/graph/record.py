"""What is known of a repository's graph, in the form it is stored in and asked in."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from io import BytesIO

import numpy as np

from gortex_py.graph.attenuation import attenuated, standing
from gortex_py.graph.edges import Edges
from gortex_py.graph.hits import damped, hits
from gortex_py.graph.pagerank import log_scaled, pagerank
from gortex_py.types import FloatArray, IntArray

GRAPH_FACTS = "graph"  # what it is stored under
_COMPRESSION = 1


@dataclass(frozen=True, slots=True)
class Graph:
    """The edges between n files, and what they make of each file."""

    file_ids: IntArray  # (n,) ascending; a row of the edges is an index in it
    edges: Edges  # by source, then by target
    out_begin: IntArray  # (n + 1,) edges out_begin[i]:out_begin[i + 1] leave row i
    incoming: IntArray  # (e,) indices of the edges, by target
    in_begin: IntArray  # (n + 1,) edges incoming[in_begin[i]:in_begin[i + 1]] enter row i
    strength: FloatArray  # (e,) weights of the edges by how they were found out
    centrality: FloatArray  # (n,) logarithm of the PageRank, scaled to [0, 1]
    authority: FloatArray  # (n,) authority / (1 + hub), in [0, 1]
    standing: FloatArray  # (n,) how well founded the edges into it are, in [0, 1]

    def rows_of(self, file_ids: IntArray) -> IntArray:
        """Return the row of each file; -1 for one that came since."""
        if not len(self.file_ids):
            return np.full(len(file_ids), -1)
        rows = np.minimum(np.searchsorted(self.file_ids, file_ids), len(self.file_ids) - 1)
        return np.where(self.file_ids[rows] == file_ids, rows, -1)

    def leaving(self, row: int) -> IntArray:
        """Return the indices of the edges from a file."""
        return np.arange(self.out_begin[row], self.out_begin[row + 1])

    def entering(self, row: int) -> IntArray:
        """Return the indices of the edges to a file."""
        return self.incoming[self.in_begin[row] : self.in_begin[row + 1]]


def build_graph(file_ids: IntArray, edges: Edges) -> Graph:
    """Return the graph of edges between rows of the files."""
    files = len(file_ids)
    weight = attenuated(edges)
    authority, hub = hits(edges.source, edges.target, weight, files)
    return _graph(
        file_ids,
        edges,
        log_scaled(pagerank(edges.source, edges.target, weight, files)),
        damped(authority, hub),
        standing(edges, files),
    )


def encode(graph: Graph) -> bytes:
    """Return a graph as bytes."""
    edges, out = graph.edges, BytesIO()
    np.savez(
        out,
        file_ids=graph.file_ids,
        source=edges.source.astype(np.int32),
        target=edges.target.astype(np.int32),
        kind=edges.kind,
        provenance=edges.provenance,
        weight=edges.weight,
        centrality=graph.centrality,
        authority=graph.authority,
        standing=graph.standing,
    )
    return zlib.compress(out.getvalue(), _COMPRESSION)


def decode(data: bytes) -> Graph:
    """Return the graph that was encoded."""
    with np.load(BytesIO(zlib.decompress(data)), allow_pickle=False) as columns:
        edges = Edges(
            columns["source"].astype(np.int64),
            columns["target"].astype(np.int64),
            columns["kind"],
            columns["provenance"],
            columns["weight"],
        )
        return _graph(columns["file_ids"], edges, columns["centrality"], columns["authority"], columns["standing"])


def _graph(
    file_ids: IntArray, edges: Edges, centrality: FloatArray, authority: FloatArray, founded: FloatArray
) -> Graph:
    rows = np.arange(len(file_ids) + 1)
    incoming = np.argsort(edges.target, kind="stable")
    return Graph(
        file_ids=file_ids,
        edges=edges,
        out_begin=np.searchsorted(edges.source, rows),
        incoming=incoming,
        in_begin=np.searchsorted(edges.target[incoming], rows),
        strength=attenuated(edges),
        centrality=centrality,
        authority=authority,
        standing=founded,
    )
