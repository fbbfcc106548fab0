"""The graph follows the files, and ranks them only when asked to."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from gortex_py.graph.edges import KINDS
from gortex_py.graph.record import GRAPH_FACTS, Graph, decode
from gortex_py.index.graph import GraphEnricher
from gortex_py.index.indexer import Indexer
from gortex_py.rank.profiles import CERTAIN, GRAPH, Weight
from gortex_py.search.engine import Engine
from gortex_py.search.options import SearchOptions
from gortex_py.types import Query, ReferenceKind
from tests.unit.index.conftest import Repo

CALLS = "from shop.{0} import {0}_total\n\n\ndef run_{1}():\n    return {0}_total({1})\n"
TOTAL = 'def {0}_total(order):\n    """Sum the prices of an order."""\n    return order\n'


@pytest.fixture
def indexer(repo: Repo) -> Iterator[Indexer]:
    made = Indexer(repo.root, repo.store, repo.embedder, pool=repo.pool, enrichers=[GraphEnricher()])
    yield made
    made.close()


def graph_of(repo: Repo) -> Graph:
    found = repo.reader().enriched(GRAPH_FACTS, decode)
    assert found is not None
    return found


def calls(repo: Repo) -> set[tuple[str, str]]:
    facts, graph = repo.reader().file_facts(), graph_of(repo)
    edges = graph.edges
    return {
        (facts.paths[s], facts.paths[t])
        for s, t, kind in zip(edges.source, edges.target, edges.kind, strict=True)
        if KINDS[kind] is ReferenceKind.CALL
    }


def found(repo: Repo, text: str, *signals: str) -> list[str]:
    options = SearchOptions(graph_signals=frozenset(signals))
    return [hit.path for hit in Engine("repo", repo.reader(), None, options=options).search(Query(text)).hits]


def test_edges_follow_an_edit_a_rename_and_a_deletion(repo: Repo, indexer: Indexer) -> None:
    repo.write("shop/net.py", TOTAL.format("net"))
    repo.write("shop/tax.py", TOTAL.format("tax"))
    repo.write("till.py", CALLS.format("net", 1))
    indexer.run()
    assert calls(repo) == {("till.py", "shop/net.py")}
    repo.write("till.py", CALLS.format("tax", 1))
    indexer.run()
    assert calls(repo) == {("till.py", "shop/tax.py")}
    repo.delete("till.py")
    repo.write("desk.py", CALLS.format("tax", 1))
    indexer.run()
    assert calls(repo) == {("desk.py", "shop/tax.py")}
    repo.delete("shop/tax.py")
    indexer.run()
    assert calls(repo) == set()


def test_a_small_change_waits_for_the_next_whole_pass_and_many_do_not(repo: Repo, indexer: Indexer) -> None:
    for i in range(100):
        repo.write(f"m{i}.py", f"def work_{i}():\n    pass\n")
    indexer.run()
    before = repo.reader().enrichment(GRAPH_FACTS)
    repo.write("m0.py", "def work_0():\n    work_1()\n")
    indexer.run(["m0.py"])
    assert calls(repo) == set()
    repo.write("m2.py", "def work_2():\n    work_1()\n")
    indexer.run(["m2.py"])
    assert calls(repo) == {("m0.py", "m1.py"), ("m2.py", "m1.py")}
    after = repo.reader().enrichment(GRAPH_FACTS)
    assert before is not None and after is not None and before.behind == after.behind == 0
    generation = repo.reader().generation
    indexer.run()
    assert repo.reader().generation == generation


def test_the_symbols_that_call_one_are_found_from_the_edges_into_its_file(repo: Repo, indexer: Indexer) -> None:
    repo.write("shop/net.py", TOTAL.format("net"))
    repo.write("till.py", CALLS.format("net", 1))
    indexer.run()
    reader, graph = repo.reader(), graph_of(repo)
    callee = reader.symbol("shop/net.py::net_total")
    assert callee is not None
    (row,) = graph.rows_of(np.array([callee.file_id]))
    callers = {
        reader.file_symbols([file_id])[0][stored.reference.symbol].qualified_name
        for file_id in graph.file_ids[graph.edges.source[graph.entering(row)]].tolist()
        for stored in reader.file_references([file_id])[0]
        if stored.reference.name == callee.symbol.name and stored.reference.symbol is not None
    }
    assert callers == {"run_1"}


def test_an_empty_repository_has_an_empty_graph(repo: Repo, indexer: Indexer) -> None:
    indexer.run()
    assert graph_of(repo).centrality.tolist() == []


@pytest.mark.parametrize("signal", ["centrality", "authority"])
def test_of_two_equal_texts_the_one_that_much_calls_comes_first(repo: Repo, indexer: Indexer, signal: str) -> None:
    repo.write("shop/aaa.py", TOTAL.format("aaa"))
    repo.write("shop/zzz.py", TOTAL.format("zzz"))
    for i in range(6):
        repo.write(f"desk/d{i}.py", CALLS.format("zzz", i))
    indexer.run()
    assert found(repo, "sum the prices of an order")[:2] == ["shop/aaa.py", "shop/zzz.py"]
    assert found(repo, "sum the prices of an order", signal)[:2] == ["shop/zzz.py", "shop/aaa.py"]


def test_what_everything_calls_and_what_calls_everything_is_damped(repo: Repo, indexer: Indexer) -> None:
    """A logger and a domain function are called alike; the logger calls everything itself."""
    users = range(6)
    repo.write("core/domain.py", "def settle_order(order):\n    return order\n")
    calls_back = "".join(f"    {name}()\n" for name in ("settle_order", *(f"run_{i}" for i in users)))
    repo.write("core/logger.py", f"def log_line(line):\n{calls_back}")
    for i in users:
        repo.write(f"desk/d{i}.py", f"def run_{i}():\n    settle_order({i})\n    log_line({i})\n")
    indexer.run()
    rows = {path: row for row, path in enumerate(repo.reader().file_facts().paths)}
    authority = graph_of(repo).authority
    domain, logger = authority[rows["core/domain.py"]], authority[rows["core/logger.py"]]
    assert domain > 0.6
    assert logger < 0.75 * domain


def test_the_base_of_the_best_hit_moves_up_and_says_why(repo: Repo, indexer: Indexer) -> None:
    repo.write(
        "handlers/rotating.py",
        "from handlers.stream import StreamWriter\n\n\nclass Rotating(StreamWriter):\n    pass\n",
    )
    for name in ("aside", "stream"):
        text = f'class {name.title()}Writer:\n    """Write records to rotating targets."""\n'
        repo.write(f"handlers/{name}.py", text)
    indexer.run()
    question = "how are rotating handlers written"
    assert found(repo, question) == ["handlers/rotating.py", "handlers/aside.py", "handlers/stream.py"]
    assert found(repo, question, "bases") == ["handlers/rotating.py", "handlers/stream.py", "handlers/aside.py"]
    options = SearchOptions(graph_signals=frozenset(GRAPH))
    for hit in Engine("repo", repo.reader(), None, options=options).search(Query(question, explain=True)).hits:
        assert sum(part.score for part in hit.contributions) == pytest.approx(hit.score)
        assert ("bases" in {part.signal for part in hit.contributions}) == (hit.path != "handlers/aside.py")


def test_files_of_an_exact_name_keep_their_order(repo: Repo, indexer: Indexer) -> None:
    repo.write("a/settle.py", "def settle(order):\n    return order\n")
    repo.write("b/settle.py", "def settle(order):\n    return order\n")
    for i in range(5):
        repo.write(f"desk/d{i}.py", f"from b.settle import settle\n\n\ndef settle_{i}():\n    settle({i})\n")
    indexer.run()
    near = ("bases", "imports", "proximity")
    assert found(repo, "settle", *near)[:2] == found(repo, "settle")[:2] == ["a/settle.py", "b/settle.py"]


def test_all_of_the_graph_is_less_than_an_exact_name() -> None:
    assert sum(weight.base for weight in GRAPH.values()) < CERTAIN * 0.05
    assert all(weight == Weight(weight.base) for weight in GRAPH.values())


def test_without_a_graph_the_order_is_the_same(repo: Repo) -> None:
    repo.write("shop/aaa.py", TOTAL.format("aaa"))
    repo.write("shop/zzz.py", TOTAL.format("zzz"))
    repo.write("desk.py", CALLS.format("zzz", 1))
    repo.index()
    assert found(repo, "sum the prices", *GRAPH) == found(repo, "sum the prices")
