"""What was opened after earlier searches, in real rankings."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from gortex_py.rank.profiles import MEMORY
from gortex_py.search.engine import Engine
from gortex_py.service.memory import MemoryDesk
from gortex_py.store.memory import Place
from gortex_py.types import Corpus
from tests.unit.search.conftest import Ask, Asking

FILES = {
    "shop/basket.py": "def add_item(item):\n    # put the item into the basket\n    items.append(item)\n",
    "shop/basket_store.py": "def keep(basket):\n    # write the basket, item by item\n    disk.write(basket)\n",
    "shop/checkout.py": "def checkout(basket):\n    # pay for each item of the basket\n    pay(basket)\n",
    "shop/parcel.py": "class Parcel:\n    def weigh(self):\n        return scale(self)\n",
    "shop/boxes.py": "def weigh(parcel):\n    # the parcel is weighed, parcel by parcel\n    return parcel\n",
    "legacy/parcel.py": "class Parcel:\n    pass\n",
    "shop/stamps.py": "def lick(stamp):\n    return stamp\n",
    "shop/models.py": "class Crate:\n    def open(self):\n        return self\n",
    "vendor/crate/crate.py": "class Crate:\n    # the crate of a crate is a crate\n    crate = True\n",
    "docs/basket.md": "# Basket\n\nHow an item comes into the basket.\n",
    "docs/items.md": "# Items\n\nWhat an item of the basket is.\n",
}
Q = "put item into basket"


@pytest.fixture(scope="module")
def plain(ask: Ask) -> Asking:
    return ask(FILES)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[MemoryDesk]:
    with closing(MemoryDesk(tmp_path / "memory.db", clock=lambda: 1_000.0)) as made:
        made.start()
        yield made


@pytest.fixture
def learning(plain: Asking, desk: MemoryDesk) -> Asking:
    engine = plain.engine
    return Asking(Engine("repo", engine.reader, None, memory=desk.of("repo")))


def choose(desk: MemoryDesk, query: str, path: str, times: int = 3) -> None:
    for _ in range(times):
        desk.feedback("repo", query, Place(path), useful=True)


def gain(learning: Asking, plain: Asking, query: str, path: str) -> float:
    """Return what memory adds to a file's score."""
    scores = [
        next(hit.score for hit in asking.hits(query, limit=50) if hit.path == path) for asking in (learning, plain)
    ]
    return scores[0] - scores[1]


def test_an_empty_memory_changes_nothing(learning: Asking, plain: Asking) -> None:
    for text in (Q, "Parcel", "shop/boxes.py", "basket"):
        for corpus in Corpus:
            one, other = (asking.search(text, corpus=corpus) for asking in (learning, plain))
            assert (one.hits, one.total, one.warnings) == (other.hits, other.total, other.warnings)


def test_after_three_selections_a_place_rises_for_the_query_and_less_for_another_phrasing(
    learning: Asking, plain: Asking, desk: MemoryDesk
) -> None:
    chosen = plain.paths(Q)[2]
    choose(desk, Q, chosen, 2)
    assert gain(learning, plain, Q, chosen) < 0.15 * MEMORY
    choose(desk, Q, chosen, 1)
    assert gain(learning, plain, Q, chosen) == pytest.approx(0.15 * MEMORY, abs=1e-6)
    for other in ("item in the basket", "basket contents", "the basket an item is put into"):
        assert 0 < gain(learning, plain, other, chosen) < 0.15 * MEMORY
    assert gain(learning, plain, "parcel weigh", "shop/boxes.py") == 0


def test_with_more_selections_it_comes_first_and_says_why(learning: Asking, plain: Asking, desk: MemoryDesk) -> None:
    chosen = plain.paths(Q)[2]
    choose(desk, Q, chosen, 9)
    first = learning.hits(Q, explain=True)[0]
    assert first.path == chosen
    (part,) = [part for part in first.contributions if part.signal == "memory"]
    assert (part.raw, part.weight) == (pytest.approx(1.0), MEMORY)
    assert sum(each.score for each in first.contributions) == pytest.approx(first.score)


@pytest.mark.parametrize(
    "query", ["Parcel", "parcel.Parcel", "Crate", "shop/parcel.py", "legacy/parcel.py", "add_item"]
)
def test_no_habit_puts_anything_above_an_exact_hit(
    learning: Asking, plain: Asking, desk: MemoryDesk, query: str
) -> None:
    first = plain.paths(query)[0]
    # Those that have the name as well, and nothing that makes them the lesser holder.
    equal = {"shop/parcel.py", "legacy/parcel.py"} if query.endswith("Parcel") else {first}
    for path in FILES:
        if path not in equal:
            choose(desk, query, path, 12)
    assert learning.paths(query)[0] == first


def test_among_equally_exact_hits_habit_chooses(learning: Asking, plain: Asking, desk: MemoryDesk) -> None:
    first, second = plain.paths("Parcel")[:2]
    choose(desk, "Parcel", second, 9)
    assert learning.paths("Parcel")[:2] == [second, first]


def test_a_file_without_a_word_of_the_query_is_brought_in_once_it_was_chosen_for_it(
    learning: Asking, plain: Asking, desk: MemoryDesk
) -> None:
    total = plain.search(Q).total
    choose(desk, Q, "shop/stamps.py", 2)
    assert "shop/stamps.py" not in learning.paths(Q)
    choose(desk, Q, "shop/stamps.py", 1)
    assert "shop/stamps.py" in learning.paths(Q)
    assert learning.search(Q).total == total + 1
    # Its keywords alone bring nothing in, and filters hold.
    assert "shop/stamps.py" not in learning.paths("basket of an item")
    assert "shop/stamps.py" not in learning.paths(Q, paths=("legacy/**",))
    assert "shop/stamps.py" not in learning.paths(Q, corpus=Corpus.DOCS)


def test_prose_is_learned_too(learning: Asking, plain: Asking, desk: MemoryDesk) -> None:
    first, second = plain.paths("basket item", corpus=Corpus.DOCS)[:2]
    choose(desk, "basket item", second, 9)
    assert learning.paths("basket item", corpus=Corpus.DOCS)[:2] == [second, first]


def test_what_was_learned_of_a_file_that_is_gone_is_passed_by(
    learning: Asking, plain: Asking, desk: MemoryDesk
) -> None:
    choose(desk, Q, "gone.py", 9)
    assert learning.paths(Q) == plain.paths(Q)


def test_switched_off_it_is_not_asked(plain: Asking, desk: MemoryDesk) -> None:
    engine = plain.engine
    options = replace(engine.options, task_memory=False)
    choose(desk, Q, plain.paths(Q)[2], 9)
    off = Asking(Engine("repo", engine.reader, None, options=options, memory=desk.of("repo")))
    assert off.hits(Q) == plain.hits(Q)


def test_a_held_memory_costs_a_warning_and_not_the_answer(
    learning: Asking, plain: Asking, desk: MemoryDesk, tmp_path: Path
) -> None:
    desk.close()
    other = sqlite3.connect(tmp_path / "memory.db", isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    desk.start()
    result = learning.search(Q)
    other.close()
    assert result.hits == plain.hits(Q)
    (warning,) = result.warnings
    assert warning.startswith("What was learned was left out: another program holds the task memory")
