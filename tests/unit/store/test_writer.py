from __future__ import annotations

import numpy as np
import pytest

from gortex_py.errors import StoreFailed
from gortex_py.store import SqliteReader, SqliteWriter
from gortex_py.store.rows import pack_file, path_texts
from gortex_py.types import AnalyzedFile, Corpus, Field, FileStat, Skipped, SkipReason
from tests.builders import make_analyzed, make_symbol
from tests.unit.store.conftest import OpenStore

WEIGHTS = {"stem": 1.0, "dir": 1.0, "name": 1.0, "body": 1.0}
ONES = np.ones((1, 4), np.float32)


@pytest.fixture
def writer(open_store: OpenStore) -> SqliteWriter:
    return open_store().writer()


@pytest.fixture
def store(open_store: OpenStore) -> tuple[SqliteWriter, SqliteReader]:
    opened = open_store()
    return opened.writer(), opened.reader()


def corpus(count: int) -> list[AnalyzedFile]:
    return [
        make_analyzed(
            f"src/module{i}/client.py",
            [{Field.NAME: ["fetch", f"name{i}"], Field.BODY: ["read", *["write"] * (i % 5), f"word{i % 7}"]}],
            symbols=[make_symbol("fetch", path=f"src/module{i}/client.py")],
        )
        for i in range(count)
    ]


def test_indexing_the_same_files_again_changes_no_answer(store: tuple[SqliteWriter, SqliteReader]) -> None:
    writer, reader = store
    answers = []
    for _ in range(3):
        with writer.batch():
            for file in corpus(30):
                writer.replace_file(pack_file(file))
        ids, scores = reader.search_files(["fetch", "word3", "write", "client"], WEIGHTS)
        units = reader.search_sections(["word3", "write"], {"prose": 1.0}, 10)
        answers.append((ids.tolist(), scores.tolist(), [column.tolist() for column in units]))
        assert reader.document_frequencies(["fetch", "word3", "client", "read"]) == {
            "fetch": 30,
            "word3": 4,
            "client": 30,
            "read": 30,
        }
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][0] == list(range(1, 31))


def test_a_file_replaced_twice_in_one_batch_counts_once(store: tuple[SqliteWriter, SqliteReader]) -> None:
    writer, reader = store
    with writer.batch():
        for word in ("first", "second", "third"):
            writer.replace_file(pack_file(make_analyzed("a.py", [{Field.BODY: [word]}])))
        writer.replace_file(pack_file(make_analyzed("b.py", [{Field.BODY: ["third"]}])))
        writer.delete_files(["b.py"])
    assert reader.terms_with_prefix("", 10) == [("a", 1), ("third", 1)]
    assert reader.search_files(["first", "second"], WEIGHTS)[0].tolist() == []
    assert reader.search_files(["third"], WEIGHTS)[0].tolist() == [1]


def test_a_failed_batch_leaves_no_trace_in_the_next(store: tuple[SqliteWriter, SqliteReader]) -> None:
    writer, reader = store
    with pytest.raises(KeyError), writer.batch():
        writer.replace_file(pack_file(make_analyzed("a.py", [{Field.BODY: ["lost"]}])))
        writer.add_vectors(writer.missing_vectors(1), ONES)
        raise KeyError
    assert reader.generation == 0
    with writer.batch():
        writer.replace_file(pack_file(make_analyzed("b.py", [{Field.BODY: ["kept"]}])))
        assert writer.add_vectors(writer.missing_vectors(1), ONES) == 0
    assert reader.file_facts().paths == ("b.py",)
    assert reader.terms_with_prefix("", 10) == [("b", 1), ("kept", 1)]
    assert reader.search_files(["lost"], WEIGHTS)[0].tolist() == []
    assert reader.search_vectors(ONES[0], Corpus.ALL, 5)[2].tolist() == pytest.approx([1.0])
    assert reader.stats().vectors == 1


def test_vectors_that_cannot_be_written_fail_the_batch_and_leave_text_alone(open_store: OpenStore) -> None:
    store = open_store()
    writer, reader = store.writer(), store.reader()
    with writer.batch():
        writer.replace_file(pack_file(make_analyzed("a.py", [{Field.BODY: ["kept"]}])))
    (store.folder / "vectors-1.bin").unlink()
    with pytest.raises(StoreFailed, match=r"vectors-1\.bin"), writer.batch():
        writer.replace_file(pack_file(make_analyzed("b.py", [{Field.BODY: ["kept"]}])))
        writer.add_vectors(writer.missing_vectors(1), ONES)
    with writer.batch():
        writer.replace_file(pack_file(make_analyzed("c.py", [{Field.BODY: ["kept"]}])))
    assert reader.file_facts().paths == ("a.py", "c.py")
    assert reader.search_files(["kept"], WEIGHTS)[0].tolist() == [1, 2]


def test_texts_longer_than_what_is_held_back_are_written_whole(store: tuple[SqliteWriter, SqliteReader]) -> None:
    writer, reader = store
    long_file = make_analyzed("long.py", [{Field.BODY: ["x" * 64] * 65_535}])
    with writer.batch():
        for _ in range(2):
            writer.replace_file(pack_file(long_file))
            writer.replace_file(pack_file(make_analyzed("short.py", [{Field.BODY: ["y"]}])))
    assert reader.search_files(["x" * 64, "y"], WEIGHTS)[0].tolist() == [1, 2]
    with writer.batch():
        writer.delete_files(["long.py"])
    assert reader.search_files(["x" * 64, "y"], WEIGHTS)[0].tolist() == [2]


