from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gortex_py.chunk import ChunkOptions
from gortex_py.index.analyze import analyze
from gortex_py.parse.parser import SourceParser
from gortex_py.protocols import StoreReader
from gortex_py.query.words import read_words
from gortex_py.rank.evidence import TermGroup
from gortex_py.search.engine import Engine
from gortex_py.search.expansion import MAX_RELATED, TableLookup, expand
from gortex_py.search.gathering import match_bags
from gortex_py.search.kin import PrefixKin, kinship
from gortex_py.search.mining import MinedConcepts
from gortex_py.search.options import SearchOptions
from gortex_py.search.question import MAX_BORROWED_IDF, idf, pose
from gortex_py.settings.paths import bundled
from gortex_py.store.database import Store, StoreIdentity
from gortex_py.store.rows import pack_file
from gortex_py.text.concepts import Concepts, read_concepts
from gortex_py.types import Field, FileCategory, Query, SourceFile

Files = Mapping[str, str]
Repository = Callable[[Files], StoreReader]


@pytest.fixture(scope="module")
def concepts() -> Concepts:
    return read_concepts(bundled("data"))


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    """Give a function that indexes Python files and returns a reader."""
    stores: list[Store] = []

    def index(files: Files) -> StoreReader:
        store = Store.open(tmp_path / str(len(stores)), StoreIdentity("index", "none", 0))
        stores.append(store)
        parser, writer = SourceParser(), store.writer()
        with writer.batch():
            for path, text in files.items():
                file = SourceFile(path, "python", FileCategory.SOURCE, len(text), 1, path)
                writer.replace_file(pack_file(analyze(file, text, parser, ChunkOptions()).file))
        return store.reader()

    yield index
    for store in stores:
        store.close()


def functions(*names: str) -> str:
    return "".join(f"def {name}():\n    pass\n\n\n" for name in names)


def found(reader: StoreReader, query: str, options: SearchOptions) -> list[str]:
    return [hit.path for hit in Engine("repo", reader, None, options=options).search(Query(query)).hits]


def group(reader: StoreReader, query: str, options: SearchOptions, *, term: str = "") -> TermGroup:
    words, files = read_words(query), len(reader.file_facts().ids)
    groups = pose(words, reader, files, options.expanders()).groups
    return next(each for each in groups if not term or each.term == term)


@pytest.mark.parametrize(
    ("query", "name"), [("login", "authenticate_user"), ("remove", "destroy_record"), ("throttle", "rate_limit")]
)
def test_a_word_finds_what_is_called_otherwise_here(
    repository: Repository, concepts: Concepts, query: str, name: str
) -> None:
    reader = repository({"a.py": functions(name), "b.py": functions("paint_canvas")})
    assert found(reader, query, SearchOptions(concepts=concepts)) == ["a.py"]


def test_switched_off_it_does_not(repository: Repository, concepts: Concepts) -> None:
    reader = repository({"a.py": functions("destroy_record"), "b.py": functions("paint_canvas")})
    assert found(reader, "remove", SearchOptions(concepts=concepts, equivalence_classes=False)) == []


def test_switching_the_classes_off_takes_the_related_and_mined_words_too(concepts: Concepts) -> None:
    options = SearchOptions(
        concepts=concepts, prefix_kin=False, equivalence_classes=False, relatedness=True, mined_concepts=True
    )
    assert options.expanders() == ()


def test_each_expander_has_its_own_switch(concepts: Concepts) -> None:
    everything = SearchOptions(concepts=concepts, mined_concepts=True)
    assert len(everything.expanders()) == 4
    for switch in ("prefix_kin", "relatedness", "mined_concepts"):
        assert len(replace(everything, **{switch: False}).expanders()) == 3


def test_the_word_itself_comes_before_synonyms_and_those_before_related_words(
    repository: Repository, concepts: Concepts
) -> None:
    reader = repository(
        {"c.py": functions("token_one"), "b.py": functions("signin_one"), "a.py": functions("auth_one")}
    )
    assert found(reader, "auth", SearchOptions(concepts=concepts)) == ["a.py", "b.py", "c.py"]


