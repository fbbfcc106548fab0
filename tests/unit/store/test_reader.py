from __future__ import annotations

import numpy as np
import pytest

from gortex_py.errors import NotFound
from gortex_py.store import SqliteReader, SqliteWriter
from gortex_py.store.rows import pack_file
from gortex_py.types import Corpus, Field, FileCategory, SymbolKind
from tests.builders import make_analyzed, make_symbol
from tests.unit.store.conftest import OpenStore


@pytest.fixture
def store(open_store: OpenStore) -> tuple[SqliteWriter, SqliteReader]:
    opened = open_store()
    return opened.writer(), opened.reader()


@pytest.mark.parametrize(
    "terms",
    [
        ['"'],
        ["don't"],
        ["a-b"],
        ["foo:bar"],
        ["AND"],
        ["NEAR("],
        ["*"],
        ["body : x"],
        ["^x"],
        ["{a b}"],
        ["🦊"],
        [""],
        ["  "],
        ["\0"],
        ["a\0b"],
        ["\ud800"],
        ["x" * 10_000],
        [f"term{i}" for i in range(1000)],
        [],
    ],
)
def test_no_term_is_syntax(store: tuple[SqliteWriter, SqliteReader], terms: list[str]) -> None:
    writer, reader = store
    with writer.batch():
        writer.replace_file(pack_file(make_analyzed("a.py", [{Field.BODY: ["plain", "word"]}])))
    assert reader.search_files(terms, {"body": 1.0, "stem": 1.0})[0].tolist() == []
    assert reader.search_sections(terms, {"prose": 1.0}, 10)[0].tolist() == []
    assert reader.search_files([*terms, "plain"], {"body": 1.0})[0].tolist() == [1]
    assert reader.document_frequencies([*terms, "plain"]) == {"plain": 1}
    assert reader.symbols_named(terms) == reader.symbols_squashed(terms) == []
    for term in terms:
        assert reader.file_id(term) is None
        assert (reader.symbol(term), reader.symbol(f"a.py::{term}")) == (None, None)
        assert term == "" or reader.terms_with_prefix(term, 5) == []


def test_many_terms_score_as_their_sum(store: tuple[SqliteWriter, SqliteReader]) -> None:
    writer, reader = store
    words = [f"w{i}" for i in range(150)]
    with writer.batch():
        for i in range(40):
            writer.replace_file(pack_file(make_analyzed(f"{i}.py", [{Field.BODY: words[i : i + 90 : 3]}])))
    ids, scores = reader.search_files(words, {"body": 1.0})
    total = np.zeros(41)
    for word in words:
        found, score = reader.search_files([word], {"body": 1.0})
        total[found] += score
    assert ids.tolist() == list(range(1, 41))
    np.testing.assert_allclose(scores, total[1:])


def test_a_session_holds_its_state_while_the_writer_goes_on(store: tuple[SqliteWriter, SqliteReader]) -> None:
    writer, reader = store
    with writer.batch():
        writer.replace_file(pack_file(make_analyzed("a.py", [{Field.BODY: ["old"]}])))
    with reader.session():
        for i in range(3):
            with writer.batch():
                writer.replace_file(pack_file(make_analyzed("a.py", [{Field.BODY: ["new", str(i)]}])))
                writer.replace_file(pack_file(make_analyzed(f"b{i}.py")))
        writer.optimize()
        assert reader.generation == 1
        assert reader.file_facts().paths == ("a.py",)
        assert reader.search_files(["old"], {"body": 1.0})[0].tolist() == [1]
        assert reader.search_files(["new"], {"body": 1.0})[0].tolist() == []
        assert reader.document_frequencies(["old", "new"]) == {"old": 1}
    assert reader.generation == 4
    assert len(reader.file_facts().paths) == 4
    assert reader.document_frequencies(["old", "new"]) == {"new": 1}


def test_sessions_do_not_nest_and_end_after_an_error(store: tuple[SqliteWriter, SqliteReader]) -> None:
    _, reader = store
    with pytest.raises(RuntimeError), reader.session(), reader.session():
        pass
    with pytest.raises(KeyError), reader.session():
        raise KeyError
    with reader.session():
        assert reader.generation == 0


def test_facts_are_read_once_a_generation(store: tuple[SqliteWriter, SqliteReader]) -> None:
    writer, reader = store
    first = reader.file_facts()
    assert (first.paths, first.lengths.shape) == ((), (0, 5))
    with writer.batch():
        writer.replace_file(pack_file(make_analyzed()))
    assert reader.file_facts() is reader.file_facts() is not first
    assert reader.file_facts().lengths.tolist() == [[2, 0, 0, 0, 3]]


