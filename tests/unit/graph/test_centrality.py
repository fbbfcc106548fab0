"""PageRank, HITS and attenuation on graphs small enough for a pencil."""

from __future__ import annotations

import numpy as np
import pytest

from gortex_py.graph.attenuation import attenuated, standing
from gortex_py.graph.edges import Edges, Provenance, no_edges, summed
from gortex_py.graph.hits import damped, hits
from gortex_py.graph.pagerank import log_scaled, pagerank
from gortex_py.graph.record import build_graph, decode, encode


def edges(*pairs: tuple[int, int], tiers: tuple[int, ...] = (), weight: float = 1.0) -> Edges:
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    return Edges(
        ends[:, 0],
        ends[:, 1],
        np.zeros(len(ends), np.uint8),
        np.array(tiers or [Provenance.IMPORTED] * len(ends), np.uint8),
        np.full(len(ends), weight, np.float32),
    )


def test_pagerank_of_two_that_lean_on_a_third() -> None:
    # a, b -> c; c goes on anywhere. By hand: a = b = (.05 + .85c/3), c = a + .85 (a + b), a + b + c = 1.
    e = edges((0, 2), (1, 2))
    rank = pagerank(e.source, e.target, e.weight, 3)
    side = 1 / (1 + 1 + 2.7)
    assert rank == pytest.approx([side, side, 2.7 * side], abs=1e-6)
    assert log_scaled(rank).tolist() == pytest.approx([0, 0, 1])


def test_pagerank_of_a_ring_is_even_and_tells_nothing() -> None:
    e = edges((0, 1), (1, 2), (2, 0))
    rank = pagerank(e.source, e.target, e.weight, 3)
    assert rank == pytest.approx([1 / 3] * 3)
    assert log_scaled(rank).tolist() == [0, 0, 0]


def test_a_heavier_edge_leads_more_of_the_way() -> None:
    e = edges((0, 1), (0, 2))
    rank = pagerank(e.source, e.target, np.array([3, 1], np.float32), 3)
    assert rank[1] > rank[2] > rank[0]


def test_hits_of_two_callers_and_two_called() -> None:
    # 0 -> 2, 0 -> 3, 1 -> 2. Authorities are the main eigenvector of [[2, 1], [1, 1]]: 2 : 3 = golden ratio : 1.
    e = edges((0, 2), (0, 3), (1, 2))
    authority, hub = hits(e.source, e.target, e.weight, 4)
    golden = (1 + 5**0.5) / 2
    assert authority == pytest.approx([0, 0, 1, 1 / golden], abs=1e-6)
    assert hub == pytest.approx([1, 1 / golden, 0, 0], abs=1e-6)


def test_what_is_called_by_everything_and_calls_everything_is_halved() -> None:
    files = 6
    pairs = [(i, 0) for i in range(1, files)] + [(0, i) for i in range(1, files)]
    e = edges(*pairs)
    authority, hub = hits(e.source, e.target, e.weight, files)
    assert (authority[0], hub[0]) == pytest.approx((1, 1))
    assert damped(authority, hub)[0] == pytest.approx(0.5)


def test_attenuation_follows_the_tier_and_is_nothing_without_one() -> None:
    tiers = (Provenance.IMPORTED, Provenance.PACKAGE, Provenance.UNIQUE, Provenance.AMBIGUOUS, Provenance.UNKNOWN)
    pairs = ((0, 1), (0, 2), (0, 3), (0, 4), (0, 5))
    assert attenuated(edges(*pairs, tiers=tiers, weight=2.0)).tolist() == pytest.approx([2.0, 2.0, 1.6, 1.0, 1.6])
    assert standing(edges(*pairs, tiers=tiers), 6).tolist() == pytest.approx([0, 1, 1, 0.6, 0, 0.6])
    unknown = edges(*pairs, tiers=(Provenance.UNKNOWN,) * 5, weight=2.0)
    assert attenuated(unknown).tolist() == [2.0] * 5
    assert standing(unknown, 6).tolist() == [0.0] * 6


def test_a_graph_without_provenance_gives_the_same_centrality_whatever_attenuation_is() -> None:
    e = edges((0, 2), (1, 2), (2, 3), tiers=(Provenance.UNKNOWN,) * 3)
    graph = build_graph(np.arange(4), e)
    plain = log_scaled(pagerank(e.source, e.target, e.weight, 4))
    assert graph.centrality.tolist() == plain.tolist()
    assert graph.standing.tolist() == [0.0] * 4


def test_a_name_that_may_mean_several_files_counts_less_than_an_import() -> None:
    graph = build_graph(np.arange(4), edges((0, 1), (0, 2), tiers=(Provenance.IMPORTED, Provenance.AMBIGUOUS)))
    assert graph.centrality[1] > graph.centrality[2] > 0


def test_a_graph_survives_being_stored_and_knows_its_neighbours() -> None:
    e = edges((0, 1), (0, 2), (2, 1))
    graph = decode(encode(build_graph(np.array([4, 7, 9]), e)))
    assert graph.rows_of(np.array([9, 5, 4])).tolist() == [2, -1, 0]
    assert graph.edges.target[graph.leaving(0)].tolist() == [1, 2]
    assert sorted(graph.edges.source[graph.entering(1)].tolist()) == [0, 2]
    assert graph.leaving(1).tolist() == []


def test_a_repository_without_edges_or_files_has_a_graph() -> None:
    for files in (0, 3):
        graph = decode(encode(build_graph(np.arange(files), no_edges())))
        assert graph.centrality.tolist() == graph.authority.tolist() == [0.0] * files
        assert graph.rows_of(np.array([8])).tolist() == [-1]


def test_equal_edges_are_added_up() -> None:
    both = summed(edges((1, 0), (0, 1), (1, 0), weight=0.5))
    assert list(zip(both.source.tolist(), both.target.tolist(), both.weight.tolist(), strict=True)) == [
        (0, 1, 0.5),
        (1, 0, 1.0),
    ]