def test_an_extra_class_is_searched(repository: Repository, concepts: Concepts) -> None:
    reader = repository({"a.py": functions("ship_consignment"), "b.py": functions("paint_canvas")})
    extra = concepts.with_extra({"parcel": ("consignment",)})
    assert found(reader, "parcel", SearchOptions(concepts=concepts)) == []
    assert found(reader, "parcel", SearchOptions(concepts=extra)) == ["a.py"]


def test_a_file_that_says_many_synonyms_matches_as_well_as_the_best_of_them_alone(
    repository: Repository, concepts: Concepts
) -> None:
    reader = repository({"one.py": functions("erase_aa", "paint_bb"), "many.py": functions("erase_aa", "discard_bb")})
    words, facts = read_words("remove"), reader.file_facts()
    question = pose(words, reader, 2, SearchOptions(concepts=concepts).expanders())
    matches = match_bags(question, reader.bags(facts.ids.tolist()), facts, np.arange(2))
    weights = dict(question.groups[0].variants)
    name = matches.file_match[0, :, Field.NAME]
    assert weights["eras"] > weights["discard"] > 0
    assert name[0] == pytest.approx(name[1])
    assert matches.unit_cover[0].max() == pytest.approx(weights["eras"])


def test_the_word_outweighs_a_pile_of_its_synonyms(repository: Repository, concepts: Concepts) -> None:
    reader = repository(
        {
            "piled.py": functions("delete", "destroy", "drop", "erase", "discard", "detach"),
            "said.py": functions("remove", "paint", "canvas", "brush", "colour", "easel"),
        }
    )
    assert found(reader, "remove", SearchOptions(concepts=concepts)) == ["said.py", "piled.py"]


def test_no_word_of_the_query_stands_for_another(repository: Repository, concepts: Concepts) -> None:
    reader = repository({"a.py": functions("login_auth", "signin")})
    options = SearchOptions(concepts=concepts)
    assert "auth" in dict(group(reader, "login form", options).variants)
    assert "auth" not in dict(group(reader, "login auth", options, term="login").variants)


def test_only_so_many_related_words_join_a_query(repository: Repository) -> None:
    words = [f"zap{chr(97 + i)}k" for i in range(MAX_RELATED + 3)]
    reader = repository({"a.py": functions("auth", "cache", *words)})
    half = len(words) // 2
    table = {"auth": [(w, 0.1) for w in words[:half]], "cach": [(w, 0.1) for w in words[half:]]}
    lookup = TableLookup({term: tuple(others) for term, others in table.items()}, most=MAX_RELATED)
    expanded = expand({}, ("auth", "cach"), reader, (lookup,))
    assert [len(expanded["auth"]), len(expanded["cach"])] == [half, MAX_RELATED - half]


def test_a_group_is_as_rare_as_its_own_word(repository: Repository, concepts: Concepts) -> None:
    files = {f"{i}.py": functions(f"delete_{i}") for i in range(9)} | {"x.py": functions("remove")}
    reader = repository(files)
    assert group(reader, "remove", SearchOptions(concepts=concepts)).idf == pytest.approx(idf(1, 10))


def test_an_absent_word_is_as_rare_as_the_commonest_that_stands_for_it(
    repository: Repository, concepts: Concepts
) -> None:
    files = {f"{i}.py": functions(f"delete_{chr(97 + i)}") for i in range(9)} | {"x.py": functions("destroy")}
    reader = repository(files)
    absent = group(reader, "remove", SearchOptions(concepts=concepts))
    assert absent.idf == pytest.approx(idf(9, 10))
    assert absent.idf < MAX_BORROWED_IDF


def test_a_misspelt_word_is_still_rescued(repository: Repository, concepts: Concepts) -> None:
    reader = repository({"a.py": functions("authentication_backend"), "b.py": functions("paint_canvas")})
    assert found(reader, "authentcation", SearchOptions(concepts=concepts)) == ["a.py"]


