"""What a user notices of the latent space: files rise by the company of their words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from gortex_py.index.enrich import enrich
from gortex_py.index.indexer import Indexer
from gortex_py.index.latent import LATENT_SPACE, latent_enrichers
from gortex_py.index.workers import WorkerPool
from gortex_py.search.engine import Engine
from gortex_py.search.options import SearchOptions
from gortex_py.store import Store, StoreIdentity
from gortex_py.types import Hit, Query

# Both last files say "index" once and nothing else of the query; only one keeps the company of "harbour".
SEA = "def {name}(wind):\n    harbour = sail(wind)\n    return harbour.mast(wind)\n"
OFFICE = "def {name}(tax):\n    invoice = ledger(tax)\n    return invoice.audit(tax)\n"
FILES = {
    **{f"dock{i}.py": SEA.format(name=f"moor{i}") for i in range(5)},
    **{f"book{i}.py": OFFICE.format(name=f"post{i}") for i in range(5)},
    "p.py": "def first(tax):\n    index = ledger(tax)\n    return index.audit(tax)\n",
    "q.py": "def second(wind):\n    index = sail(wind)\n    return index.mast(wind)\n",
}
QUERY = Query("harbour index", limit=20, explain=True)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    root: Path = tmp_path_factory.mktemp("root")
    for path, text in FILES.items():
        (root / path).write_text(text)
    pool = WorkerPool(1)
    with closing(Store.open(tmp_path_factory.mktemp("index"), StoreIdentity("test", "", 0))) as store:
        Indexer(root, store, None, pool=pool, enrichers=latent_enrichers()).run()
        yield store
    pool.close()


def hits(store: Store, **options: bool) -> tuple[Hit, ...]:
    with closing(store.reader()) as reader:
        return Engine("repo", reader, None, options=SearchOptions(**options)).search(QUERY).hits


def place(found: tuple[Hit, ...], path: str) -> int:
    return [hit.path for hit in found].index(path)


def test_a_file_that_keeps_the_company_of_the_query_rises(store: Store) -> None:
    without, found = hits(store, latent=False), hits(store)
    assert place(without, "p.py") < place(without, "q.py")
    assert place(found, "q.py") < place(found, "p.py")


def test_what_it_adds_is_shown_and_part_of_the_sum(store: Store) -> None:
    by_path = {hit.path: hit for hit in hits(store)}
    shown = {part.signal: part.score for part in by_path["q.py"].contributions}
    assert shown["latent"] > 0
    assert shown["feedback"] > 0
    for hit in by_path.values():
        assert sum(part.score for part in hit.contributions) == pytest.approx(hit.score)


def test_it_can_be_switched_off(store: Store) -> None:
    signals = {part.signal for hit in hits(store, latent=False) for part in hit.contributions}
    assert signals
    assert not signals & {"latent", "feedback"}


def test_a_damaged_or_foreign_space_costs_the_signals_not_the_answer(store: Store) -> None:
    with closing(store.reader()) as reader:
        whole = reader.enrichment(LATENT_SPACE)
    assert whole is not None
    with store.writer().batch():
        store.writer().put_enrichment(LATENT_SPACE, replace(whole, data=whole.data[:-1]))
    assert [hit.path for hit in hits(store)] == [hit.path for hit in hits(store, latent=False)]
    enrich(store, latent_enrichers(), thorough=True)
    assert "latent" in {part.signal for hit in hits(store) for part in hit.contributions}
