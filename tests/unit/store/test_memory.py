from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from gortex_py.errors import IncompatibleIndex, NotReady, StoreFailed
from gortex_py.query.keywords import QueryKeys, query_keys
from gortex_py.rank.learning import DAY_S, SKIPPED, Association
from gortex_py.store.memory import BOUNDS, Change, KeyScope, MemoryStore, Place, Recalled, Remembered

NOW = 1_000_000_000.0
KEYS = query_keys("retry backoff")
NOTHING = Recalled({}, {})
S = Place("src/retry.py", "delay", "d1")
Open = Callable[[], MemoryStore]


@pytest.fixture
def open_store(tmp_path: Path) -> Iterator[Open]:
    opened: list[MemoryStore] = []

    def open_one() -> MemoryStore:
        opened.append(MemoryStore.open(tmp_path / "memory.db"))
        return opened[-1]

    yield open_one
    for store in opened:
        store.close()


def choose(store: MemoryStore, place: Place = S, keys: QueryKeys = KEYS, now: float = NOW, repo: str = "shop") -> None:
    store.learn(repo, keys, [Change(place, is_selected=True)], now)


def by_key(rows: list[Remembered]) -> dict[str, Association]:
    return {row.key: row.association for row in rows}


def test_a_selection_is_kept_for_the_query_and_each_keyword_and_survives_the_process(open_store: Open) -> None:
    store = open_store()
    choose(store)
    choose(store)
    # Not closed: what a killed daemon leaves.
    twice = Association(2, 2.0, 0.0, NOW)
    recalled = open_store().recall("shop", KEYS, NOW)
    assert recalled.whole == {("src/retry.py", "delay"): twice}
    assert recalled.by_keyword == {("src/retry.py", "delay"): [twice, twice]}
    assert by_key(store.rows("shop", None)) == {"retry backoff": twice, "retri": twice, "backoff": twice}


def test_another_query_recalls_only_the_keywords_it_shares(open_store: Open) -> None:
    store = open_store()
    choose(store)
    shared = store.recall("shop", query_keys("jitter of a backoff"), NOW)
    assert (len(shared.whole), len(shared.by_keyword[S.path, S.symbol])) == (0, 1)
    assert store.recall("shop", query_keys("jitter"), NOW) == NOTHING
    assert store.recall("other", KEYS, NOW) == NOTHING


def test_skips_lower_what_is_known_and_leave_no_trace_of_the_rest(open_store: Open) -> None:
    store = open_store()
    choose(store)
    other = Place("src/other.py", "wait")
    skips = [Change(S, is_selected=False, misses=SKIPPED), Change(other, is_selected=False, misses=SKIPPED)]
    store.learn("shop", KEYS, skips, NOW)
    assert {row.place.path: row.association.misses for row in store.rows(None, None)} == {"src/retry.py": SKIPPED}


def test_seven_days_after_the_last_use_it_is_not_recalled_and_then_deleted(open_store: Open) -> None:
    store = open_store()
    choose(store)
    assert store.recall("shop", KEYS, NOW + 6.9 * DAY_S) != NOTHING
    assert store.recall("shop", KEYS, NOW + 7.1 * DAY_S) == NOTHING
    choose(store, keys=query_keys("jitter"), now=NOW + 7.1 * DAY_S)
    assert set(by_key(store.rows(None, None))) == {"jitter"}


def test_a_query_keeps_its_last_twenty_places_and_a_keyword_ten(open_store: Open) -> None:
    store = open_store()
    for i in range(25):
        choose(store, Place(f"src/{i}.py"), now=NOW + i)
    rows = store.rows("shop", KEYS)
    assert {row.place.path for row in rows if row.scope is KeyScope.WHOLE} == {f"src/{i}.py" for i in range(5, 25)}
    assert {row.place.path for row in rows if row.key == "retri"} == {f"src/{i}.py" for i in range(15, 25)}


def test_a_repository_keeps_the_keys_it_used_last(tmp_path: Path) -> None:
    few = replace(BOUNDS, keys={KeyScope.WHOLE: 3, KeyScope.KEYWORD: 2})
    store = MemoryStore.open(tmp_path / "memory.db", few)
    choose(store, keys=query_keys("zebra"), repo="other")
    for i, word in enumerate(("alder", "birch", "cedar", "dogwood", "elder")):
        choose(store, keys=query_keys(word), now=NOW + i)
    rows = store.rows("shop", None)
    assert {row.key for row in rows if row.scope is KeyScope.WHOLE} == {"cedar", "dogwood", "elder"}
    assert {row.key for row in rows if row.scope is KeyScope.KEYWORD} == {"dogwood", "elder"}
    assert len(store.rows("other", None)) == 2
    store.close()


