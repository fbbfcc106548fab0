"""A database that was hurt: told apart from one that is new or too new, kept aside, made again, in plain sight."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from gortex_py.errors import StoreFailed
from gortex_py.store import schema
from gortex_py.types import Query
from tests.daemon.conftest import Daemon, wait_for
from tests.regression.conftest import Indexed

FILES = 16
NAMES = ("middle", "newer", "short", "sound", "zero")


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    (tmp_path / "home").mkdir()
    made = Daemon(tmp_path / "home")
    yield made
    if made.process is not None:
        made.kill()


def fill(root: Path, files: int = FILES) -> Path:
    root.mkdir()
    for i in range(files):
        body = "".join(f"    value_{i * 31 + j} = {j}\n" for j in range(40))
        (root / f"m{i}.py").write_text(f"def {root.name}_{i}():\n{body}    return value_{i * 31}\n")
    return root


def database(daemon: Daemon, name: str) -> Path:
    (path,) = daemon.paths.data.glob(f"repos/{name}-*/index.db")
    return path


def overwrite(path: Path, first: float, share: float) -> None:
    data = bytearray(path.read_bytes())
    at = int(len(data) * first) // 4096 * 4096
    size = max(4096, int(len(data) * share) // 4096 * 4096)
    data[at : at + size] = b"\xa5" * size
    path.write_bytes(data)


def is_found(daemon: Daemon, symbol: str) -> bool:
    return symbol in daemon.symbols(symbol)


def test_damaged_new_and_foreign_indexes_are_told_apart(daemon: Daemon, tmp_path: Path) -> None:
    """Two clients track repositories at once; after a stop four of five indexes are hurt, each in its own way.

    A hurt index was reported as never made, or a newer one was deleted as if it were hurt.
    """
    daemon.start()
    roots = [fill(tmp_path / name) for name in NAMES]
    clients = [threading.Thread(target=daemon.track, args=(root,)) for root in roots]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    assert sorted(row["name"] for row in daemon.get("/v1/repos")["repos"]) == list(NAMES)
    daemon.stop()
    overwrite(database(daemon, "middle"), 0.2, 0.6)
    database(daemon, "short").write_bytes(database(daemon, "short").read_bytes()[:100])
    database(daemon, "zero").write_bytes(b"")
    newer = database(daemon, "newer")
    with sqlite3.connect(newer) as connection:
        connection.execute(f"PRAGMA user_version = {schema.FORMAT_VERSION + 1}")
    connection.close()
    untouched = newer.read_bytes()

    daemon.start()
    assert sorted(row["name"] for row in daemon.get("/v1/repos")["repos"]) == list(NAMES)
    # Each answers, or says that it is being made again; none is an error.
    for name in ("middle", "short", "sound", "zero"):
        wait_for(partial(is_found, daemon, f"{name}_7"))
        wait_for(partial(daemon.is_settled, name))
    for number in range(FILES):
        wait_for(partial(is_found, daemon, f"middle_{number}"))
    wait_for(partial(daemon.is_settled, "middle"))
    repos = {row["name"]: row for row in daemon.get("/v1/status")["repos"]}
    for name in ("middle", "short"):
        assert "set aside" in str(repos[name]["degraded"])
        assert len(list(database(daemon, name).parent.glob("index.db.corrupt-*"))) >= 1
    assert repos["newer"]["state"] == "failed" and "newer version" in repos["newer"]["reason"]
    assert newer.read_bytes() == untouched
    for name in ("sound", "zero"):
        assert not list(database(daemon, name).parent.glob("index.db.corrupt-*"))
        assert "set aside" not in str(repos[name]["degraded"])
    assert {name: repos[name]["files"] for name in NAMES if name != "newer"} == dict.fromkeys(
        ("middle", "short", "sound", "zero"), FILES
    )


@pytest.mark.parametrize("first", [0.25, 0.5, 0.75])
def test_damage_that_only_a_question_meets_is_set_aside_at_the_next_opening(repo: Indexed, first: float) -> None:
    """A check of the structure passes over damaged contents; they used to be met for ever."""
    files = {
        f"m{i}.py": f"def fn_{i}():\n" + "".join(f"    v{i * 997 + j}_{j * j} = {j}\n" for j in range(60))
        for i in range(40)
    }
    repo.write(files)
    expected = repo.counts()
    repo.close()
    overwrite(repo.folder / "index.db", first, 0.1)
    store = repo.reopen()
    if store.verdict == "current":
        with pytest.raises(StoreFailed, match="damaged"):
            for i in range(40):
                repo.engine.search(Query(f"fn_{i}"))
            repo.counts()
        assert store.is_damaged
        store = repo.reopen()
    assert store.verdict == "corrupt" and "set aside" in store.notices[0].what
    repo.index()
    assert repo.counts() == expected
    assert repo.reopen().verdict == "current"
