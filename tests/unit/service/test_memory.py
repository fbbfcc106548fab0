from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gortex_py.errors import Conflict, StoreFailed, UsageError
from gortex_py.rank.learning import DAY_S
from gortex_py.service.memory import MemoryDesk
from gortex_py.store.memory import Place
from gortex_py.types import Query, QueryClass, QueryShape, SearchResult
from tests.builders import make_analyzed, make_symbol
from tests.fakes import MemoryStore
from tests.unit.service.test_pages import Clock, hit, symbol

Make = Callable[..., MemoryDesk]
DELAY = Place("src/retry.py", "delay", "")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make(tmp_path: Path, clock: Clock) -> Iterator[Make]:
    made: list[MemoryDesk] = []

    def build(*, is_enabled: bool = True) -> MemoryDesk:
        made.append(MemoryDesk(tmp_path / "memory.db", is_enabled=is_enabled, clock=clock))
        made[-1].start()
        return made[-1]

    yield build
    for desk in made:
        desk.close()


def page(query: str, *names: str) -> SearchResult:
    shape = QueryShape(QueryClass.CONCEPT, 0.5, 0.0)
    return SearchResult(Query(query), shape, tuple(hit(name) for name in names), len(names), (), 1)


def lifts(desk: MemoryDesk, query: str, repo: str = "shop") -> dict[str, float]:
    return {each.path: round(each.lift, 6) for each in desk.of(repo).recall(query)}


def test_three_selections_lift_a_query_and_less_so_one_that_shares_a_keyword(make: Make) -> None:
    desk = make()
    assert [desk.feedback("shop", "retry backoff", DELAY, useful=True) for _ in range(3)] == [1, 2, 3]
    assert lifts(desk, "Retry  Backoff") == {"src/retry.py": 0.15}
    assert lifts(desk, "backoff of retries") == {"src/retry.py": 0.12}
    assert lifts(desk, "backoff jitter") == {"src/retry.py": 0.06}
    assert lifts(desk, "parcel") == lifts(desk, "retry backoff", "other") == {}
    assert [each.is_whole for each in desk.of("shop").recall("retry backoff")] == [True]
    assert [each.is_whole for each in desk.of("shop").recall("backoff jitter")] == [False]


def test_a_lift_halves_in_three_days_and_ends_after_seven(make: Make, clock: Clock) -> None:
    desk = make()
    for _ in range(3):
        desk.feedback("shop", "retry backoff", DELAY, useful=True)
    clock.now += 3 * DAY_S
    assert lifts(desk, "retry backoff") == {"src/retry.py": 0.075}
    clock.now += 4 * DAY_S + 1
    assert lifts(desk, "retry backoff") == {}
    assert desk.show() == []


def test_a_file_counts_by_its_best_place(make: Make) -> None:
    desk = make()
    for name in ("delay", "delay", "delay", "other"):
        desk.feedback("shop", "retry backoff", Place("src/retry.py", name), useful=True)
    assert lifts(desk, "retry backoff") == {"src/retry.py": 0.15}


def test_a_read_after_a_search_is_a_selection_and_what_stood_above_it_is_lowered(make: Make) -> None:
    desk = make()
    for _ in range(3):
        desk.feedback("shop", "ship parcel", Place("src/a.py", "a"), useful=True)
    for _ in range(3):
        desk.note_page("ann", page("ship parcel", "a", "b"))
        assert desk.note_read("ann", "shop", symbol("b"), "digest")
        assert not desk.note_read("ann", "shop", symbol("b"), "digest")
    # a: 3 selections less 3 × ¼; b: 3 selections
    assert lifts(desk, "ship parcel") == {"src/b.py": 0.15, "src/a.py": 0.075}


def test_calling_a_place_wrong_takes_a_selection_back(make: Make) -> None:
    desk = make()
    for _ in range(4):
        desk.feedback("shop", "retry backoff", DELAY, useful=True)
    desk.feedback("shop", "retry backoff", DELAY, useful=False)
    assert lifts(desk, "retry backoff") == {"src/retry.py": 0.15}


def test_switched_off_nothing_is_learned_asked_or_written(make: Make, tmp_path: Path) -> None:
    off = make(is_enabled=False)
    off.note_page("ann", page("retry", "a"))
    assert not off.note_read("ann", "shop", symbol("a"), "")
    with pytest.raises(Conflict, match=r"search\.task_memory is off"):
        off.feedback("shop", "retry backoff", DELAY, useful=True)
    assert (lifts(off, "retry backoff"), off.show(), off.forget()) == ({}, [], 0)
    assert list(tmp_path.iterdir()) == []


