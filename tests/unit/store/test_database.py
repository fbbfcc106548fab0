from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sqlite_utils import Database

from gortex_py.errors import IncompatibleIndex, StoreFailed
from gortex_py.store import IndexVerdict, Store, StoreIdentity, schema
from gortex_py.store.rows import pack_file
from gortex_py.types import Corpus, Field
from tests.builders import make_analyzed
from tests.unit.store.conftest import IDENTITY, OpenStore

VECTOR = np.array([1.0, 0.0, 0.0, 0.0], np.float32)
ASIDE = "index.db.corrupt-*"


def fill(store: Store, files: int = 3) -> None:
    """Index some files and embed them."""
    writer = store.writer()
    with writer.batch():
        for i in range(files):
            body = [f"word{j}" for j in range(i, i + 300)]
            writer.replace_file(pack_file(make_analyzed(f"src/file{i}.py", [{Field.BODY: [*body, "common"]}])))
        hashes = writer.missing_vectors(100)
        writer.add_vectors(hashes, np.eye(4, dtype=np.float32)[np.arange(len(hashes)) % 4])


def answers(store: Store) -> tuple[list[int], list[int]]:
    """Return the ids found by text and by vector."""
    reader = store.reader()
    by_text, _ = reader.search_files(["common"], {"body": 1.0})
    by_vector, _, _ = reader.search_vectors(VECTOR, Corpus.ALL, 10)
    return by_text.tolist(), sorted(by_vector.tolist())


def filled_and_closed(open_store: OpenStore) -> None:
    store = open_store()
    fill(store)
    store.close()


@pytest.mark.parametrize("name", ["plain", "a b", "100%25", "what?", "x#y", "naïve-用户", "it's"])
def test_any_folder_name_works(tmp_path: Path, name: str) -> None:
    for expected in (IndexVerdict.NEW, IndexVerdict.CURRENT):
        store = Store.open(tmp_path / name, IDENTITY)
        assert store.verdict is expected
        if expected is IndexVerdict.NEW:
            fill(store)
        assert answers(store) == ([1, 2, 3], [1, 2, 3])
        store.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == [name]


def test_a_reopened_index_is_current_and_wants_no_vectors(open_store: OpenStore) -> None:
    filled_and_closed(open_store)
    store = open_store()
    assert (store.verdict, store.notices) == (IndexVerdict.CURRENT, ())
    assert store.writer().missing_vectors(10) == []
    assert store.reader().generation == 1


def test_another_embedder_drops_vectors_and_keeps_text(open_store: OpenStore) -> None:
    filled_and_closed(open_store)
    for identity in (replace(IDENTITY, embedder_fingerprint="embedder-2"), replace(IDENTITY, dim=5)):
        store = open_store(identity)
        assert store.verdict is IndexVerdict.VECTORS_STALE
        by_text, by_vector = answers(store)
        assert (by_text, by_vector) == ([1, 2, 3], [])
        assert len(store.writer().missing_vectors(10)) == 3
        store.close()


def test_another_analysis_keeps_answers_and_asks_for_every_file(open_store: OpenStore) -> None:
    filled_and_closed(open_store)
    stale = replace(IDENTITY, index_fingerprint="index-2")
    store = open_store(stale)
    assert store.verdict is IndexVerdict.TEXT_STALE
    assert answers(store) == ([1, 2, 3], [1, 2, 3])
    assert {file.digest for file in store.reader().digests().values()} == {""}
    store.close()
    # Interrupted before the new analysis: the files still ask for it.
    store = open_store(stale)
    assert store.verdict is IndexVerdict.CURRENT
    assert {file.digest for file in store.reader().digests().values()} == {""}


def test_a_newer_format_is_refused_and_left_untouched(open_store: OpenStore, folder: Path) -> None:
    filled_and_closed(open_store)
    path = folder / "index.db"
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {schema.FORMAT_VERSION + 1}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(IncompatibleIndex, match="newer version"):
        open_store()
    assert path.read_bytes() == before
    assert not list(folder.glob(ASIDE))


