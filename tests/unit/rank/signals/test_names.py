"""What names say: the file's, its directories', and those of what it defines."""

from __future__ import annotations

import numpy as np
import pytest

from gortex_py.rank.evidence import Definition, Evidence, Question
from gortex_py.rank.signals import SIGNALS
from gortex_py.types import FIELD_COUNT, Field, SymbolKind
from tests.builders import make_evidence, make_question

BY_NAME = {signal.name: signal for signal in SIGNALS}


def values(name: str, evidence: Evidence, question: Question | None = None) -> list[float]:
    return BY_NAME[name].score(question or make_question(), evidence).tolist()


def definition(file: int = 0, **facts: object) -> Definition:
    known: dict[str, object] = {
        "file": file,
        "unit": file * 2,
        "kind": SymbolKind.CLASS,
        "word": 0,
        "is_identifier": True,
        "is_capitalised": False,
        "same_case": True,
        "files": 1,
        "certainty": 0.0,
        "symbol": 0,
    }
    return Definition(**(known | facts))  # type: ignore[arg-type]


def test_a_stem_is_covered_and_covers() -> None:
    # Query mass 4. First: the stem is said whole and is the whole query. Second: half of it, which is
    # half the query. Third: said whole, but half of the query.
    evidence = make_evidence(stem_mass=np.array([4, 4, 2], np.float32), stem_hit_mass=np.array([4, 2, 2], np.float32))
    assert values("stem_precision", evidence) == [1, 0.5, 1]
    assert values("stem_f1", evidence) == pytest.approx([1, 0.5, 2 * 0.5 / 1.5])


def test_a_directory_counts_by_the_rarity_of_what_it_says() -> None:
    cover = np.array([[1, 0, 0], [0, 1, 0]], np.float32)
    question = make_question(idf=[3.0, 1.0])
    assert values("directory", make_evidence(dir_cover=cover), question) == [0.75, 0.25, 0]


def test_path_and_names_takes_each_word_once() -> None:
    matches = np.zeros((2, 3, FIELD_COUNT), np.float32)
    matches[0, :2, Field.NAME] = 0.7
    cover = np.array([[1, 0, 0], [0, 0, 0]], np.float32)
    assert values("path_and_names", make_evidence(file_match=matches, stem_cover=cover)) == [0.5, 0.5, 0]


@pytest.mark.parametrize("signal", ["defined_identifier", "defined_word"])
def test_a_definition_points_at_its_file_the_strongest_one_counts(signal: str) -> None:
    evidence = make_evidence(
        definitions=(definition(1, kind=SymbolKind.VARIABLE), definition(1), definition(2, same_case=False))
    )
    none, exact, other_case = values(signal, evidence)
    assert none == 0
    assert exact > other_case > 0


@pytest.mark.parametrize("signal", ["defined_identifier", "defined_word"])
def test_a_class_is_more_the_definition_of_its_name_than_its_constructor_or_a_variable(signal: str) -> None:
    kinds = (SymbolKind.CLASS, SymbolKind.FUNCTION, SymbolKind.CONSTRUCTOR, SymbolKind.VARIABLE)
    evidence = make_evidence(
        [f"{k}.py" for k in kinds], definitions=tuple(definition(i, kind=k) for i, k in enumerate(kinds))
    )
    found = values(signal, evidence)
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == 4


def test_a_name_that_many_files_define_says_less_in_a_sentence() -> None:
    evidence = make_evidence(["a.py", "b.py"], definitions=(definition(0, files=1), definition(1, files=50)))
    once, often = values("defined_identifier", evidence)
    assert once > often > 0
    alone = make_question(["pars"], words=["parse"])
    single = make_evidence(["a.py", "b.py"], groups=1, pairs=0, definitions=evidence.definitions)
    assert values("defined_identifier", single, alone) == [1, 1]


def test_a_plain_word_is_no_identifier_and_a_capital_half_of_one() -> None:
    evidence = make_evidence(
        definitions=(definition(0, is_identifier=False), definition(1, is_capitalised=True), definition(2))
    )
    plain, capital, identifier = values("defined_identifier", evidence)
    assert plain == 0
    assert 0 < capital < identifier


def test_a_common_word_is_less_likely_meant_as_the_name_that_it_is() -> None:
    definitions = (definition(0, word=0), definition(1, word=1), definition(2, word=-1))
    common, rare, whole = values("defined_word", make_evidence(definitions=definitions), make_question(idf=[0.5, 6.0]))
    assert 0 < common < rare
    assert whole == 0  # the whole query's name is another signal's


@pytest.mark.parametrize(
    ("signal", "fact"), [("exact_name", "name_match"), ("exact_path", "path_match"), ("stem_equal", "stem_equal")]
)
def test_these_say_a_fact_as_it_is(signal: str, fact: str) -> None:
    assert values(signal, make_evidence(**{fact: np.array([1, 0.5, 0], np.float32)})) == [1, 0.5, 0]
