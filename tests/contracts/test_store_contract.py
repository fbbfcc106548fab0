"""SqliteStore answers what the plain reference answers, whatever was written in whatever order."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gortex_py.protocols import FileMentions, StoreReader, StoreWriter
from gortex_py.store import FILE_FIELDS, SECTION_FIELDS, SqliteReader, SqliteWriter, Store, StoreIdentity
from gortex_py.store.rows import pack_file
from gortex_py.store.schema import CONTENT_TABLES, TEXT_TABLES
from gortex_py.types import (
    AnalyzedFile,
    Bag,
    Corpus,
    Field,
    FileCategory,
    PackedFile,
    Reference,
    ReferenceKind,
    Skipped,
    SkipReason,
    SymbolKind,
)
from tests.builders import make_analyzed, make_symbol
from tests.fakes import MemoryStore

DIM = 4
TERMS = ("pars", "config", "parseconfig", "cafe", "straße", "用户", "é", "2", "x", "not", "near")
PATHS = ("src/parse_config.py", "src/http/client.go", "README.md", "docs/a b/用户.md", "x%20?#.py", "deep/é/2/Near.py")
FILE_WEIGHTS = {name: 1.0 + i / 4 for i, name in enumerate(FILE_FIELDS)}
SECTION_WEIGHTS = {name: 2.0 - i / 4 for i, name in enumerate(SECTION_FIELDS)}


@dataclass(frozen=True)
class Step:
    """One batch."""

    replaced: tuple[AnalyzedFile, ...]
    deleted: tuple[str, ...]
    embed: int
    fails: bool


word_maps = st.dictionaries(
    st.sampled_from(Field), st.lists(st.sampled_from(TERMS), min_size=1, max_size=6), max_size=4
)


@st.composite
def analyzed_files(draw: st.DrawFn) -> AnalyzedFile:
    path = draw(st.sampled_from(PATHS))
    units = draw(st.lists(word_maps, max_size=3))
    names = draw(st.lists(st.sampled_from(["parse_config", "ParseConfig", "client"]), max_size=3))
    references = draw(
        st.lists(
            st.builds(
                Reference,
                name=st.sampled_from(["open", "Client"]),
                kind=st.sampled_from(ReferenceKind),
                line=st.just(1),
                symbol=st.none() | st.integers(0, 2),
                spelled=st.sampled_from(["", "", "./lib/open.js", "org.Client"]),
            ),
            max_size=4,
        )
    )
    return make_analyzed(
        path,
        units,
        category=FileCategory.DOCS if path.endswith(".md") else FileCategory.SOURCE,
        symbols=[
            make_symbol(name, path=path, symbol_id=f"{path}::{name}~{i}" if i else None) for i, name in enumerate(names)
        ],
        references=[replace(reference, line=i + 1) for i, reference in enumerate(references)],
        unit_texts=draw(st.lists(st.sampled_from("abcdefg"), min_size=len(units), max_size=len(units))),
        text=draw(st.text(max_size=20)),
    )


steps = st.builds(
    Step,
    replaced=st.lists(analyzed_files(), max_size=4).map(tuple),
    deleted=st.lists(st.sampled_from([*PATHS, "not/there"]), max_size=2).map(tuple),
    embed=st.integers(0, 3),
    fails=st.sampled_from([False, False, False, True]),
)


class StepError(Exception):
    """Raised inside a batch."""


def vector_of(text_hash: bytes) -> np.ndarray:
    """Return a vector that depends on the hash; one in eight has no direction."""
    if text_hash[0] % 8 == 0:
        return np.zeros(DIM, np.float32)
    return np.random.default_rng(list(text_hash)).normal(size=DIM).astype(np.float32)


def run(writer: StoreWriter, pack: Callable[[AnalyzedFile], PackedFile], step: Step) -> None:
    """Apply one batch."""
    try:
        with writer.batch():
            for file in step.replaced:
                writer.replace_file(pack(file))
            writer.delete_files(step.deleted)
            writer.set_skipped([Skipped(path, SkipReason.BINARY, "x") for path in set(step.deleted)])
            hashes = sorted(writer.missing_vectors(1000))[: step.embed]
            writer.add_vectors(hashes, np.array([vector_of(h) for h in hashes], np.float32).reshape(-1, DIM))
            if step.fails:
                raise StepError
    except StepError:
        pass


@contextmanager
def sqlite_store() -> Iterator[tuple[SqliteWriter, SqliteReader]]:
    """Open a fresh index in a folder whose name is not a plain word."""
    with TemporaryDirectory(prefix="a b%3F?#é") as folder:
        store = Store.open(Path(folder) / "index", StoreIdentity("index", "embedder", DIM))
        try:
            yield store.writer(), store.reader()
        finally:
            store.close()


def assert_same_bags(left: Sequence[Bag], right: Sequence[Bag]) -> None:
    for a, b in zip(left, right, strict=True):
        assert a.terms == b.terms
        for name in ("keys", "indptr", "units", "fields", "counts", "lengths"):
            x, y = getattr(a, name), getattr(b, name)
            np.testing.assert_array_equal(x, y)


def counted(file: FileMentions) -> tuple[int, Counter[tuple[str, str]], Counter[str]]:
    """Return what a file mentions without regard to how it is grouped."""
    uses: Counter[tuple[str, str]] = Counter()
    for place, kind, count in zip(file.places, file.kinds, file.counts, strict=True):
        uses[file.names[place], kind] += count
    return file.file_id, uses, Counter(set(file.imports))


def assert_same_answers(reader: StoreReader, reference: MemoryStore) -> None:
    facts, expected = reader.file_facts(), reference.file_facts()
    ids = expected.ids.tolist()
    assert facts.paths == expected.paths
    assert facts.categories == expected.categories
    assert facts.languages == expected.languages
    for file_id in reference.file_facts().ids.tolist():
        assert reader.text(file_id) == reference.text(file_id)
        for first, last in ((1, 1), (1, 3), (2, 2), (2, 99), (99, 120)):
            assert reader.lines(file_id, first, last) == reference.lines(file_id, first, last)
    for name in ("ids", "lines", "units", "lengths"):
        np.testing.assert_array_equal(getattr(facts, name), getattr(expected, name))
    assert reader.generation == reference.generation
    assert reader.digests() == reference.digests()
    digests = [file.digest for file in reference.digests().values()][:2]
    assert reader.file_digests(PATHS[:3], digests=digests) == reference.file_digests(PATHS[:3], digests=digests)
    assert reader.skipped() == reference.skipped()
    assert [reader.file_id(path) for path in PATHS] == [reference.file_id(path) for path in PATHS]
    assert reader.units(ids) == reference.units(ids)
    assert reader.file_symbols(ids) == reference.file_symbols(ids)
    assert reader.file_references(ids) == reference.file_references(ids)
    assert list(map(counted, reader.mentions())) == list(map(counted, reference.mentions()))
    for kinds in ([], ["function", "method"], list(SymbolKind)):
        (file_ids, defined), (expected_ids, expected_names) = (
            reader.defined_names(kinds),
            reference.defined_names(kinds),
        )
        assert (file_ids.tolist(), defined) == (expected_ids.tolist(), expected_names)
    assert [reader.text(i) for i in ids] == [reference.text(i) for i in ids]
    assert_same_bags(reader.bags(ids, with_terms=True), reference.bags(ids, with_terms=True))
    names = ["ParseConfig", "client", "no"]
    assert (
        reader.files_with_kinds(["class", "method"]).tolist()
        == reference.files_with_kinds(["class", "method"]).tolist()
    )
    assert reader.symbols_named(names) == reference.symbols_named(names)
    assert reader.symbols_squashed(["parseconfig"], limit=2) == reference.symbols_squashed(["parseconfig"], limit=2)
    assert reader.symbol_names(2) == reference.symbol_names(2)
    assert reader.symbol_names(100) == reference.symbol_names(100)
    for path in PATHS:
        for symbol_id in (f"{path}::parse_config", f"{path}::client~1"):
            assert reader.symbol(symbol_id) == reference.symbol(symbol_id)
    words = [*TERMS, "http", "absent"]
    assert reader.document_frequencies(words) == reference.document_frequencies(words)
    assert reader.terms_with_prefix("pars", 5) == reference.terms_with_prefix("pars", 5)
    assert reader.terms_with_prefix("", 100) == reference.terms_with_prefix("", 100)
    assert_same_search(reader, reference)
    assert_same_vectors(reader, reference, ids)


def assert_same_search(reader: StoreReader, reference: MemoryStore) -> None:
    for terms in (["pars"], ["config", "用户", "absent", "config"], [*TERMS, "http", "src"], [], ["absent"]):
        ids, scores = reader.search_files(terms, FILE_WEIGHTS)
        expected_ids, expected_scores = reference.search_files(terms, FILE_WEIGHTS)
        np.testing.assert_array_equal(ids, expected_ids)
        np.testing.assert_allclose(scores, expected_scores, rtol=1e-9)
        assert (scores > 0).all()
        found, expected = (
            reader.search_sections(terms, SECTION_WEIGHTS, 100),
            reference.search_sections(terms, SECTION_WEIGHTS, 100),
        )
        assert {*zip(*(a.tolist() for a in found[:2]), strict=True)} == {
            *zip(*(a.tolist() for a in expected[:2]), strict=True)
        }
        np.testing.assert_allclose(found[2], expected[2], rtol=1e-9)


def assert_same_vectors(reader: StoreReader, reference: MemoryStore, ids: list[int]) -> None:
    query = np.array([0.5, -1.0, 2.0, 0.25], np.float32)
    for corpus in Corpus:
        found, expected = reader.search_vectors(query, corpus, 50), reference.search_vectors(query, corpus, 50)
        assert {*zip(*(a.tolist() for a in found[:2]), strict=True)} == {
            *zip(*(a.tolist() for a in expected[:2]), strict=True)
        }
        np.testing.assert_allclose(found[2], expected[2], atol=0.01)
    for got, wanted in zip(reader.unit_cosines(ids, query), reference.unit_cosines(ids, query), strict=True):
        np.testing.assert_allclose(got, wanted, atol=0.01)


def rows_left(writer: SqliteWriter) -> dict[str, int]:
    """Return the number of rows of each table that is not empty."""
    connection: sqlite3.Connection = writer._connection
    names = [*CONTENT_TABLES, *(f"{table}_docsize" for table in TEXT_TABLES)]
    counts = {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in names}
    for table in TEXT_TABLES:
        connection.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.v_{table} USING fts5vocab(main, {table}, row)")
        counts[f"terms of {table}"] = connection.execute(f"SELECT count(*) FROM temp.v_{table}").fetchone()[0]
    return {name: count for name, count in counts.items() if count}


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, min_size=1, max_size=4))
def test_any_history_answers_like_the_reference_and_leaves_nothing_behind(history: list[Step]) -> None:
    reference = MemoryStore(DIM)
    with sqlite_store() as (writer, reader):
        for step in history:
            run(writer, pack_file, step)
            run(reference, reference.pack, step)
            with reader.session():
                assert_same_answers(reader, reference)
            assert sorted(writer.missing_vectors(1000)) == reference.missing_vectors(1000)
        writer.optimize()
        assert_same_search(reader, reference)
        with writer.batch():
            writer.delete_files(PATHS)
            writer.set_skipped([])
        writer.optimize()
        assert rows_left(writer) == {}
        assert reader.stats().vectors == 0