def test_what_was_learned_before_it_was_switched_off_is_not_used_and_can_be_deleted(make: Make) -> None:
    desk = make()
    for _ in range(3):
        desk.feedback("shop", "retry backoff", DELAY, useful=True)
    desk.close()
    off = make(is_enabled=False)
    assert lifts(off, "retry backoff") == {}
    assert len(off.show()) == 3
    assert off.forget() == 3
    assert off.show() == []


def test_a_blank_query_teaches_nothing(make: Make) -> None:
    with pytest.raises(UsageError):
        make().feedback("shop", "  \n", DELAY, useful=True)


def test_showing_and_forgetting_go_by_repository_and_by_query(make: Make) -> None:
    desk = make()
    desk.feedback("shop", "retry backoff", DELAY, useful=True)
    desk.feedback("other", "retry", DELAY, useful=True)
    assert {row.remembered.key for row in desk.show("shop")} == {"retry backoff", "retri", "backoff"}
    assert {row.remembered.repo for row in desk.show(query="retry")} == {"shop", "other"}
    assert desk.forget("shop", "backoff") == 1
    assert {row.remembered.key for row in desk.show("shop")} == {"retry backoff", "retri"}
    desk.drop("shop")
    assert {row.remembered.repo for row in desk.show()} == {"other"}


def test_a_database_in_trouble_is_told_of_and_stops_nothing(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "memory.db").mkdir()
    desk = MemoryDesk(tmp_path / "memory.db", clock=clock)
    desk.start()
    assert len(desk.problems()) == 1
    with pytest.raises(StoreFailed, match="task memory"):
        desk.recall("shop", "retry")
    desk.note_page("ann", page("retry", "a"))
    assert not desk.note_read("ann", "shop", symbol("a"), "")
    desk.follow("shop", MemoryStore)
    desk.close()


def test_a_read_while_another_program_writes_costs_a_selection_and_no_error(make: Make, tmp_path: Path) -> None:
    desk = make()
    other = sqlite3.connect(tmp_path / "memory.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    desk.note_page("ann", page("retry", "a"))
    assert not desk.note_read("ann", "shop", symbol("a"), "")
    other.close()


def index(files: dict[str, str]) -> MemoryStore:
    store = MemoryStore()
    with store.batch():
        for path, text in files.items():
            made = make_analyzed(path, text=text, symbols=[make_symbol("delay", path=path)])
            store.replace_file(store.pack(made))
    return store


def learned(desk: MemoryDesk) -> set[str]:
    return {row.remembered.place.path for row in desk.show("shop")}


def choose(desk: MemoryDesk, store: MemoryStore, path: str) -> None:
    digest = dict(store.file_digests([path]))[path]
    for _ in range(3):
        desk.feedback("shop", "retry backoff", Place(path, "delay", digest), useful=True)


def test_what_was_learned_follows_a_file_to_its_new_name(make: Make) -> None:
    desk, before = make(), index({"src/retry.py": "one", "src/b.py": "two"})
    choose(desk, before, "src/retry.py")
    after = index({"lib/backoff.py": "one", "lib/also.py": "two"})
    desk.follow("shop", lambda: after)
    assert lifts(desk, "retry backoff") == {"lib/backoff.py": 0.15}


def test_it_follows_an_edited_file_when_that_is_renamed_later(make: Make) -> None:
    desk, before = make(), index({"src/retry.py": "one"})
    choose(desk, before, "src/retry.py")
    for files in ({"src/retry.py": "edited"}, {"lib/backoff.py": "edited"}):
        after = index(files)
        desk.follow("shop", lambda after=after: after)
    assert learned(desk) == {"lib/backoff.py"}


def test_what_was_learned_of_a_file_that_went_waits_for_it(make: Make) -> None:
    desk, before = make(), index({"src/retry.py": "one"})
    choose(desk, before, "src/retry.py")
    gone, back = index({"src/x.py": "two"}), index({"src/x.py": "two", "src/new.py": "one"})
    desk.follow("shop", lambda: gone)
    assert learned(desk) == {"src/retry.py"}
    desk.follow("shop", lambda: back)
    assert learned(desk) == {"src/new.py"}


def test_a_copy_takes_nothing_away(make: Make) -> None:
    desk, before = make(), index({"src/retry.py": "one"})
    choose(desk, before, "src/retry.py")
    after = index({"src/copy.py": "one", "src/retry.py": "one"})
    desk.follow("shop", lambda: after)
    assert learned(desk) == {"src/retry.py"}