# --- kin ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("term", "other", "weight"),
    [
        ("valid", "validat", 0.6),
        ("validat", "valid", 0.6),
        ("auth", "authent", 0.48),
        ("complet", "compli", 0.6),
        ("car", "cart", 0.0),  # too short
        ("conn", "connection", 0.0),  # too much longer
        ("contain", "contents", 0.0),  # too little in common
        ("parser", "parser", 0.0),  # itself
    ],
)
def test_kin_begin_alike_and_end_a_few_letters_apart(term: str, other: str, weight: float) -> None:
    assert kinship(term, other) == weight


def test_kin_are_found_and_compounds_are_not_kin(repository: Repository) -> None:
    reader = repository({"a.py": functions("author", "authUser", "user", "authenticate", "ant")})
    kin = dict(PrefixKin().propose(("auth",), reader)["auth"])
    assert kin == {"author": 0.48, "authent": 0.48}


def test_a_shorter_word_is_kin_of_a_longer_one(repository: Repository) -> None:
    reader = repository({"a.py": functions("conn", "connect")})
    assert dict(PrefixKin().propose(("connector",), reader)["connector"]) == {"conn": 0.48, "connect": 0.6}


# --- mined concepts -----------------------------------------------------------------------


def partners(reader: StoreReader, term: str) -> Iterable[str]:
    return [other for other, _ in MinedConcepts().propose((term,), reader).get(term, ())]


def test_words_that_three_names_put_together_find_each_other_and_two_do_not(repository: Repository) -> None:
    others = functions(*(f"paint_canvas_{word}" for word in ("red", "green", "blue", "black")))
    twice = functions("invoice_ledger_a", "invoice_ledger_b")
    assert partners(repository({"a.py": twice + others}), "invoic") == []
    thrice = twice + functions("open_invoice_ledger")
    reader = repository({"a.py": thrice + others})
    assert partners(reader, "invoic") == ["ledger"]
    assert partners(reader, "ledger") == ["invoic"]


def test_words_that_fill_names_are_never_partners(repository: Repository) -> None:
    names = [f"{filler}_invoice_{suffix}" for filler in ("get", "new", "handle", "test") for suffix in "abc"]
    reader = repository({"a.py": functions(*names, *(f"paint_canvas_{c}" for c in "abcd"))})
    assert partners(reader, "invoic") == []
    assert partners(reader, "get") == []


def test_words_that_go_with_everything_are_no_partners(repository: Repository) -> None:
    names = [
        f"server_{word}_{suffix}" for word in ("invoice", "ledger", "canvas") for suffix in ("red", "blue", "grey")
    ]
    reader = repository({"a.py": functions(*names)})
    assert "server" not in partners(reader, "invoic")


def test_mined_words_are_found_only_when_switched_on(repository: Repository) -> None:
    files = {
        "a.py": functions("invoice_ledger_a", "invoice_ledger_b", "open_invoice_ledger"),
        "b.py": functions("ledger"),
        "c.py": functions(*(f"paint_canvas_{word}" for word in ("red", "green", "blue", "black"))),
    }
    reader = repository(files)
    assert "b.py" not in found(reader, "invoice", SearchOptions())
    assert "b.py" in found(reader, "invoice", SearchOptions(mined_concepts=True))


def test_a_changed_index_is_mined_anew(tmp_path: Path) -> None:
    store = Store.open(tmp_path, StoreIdentity("index", "none", 0))
    writer, reader, parser, miner = store.writer(), store.reader(), SourceParser(), MinedConcepts()

    def put(text: str) -> None:
        file = SourceFile("a.py", "python", FileCategory.SOURCE, len(text), 1, text[:20])
        with writer.batch():
            writer.replace_file(pack_file(analyze(file, text, parser, ChunkOptions()).file))

    others = functions(*(f"paint_canvas_{word}" for word in ("red", "green", "blue", "black")))
    put(others)
    assert "ledger" not in miner.propose(("ledger",), reader)
    put(functions("invoice_ledger_a", "invoice_ledger_b", "open_invoice_ledger") + others)
    assert "ledger" in miner.propose(("ledger",), reader)
    store.close()