def test_an_older_format_is_migrated_by_its_registered_step(
    open_store: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled_and_closed(open_store)

    def add_column(db: Database) -> None:
        db.execute("ALTER TABLE files ADD COLUMN note TEXT")

    monkeypatch.setattr(schema, "MIGRATIONS", {schema.FORMAT_VERSION: add_column})
    monkeypatch.setattr(schema, "FORMAT_VERSION", schema.FORMAT_VERSION + 1)
    store = open_store()
    assert store.verdict is IndexVerdict.MIGRATED
    assert answers(store) == ([1, 2, 3], [1, 2, 3])
    store.close()
    assert open_store().verdict is IndexVerdict.CURRENT


def test_a_failing_migration_changes_nothing(open_store: OpenStore, monkeypatch: pytest.MonkeyPatch) -> None:
    filled_and_closed(open_store)

    def half_way(db: Database) -> None:
        db.execute("DELETE FROM files")
        raise StoreFailed("cannot go on")

    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", {schema.FORMAT_VERSION: half_way})
        patch.setattr(schema, "FORMAT_VERSION", schema.FORMAT_VERSION + 1)
        with pytest.raises(StoreFailed, match="cannot go on"):
            open_store()
    assert answers(open_store()) == ([1, 2, 3], [1, 2, 3])


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


def not_a_database(path: Path) -> None:
    path.write_text("hello " * 5000)


def overwritten_in_the_middle(path: Path) -> None:
    data = bytearray(path.read_bytes())
    # A quarter, since a single page may hold nothing but part of a compressed text, which only its reader can check.
    size = len(data) // 4 // 4096 * 4096
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + size] = b"\xa5" * size
    path.write_bytes(data)