def test_a_file_that_is_not_there_is_not_found(store: tuple[SqliteWriter, SqliteReader]) -> None:
    _, reader = store
    for look_up in (reader.text, lambda i: reader.bags([i]), lambda i: reader.file_references([i])):
        with pytest.raises(NotFound):
            look_up(7)
    assert reader.units([7]) == [()]
    assert reader.file_symbols([7]) == [()]
    assert reader.file_id("x") is None
    assert (reader.symbol("x::y"), reader.symbol("x")) == (None, None)


def test_symbols_are_found_by_id_name_and_squashed_name(store: tuple[SqliteWriter, SqliteReader]) -> None:
    writer, reader = store
    symbols = [
        make_symbol("Box", path="odd::name.cpp", kind=SymbolKind.CLASS, doc="A box — ünïcode."),
        make_symbol("parse_config", path="odd::name.cpp", qualified_name="ns::Box.parse_config", parent=0),
        make_symbol("parseConfig", path="odd::name.cpp", symbol_id="odd::name.cpp::parseConfig~2"),
    ]
    with writer.batch():
        writer.replace_file(pack_file(make_analyzed("odd::name.cpp", symbols=symbols)))
    assert [s.ordinal for s in reader.symbols_named(["Box", "parseConfig", "Box"])] == [0, 2]
    file_id = reader.file_id("odd::name.cpp")
    assert file_id is not None
    assert reader.symbols_at([(file_id, 2), (file_id, 0)]) == [symbols[2], symbols[0]]
    assert reader.files_with_kinds(["class"]).tolist() == [file_id]
    assert reader.files_with_kinds(["trait"]).tolist() == []
    assert [s.ordinal for s in reader.symbols_squashed(["parseconfig"])] == [1, 2]
    assert [s.ordinal for s in reader.symbols_squashed(["parseconfig"], limit=1)] == [1]
    for symbol in symbols:
        found = reader.symbol(symbol.id)
        assert found is not None
        assert found.symbol == symbol


def test_vectors_are_looked_for_in_the_corpus_that_is_asked_for(store: tuple[SqliteWriter, SqliteReader]) -> None:
    writer, reader = store
    rng = np.random.default_rng(3)
    query = rng.normal(size=4).astype(np.float32)
    with writer.batch():
        for i in range(40):
            is_docs = i >= 38  # few and, by their vectors, the farthest
            category = FileCategory.DOCS if is_docs else FileCategory.SOURCE
            writer.replace_file(pack_file(make_analyzed(f"{i}.x", [{}], category=category)))
            vector = -query + rng.normal(size=4) / 9 if is_docs else rng.normal(size=4)
            writer.add_vectors(writer.missing_vectors(1), vector.astype(np.float32)[None, :])
    docs, _, cosines = reader.search_vectors(query, Corpus.DOCS, 2)
    assert sorted(docs.tolist()) == [39, 40]
    assert (cosines < -0.9).all()
    code, _, cosines = reader.search_vectors(query, Corpus.CODE, 100)
    assert sorted(code.tolist()) == list(range(1, 39))
    assert (np.diff(cosines) <= 0).all()
    assert len(reader.search_vectors(query, Corpus.ALL, 100)[0]) == 40


@pytest.mark.parametrize("vector", [np.zeros(4), np.full(4, np.nan), np.ones(3), np.empty(0)])
def test_a_vector_that_points_nowhere_finds_nothing(
    store: tuple[SqliteWriter, SqliteReader], vector: np.ndarray
) -> None:
    writer, reader = store
    with writer.batch():
        writer.replace_file(pack_file(make_analyzed("a.py", [{}])))
        writer.add_vectors(writer.missing_vectors(1), np.ones((1, 4), np.float32))
    assert reader.search_vectors(vector.astype(np.float32), Corpus.ALL, 5)[0].tolist() == []
    assert reader.unit_cosines([1], vector.astype(np.float32))[0].tolist() == [0.0]
    assert reader.unit_cosines([], vector.astype(np.float32)) == []


def test_stats_count_and_weigh(store: tuple[SqliteWriter, SqliteReader]) -> None:
    writer, reader = store
    with writer.batch():
        writer.replace_file(pack_file(make_analyzed(symbols=[make_symbol()])))
        writer.add_vectors(writer.missing_vectors(1), np.ones((1, 4), np.float32))
    stats = reader.stats()
    assert (stats.files, stats.symbols, stats.units, stats.vectors, stats.generation) == (1, 1, 1, 1, 1)
    assert stats.database_bytes > 10_000
    assert stats.vector_bytes == 64 + 8