def test_the_generation_counts_batches_that_changed_something(store: tuple[SqliteWriter, SqliteReader]) -> None:
    writer, reader = store
    with writer.batch():
        writer.replace_file(pack_file(make_analyzed()))
    with writer.batch():
        writer.touch_files([FileStat("src/config.py", 99, 77)])
        writer.delete_files(["never/seen.py"])
        writer.set_skipped([Skipped("x.bin", SkipReason.BINARY, "a NUL byte")])
    assert reader.generation == 1
    known = reader.digests()["src/config.py"]
    assert (known.size_bytes, known.mtime_ns) == (99, 77)
    assert reader.skipped() == [Skipped("x.bin", SkipReason.BINARY, "a NUL byte")]
    with writer.batch():
        writer.delete_files(["src/config.py"])
    assert reader.generation == 2


def test_changes_need_a_batch_and_batches_do_not_nest(writer: SqliteWriter) -> None:
    with pytest.raises(RuntimeError):
        writer.replace_file(pack_file(make_analyzed()))
    with writer.batch():
        with pytest.raises(RuntimeError), writer.batch():
            pass
        with pytest.raises(RuntimeError):
            writer.optimize()


def test_texts_that_are_equal_share_one_vector(store: tuple[SqliteWriter, SqliteReader]) -> None:
    writer, reader = store
    with writer.batch():
        for path in ("a.py", "b.py"):
            writer.replace_file(pack_file(make_analyzed(path, [{}, {}], unit_texts=["same", path])))
        hashes = writer.missing_vectors(10)
        assert len(hashes) == 3
        writer.add_vectors(hashes, np.eye(4, dtype=np.float32)[:3])
    assert reader.stats().vectors == 3
    assert len(reader.search_vectors(ONES[0], Corpus.ALL, 10)[0]) == 4


def test_malformed_vectors_are_dropped_counted_and_not_asked_for_again(
    store: tuple[SqliteWriter, SqliteReader],
) -> None:
    writer, reader = store
    with writer.batch():
        writer.replace_file(pack_file(make_analyzed("a.py", [{}] * 5, unit_texts=list("abcde"))))
        hashes = writer.missing_vectors(10)
        assert writer.add_vectors(hashes, np.ones((5, 3), np.float32)) == 5
        assert sorted(writer.missing_vectors(10)) == sorted(hashes)
        vectors = np.ones((5, 4), np.float32)
        vectors[0] = 0
        vectors[1, 2] = np.nan
        vectors[2, 3] = np.inf
        assert writer.add_vectors(hashes, vectors) == 3
        assert writer.missing_vectors(10) == []
    assert reader.stats().vectors == 2
    assert len(reader.search_vectors(ONES[0], Corpus.ALL, 10)[0]) == 2
    assert sorted(reader.unit_cosines([1], ONES[0])[0].tolist()) == pytest.approx([0, 0, 0, 1, 1])


def test_asking_and_adding_by_turns_reaches_every_text_once(writer: SqliteWriter) -> None:
    texts = [str(i) for i in range(50)]
    seen: list[bytes] = []
    with writer.batch():
        writer.replace_file(pack_file(make_analyzed("a.py", [{}] * 50, unit_texts=texts)))
        first = writer.missing_vectors(1000)
        writer.add_vectors(first[30:40], np.ones((10, 4), np.float32))  # begins somewhere in the middle
        while hashes := writer.missing_vectors(7):
            seen += hashes
            writer.add_vectors(hashes, np.ones((len(hashes), 4), np.float32))
    assert sorted(seen) == sorted({*first} - {*first[30:40]})


def test_dead_vectors_are_compacted_while_an_old_reader_goes_on(open_store: OpenStore) -> None:
    store = open_store()
    writer, old, new = store.writer(), store.reader(), store.reader()
    rng = np.random.default_rng(1)
    with writer.batch():
        for i in range(20):
            writer.replace_file(pack_file(make_analyzed(f"f{i}.py", [{}])))
        hashes = writer.missing_vectors(100)
        writer.add_vectors(hashes, rng.normal(size=(20, 4)).astype(np.float32))
    query = rng.normal(size=4).astype(np.float32)
    before = [column.tolist() for column in new.search_vectors(query, Corpus.ALL, 100)]
    with old.session():
        assert old.generation == 1
        with writer.batch():
            writer.delete_files([f"f{i}.py" for i in range(10)])
        writer.optimize()
        assert [column.tolist() for column in old.search_vectors(query, Corpus.ALL, 100)] == before
    kept = [row for row in zip(*before, strict=True) if row[0] > 10]
    assert list(zip(*(c.tolist() for c in new.search_vectors(query, Corpus.ALL, 100)), strict=True)) == kept
    assert new.stats().vectors == 10
    assert new.stats().vector_bytes < 20 * 8 + 64
    store.close()
    store = open_store()
    assert [path.name for path in store.folder.glob("vectors-*")] == ["vectors-2.bin"]
    assert len(store.reader().search_vectors(query, Corpus.ALL, 100)[0]) == 10


@pytest.mark.parametrize(
    ("path", "stem", "directory"),
    [
        ("src/httpClient/retry_policy.test.py", "retri polici retrypolicy test", "src http client httpclient"),
        ("Makefile", "makefil", ""),
        (".gitignore", "gitignor", ""),
        ("用户/a b.c", "a b", "用 用户 户"),
    ],
)
def test_path_texts(path: str, stem: str, directory: str) -> None:
    assert path_texts(path) == (stem, directory)
