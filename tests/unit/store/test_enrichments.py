from __future__ import annotations

from pathlib import Path

from sqlite_utils import Database

from gortex_py.protocols import Enrichment
from gortex_py.store.rows import pack_file
from gortex_py.store.schema import create, migrate
from tests.builders import make_analyzed
from tests.unit.store.conftest import OpenStore


def test_an_enrichment_counts_the_files_that_came_changed_or_went_since(open_store: OpenStore) -> None:
    store = open_store()
    writer, reader = store.writer(), store.reader()
    with writer.batch():
        writer.replace_file(pack_file(make_analyzed("a.py")))
        writer.put_enrichment("graph", Enrichment("v1", b"edges"))
    assert reader.enrichment("graph") == Enrichment("v1", b"edges", behind=1)
    with writer.batch():
        writer.put_enrichment("graph", Enrichment("v1", b"edges"))
    with writer.batch():
        writer.replace_file(pack_file(make_analyzed("a.py")))
        writer.replace_file(pack_file(make_analyzed("b.py")))
        writer.delete_files(["a.py", "never-there.py"])
    assert reader.enrichment("graph") == Enrichment("v1", b"edges", behind=3)
    assert reader.enrichment("history") is None


def test_decoded_data_is_kept_until_it_is_stored_anew(open_store: OpenStore) -> None:
    store = open_store()
    writer, reader = store.writer(), store.reader()
    decoded: list[bytes] = []

    def decode(data: bytes) -> str:
        decoded.append(data)
        return data.decode()

    assert reader.enriched("graph", decode) is None
    for data in (b"old", b"new"):
        with writer.batch():
            writer.put_enrichment("graph", Enrichment("", data))
        with writer.batch():
            writer.replace_file(pack_file(make_analyzed("a.py")))
        assert [reader.enriched("graph", decode) for _ in range(3)] == [data.decode()] * 3
    assert decoded == [b"old", b"new"]


def test_a_session_sees_the_enrichment_of_its_own_state(open_store: OpenStore) -> None:
    store = open_store()
    writer, reader = store.writer(), store.reader()
    with writer.batch():
        writer.put_enrichment("graph", Enrichment("", b"old"))
    with reader.session():
        with writer.batch():
            writer.put_enrichment("graph", Enrichment("", b"new"))
        assert reader.enriched("graph", bytes) == b"old"
    assert reader.enriched("graph", bytes) == b"new"


def test_an_index_of_the_first_format_gets_the_table(tmp_path: Path) -> None:
    database = Database(tmp_path / "index.db")
    create(database)
    database.execute("DROP TABLE enrichments")
    database.execute("PRAGMA user_version = 1")
    assert migrate(database)
    assert database["enrichments"].count == 0