def overwritten_everywhere_but_the_header(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xa5" * (len(data) - 8192)
    path.write_bytes(data)


def somebody_elses(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE cookies (name)")
    connection.close()


@pytest.mark.parametrize("damage", [truncated, not_a_database, overwritten_everywhere_but_the_header, somebody_elses])
def test_a_damaged_database_is_set_aside_and_told(
    open_store: OpenStore, folder: Path, damage: Callable[[Path], None]
) -> None:
    filled_and_closed(open_store)
    path = folder / "index.db"
    damage(path)
    bad = path.read_bytes()
    store = open_store()
    assert store.verdict is IndexVerdict.CORRUPT
    (aside,) = folder.glob(ASIDE)
    assert aside.read_bytes() == bad
    assert aside.name in store.notices[0].what
    assert answers(store) == ([], [])
    fill(store)
    assert answers(store) == ([1, 2, 3], [1, 2, 3])


def test_damage_in_the_middle_is_found_after_a_crash(open_store: OpenStore, folder: Path, tmp_path: Path) -> None:
    store = open_store()
    fill(store, files=60)
    with sqlite3.connect(folder / "index.db") as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    other.close()
    # What a crash leaves behind is the files as they are now, without a close.
    crashed = tmp_path / "crashed"
    shutil.copytree(folder, crashed)
    overwritten_in_the_middle(crashed / "index.db")
    found = Store.open(crashed, IDENTITY)
    assert found.verdict is IndexVerdict.CORRUPT
    found.close()


def test_damage_met_in_use_names_the_file(open_store: OpenStore, folder: Path) -> None:
    store = open_store()
    fill(store, files=60)
    store.close()
    path = folder / "index.db"
    connection = sqlite3.connect(path)
    root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'sources'").fetchone()[0]
    connection.close()
    data = bytearray(path.read_bytes())
    data[(root - 1) * schema.PAGE_BYTES : root * schema.PAGE_BYTES] = b"\xa5" * schema.PAGE_BYTES
    path.write_bytes(data)
    store = open_store()
    assert store.verdict is IndexVerdict.CURRENT
    with pytest.raises(StoreFailed, match=r"index\.db"):
        store.reader().text(1)
    assert answers(store)[0] == list(range(1, 61))


def test_an_empty_file_is_no_index_yet(open_store: OpenStore, folder: Path) -> None:
    folder.mkdir()
    (folder / "index.db").touch()
    assert open_store().verdict is IndexVerdict.NEW
    assert not list(folder.glob(ASIDE))


def test_a_directory_in_its_place_is_refused(open_store: OpenStore, folder: Path) -> None:
    (folder / "index.db").mkdir(parents=True)
    with pytest.raises(StoreFailed, match="a directory is in its place"):
        open_store()


def test_a_folder_that_cannot_be_made_is_refused(open_store: OpenStore, folder: Path) -> None:
    folder.write_text("a file")
    with pytest.raises(StoreFailed, match=r"index\.db"):
        open_store()


def test_a_read_only_folder_is_refused(open_store: OpenStore, folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o500)
    try:
        (folder / "probe").touch()
    except PermissionError:
        with pytest.raises(StoreFailed, match=r"index\.db"):
            open_store()
    else:
        pytest.skip("this user may write anywhere")
    finally:
        folder.chmod(0o700)


def test_a_locked_database_is_not_taken_for_a_damaged_one(
    open_store: OpenStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled_and_closed(open_store)
    monkeypatch.setattr("gortex_py.store.connection.BUSY_TIMEOUT_S", 0.01)
    other = sqlite3.connect(folder / "index.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreFailed, match="locked"):
        open_store()
    other.execute("ROLLBACK")
    other.close()
    assert open_store().verdict is IndexVerdict.CURRENT


def test_a_full_disk_fails_the_batch_and_keeps_the_last_state(open_store: OpenStore) -> None:
    store = open_store()
    fill(store)
    writer = store._writer
    assert writer is not None
    pages = writer._connection.execute("PRAGMA page_count").fetchone()[0]
    writer._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreFailed, match="full"), writer.batch():
        for i in range(200):
            writer.replace_file(
                pack_file(make_analyzed(f"more/{i}.py", [{Field.BODY: [f"word{j}" for j in range(i, i + 500)]}]))
            )
    assert answers(store) == ([1, 2, 3], [1, 2, 3])
    writer._connection.execute("PRAGMA max_page_count = 1000000")
    with writer.batch():
        writer.replace_file(pack_file(make_analyzed("more/1.py", [{Field.BODY: ["common"]}])))
    assert answers(store)[0] == [1, 2, 3, 4]


def test_there_is_one_writer_and_none_after_closing(open_store: OpenStore) -> None:
    store = open_store()
    assert store.writer() is store.writer()
    store.close()
    store.close()
    with pytest.raises(StoreFailed, match="closed"):
        store.reader()


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda path: path.unlink(), "missing"),
        (lambda path: path.write_bytes(b""), "shorter than its header"),
        (lambda path: path.write_bytes(path.read_bytes()[:-1]), "shorter than recorded"),
        (lambda path: path.write_bytes(path.read_bytes()[:-1] + b"\x55"), "checksum"),
        (lambda path: path.write_bytes(b"X" + path.read_bytes()[1:]), "header"),
        (lambda path: path.write_bytes(path.read_bytes()[:20] + bytes(16) + path.read_bytes()[36:]), "another index"),
    ],
)
def test_vectors_that_do_not_agree_are_dropped_and_text_is_untouched(
    open_store: OpenStore, folder: Path, damage: Callable[[Path], object], says: str
) -> None:
    filled_and_closed(open_store)
    damage(folder / "vectors-1.bin")
    store = open_store()
    assert store.verdict is IndexVerdict.VECTORS_STALE
    assert says in store.notices[0].what
    assert answers(store) == ([1, 2, 3], [])
    writer = store.writer()
    hashes = writer.missing_vectors(10)
    assert len(hashes) == 3
    with writer.batch():
        writer.add_vectors(hashes, np.eye(4, dtype=np.float32)[:3])
    assert answers(store) == ([1, 2, 3], [1, 2, 3])


def test_vectors_behind_the_recorded_ones_are_what_a_crash_left(open_store: OpenStore, folder: Path) -> None:
    filled_and_closed(open_store)
    path = folder / "vectors-1.bin"
    size = path.stat().st_size
    with path.open("ab") as file:
        file.write(b"half a row")
    store = open_store()
    assert store.verdict is IndexVerdict.CURRENT
    assert path.stat().st_size == size
    assert answers(store) == ([1, 2, 3], [1, 2, 3])


def test_an_index_without_embedder_answers_text(folder: Path) -> None:
    store = Store.open(folder, StoreIdentity("index", "none", 0))
    writer = store.writer()
    with writer.batch():
        writer.replace_file(pack_file(make_analyzed("a.py", [{Field.BODY: ["common"]}])))
    assert writer.missing_vectors(10) == []
    assert answers(store) == ([1], [])
    store.close()
