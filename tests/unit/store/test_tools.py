from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from gortex_py.errors import IncompatibleIndex, StoreFailed
from gortex_py.store.tools import StoredCatalogue, StoredSession, ToolStore


def test_what_is_put_is_there_after_a_new_opening(tmp_path: Path) -> None:
    store = ToolStore.open(tmp_path / "tools.db")
    store.put_catalogue(StoredCatalogue("b", 1, "d", ("{}", '{"é":1}')))
    store.put_catalogue(StoredCatalogue("a", 1, "d", ("{}",)))
    store.put_catalogue(StoredCatalogue("b", 2, "e", ('{"é":1}',)))
    store.put_sessions([StoredSession("s", "{}", 2.0), StoredSession("t", "{}", 1.0)])
    store.put_sessions([StoredSession("s", '{"x":1}', 0.5)])
    # Not closed: what a killed daemon leaves.
    again = ToolStore.open(tmp_path / "tools.db")
    assert again.catalogues() == [StoredCatalogue("a", 1, "d", ("{}",)), StoredCatalogue("b", 2, "e", ('{"é":1}',))]
    assert again.sessions() == [StoredSession("s", '{"x":1}', 0.5), StoredSession("t", "{}", 1.0)]
    again.delete_catalogue("b")
    again.delete_session("t")
    assert ([each.name for each in store.catalogues()], [each.id for each in store.sessions()]) == (["a"], ["s"])
    again.close()
    store.close()


def test_a_damaged_database_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "tools.db"
    path.write_bytes(b"no database" * 1000)
    store = ToolStore.open(path)
    assert store.catalogues() == []
    store.close()
    assert len(list(tmp_path.glob("tools.db.corrupt-*"))) == 1


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tools.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(IncompatibleIndex, match="format 99"):
        ToolStore.open(path)


def test_a_disk_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreFailed):
        ToolStore.open(tmp_path / "file" / "tools.db")