def test_a_move_takes_everything_along(open_store: Open) -> None:
    store = open_store()
    choose(store)
    choose(store, Place("lib/backoff.py", "delay", "d1"))
    choose(store, Place("src/retry.py", "delay", "d1"))
    store.move("shop", "src/retry.py", Place("lib/backoff.py", digest="d1"))
    rows = store.rows("shop", KEYS)
    assert {(row.place.path, row.association.selections) for row in rows} == {("lib/backoff.py", 2)}
    assert store.paths("shop") == {"lib/backoff.py": "d1"}


def test_concurrent_writers_lose_nothing(open_store: Open) -> None:
    stores = [open_store(), open_store()]
    with ThreadPoolExecutor(4) as threads:
        for future in [threads.submit(choose, stores[i % 2], S, query_keys(f"q{i % 3}")) for i in range(60)]:
            future.result()
    whole = [row for row in stores[0].rows("shop", None) if row.scope is KeyScope.WHOLE]
    assert sorted(row.association.selections for row in whole) == [20, 20, 20]


WRITE_FOR_EVER = """
import sys
from pathlib import Path
from gortex_py.query.keywords import query_keys
from gortex_py.store.memory import Change, MemoryStore, Place
store = MemoryStore.open(Path(sys.argv[1]))
keys = query_keys("retry backoff")
for n in range(1, 1_000_000):
    store.learn("shop", keys, [Change(Place("src/retry.py", "delay"), is_selected=True)], 1e9)
    print(n, flush=True)
"""


def test_a_kill_in_the_middle_of_writing_loses_at_most_the_last_event(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    command = [sys.executable, "-c", WRITE_FOR_EVER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3]) as process:
        assert process.stdout is not None
        for _ in range(20):
            process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
        told = max([20, *(int(line) for line in process.stdout.read().split("\n")[:-1])])
    store = MemoryStore.open(path)
    counts = {row.association.selections for row in store.rows("shop", KEYS)}
    store.close()
    # All of an event or nothing of it: the query and its keywords agree.
    assert counts in ({told}, {told + 1})


def test_forgetting_leaves_nothing_in_the_files(open_store: Open, tmp_path: Path) -> None:
    store = open_store()
    choose(store, Place("src/hush/quiet.py", "whisper"), query_keys("secret zanzibar plan"))
    choose(store)

    def on_disk() -> bytes:
        return b"".join(path.read_bytes() for path in tmp_path.iterdir())

    assert b"zanzibar" in on_disk()
    assert store.forget("shop", query_keys("secret zanzibar plan")) == 4
    assert b"zanzibar" not in on_disk() and b"whisper" not in on_disk()
    assert set(by_key(store.rows(None, None))) == {"retry backoff", "retri", "backoff"}
    assert store.forget() == 3
    assert store.rows(None, None) == []


def test_forgetting_a_repository_leaves_the_others(open_store: Open) -> None:
    store = open_store()
    choose(store)
    choose(store, repo="other")
    assert store.forget("shop") == 3
    assert {row.repo for row in store.rows(None, None)} == {"other"}


def test_its_file_is_the_owners_alone(open_store: Open, tmp_path: Path) -> None:
    choose(open_store())
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}


def test_a_held_database_is_not_waited_for_by_readers(open_store: Open, tmp_path: Path) -> None:
    store = open_store()
    choose(store)
    other = sqlite3.connect(tmp_path / "memory.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert store.recall("shop", KEYS, NOW).whole  # who writes does not hinder who reads
    with pytest.raises(NotReady, match="another program holds the task memory"):
        choose(store)
    other.execute("ROLLBACK")
    other.close()
    choose(store)
    assert by_key(store.rows("shop", KEYS))["retri"].selections == 2


def test_a_closed_one_says_that_it_is_not_there(open_store: Open) -> None:
    store = open_store()
    store.close()
    with pytest.raises(NotReady, match="closed"):
        store.recall("shop", KEYS, NOW)


def test_a_damaged_database_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(b"no database" * 1000)
    store = MemoryStore.open(path)
    choose(store)
    assert len(store.rows(None, None)) == 3
    assert len(list(tmp_path.glob("memory.db.corrupt-*"))) == 1
    # It may hold what was asked, too.
    store.forget("shop")
    assert len(list(tmp_path.glob("memory.db.corrupt-*"))) == 1
    store.forget()
    assert list(tmp_path.glob("memory.db.corrupt-*")) == []
    store.close()


def test_damage_that_was_met_in_use_begins_a_new_database_at_the_next_opening(open_store: Open, tmp_path: Path) -> None:
    choose(open_store())
    (tmp_path / "memory.db.damaged").write_text("malformed")
    store = open_store()
    assert store.rows(None, None) == []
    assert len(list(tmp_path.glob("memory.db.corrupt-*"))) >= 1


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(IncompatibleIndex, match="format 99"):
        MemoryStore.open(path)


def test_a_disk_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreFailed, match="task memory"):
        MemoryStore.open(tmp_path / "file" / "memory.db")
