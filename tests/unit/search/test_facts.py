"""How surely a query names a symbol, and what a file's path says of a query."""

from __future__ import annotations

import pytest

from gortex_py.protocols import NamedSymbol
from gortex_py.query.words import read_words
from gortex_py.search.facts import name_certainty
from gortex_py.text.tokens import squash
from gortex_py.types import SymbolKind
from tests.unit.search.conftest import Ask, Asking


def certainty(text: str, name: str, qualified: str | None = None) -> float:
    stored = NamedSymbol(1, 0, 0, SymbolKind.METHOD, name, squash(name), qualified or name)
    return name_certainty(read_words(text), stored)


def test_certainty_falls_from_own_spelling_over_qualifier_and_spelling_to_words() -> None:
    own = certainty("parse_config", "parse_config")
    qualified = certainty("Foo.parse", "parse", "Foo.parse")
    other_qualifier = certainty("Foo.parse", "parse", "Bar.parse")
    other_spelling = certainty("parseConfig", "parse_config")
    both = certainty("foo.Parse", "parse", "Bar.parse")
    words = certainty("parse config", "parse_config")
    assert own == qualified == 1.0
    right_qualifier = certainty("foo.Parse", "parse", "Foo.parse")
    assert own > right_qualifier > other_qualifier > both > words > 0
    assert own > other_spelling > words


@pytest.mark.parametrize("text", ["Foo.parse", "Foo::parse", "foo#parse", "Outer.Foo.parse"])
def test_a_qualifier_fits_in_any_notation_and_case(text: str) -> None:
    assert certainty(text, "parse", "Outer.Foo.parse") == (0.95 if "foo" in text else 1.0)


def test_a_part_of_a_qualifier_is_not_enough() -> None:
    assert certainty("oo.parse", "parse", "Foo.parse") < 1.0


@pytest.fixture(scope="module")
def code(ask: Ask) -> Asking:
    same = "value = 'something about cartons'\n"
    return ask({"pack/retry_policy.py": same, "retry/other.py": same, "pack/policy.py": same, "pack/plain.py": same})


def raw(code: Asking, text: str, signal: str) -> dict[str, float]:
    return {
        hit.path: next((part.raw for part in hit.contributions if part.signal == signal), 0.0)
        for hit in code.hits(text, explain=True)
    }


def test_a_stem_that_the_query_spells_is_known_as_such(code: Asking) -> None:
    values = raw(code, "retry policy of cartons", "stem_equal")
    assert values["pack/retry_policy.py"] == 1.0
    assert values["pack/policy.py"] == 1.0
    assert values["pack/plain.py"] == 0.0
    assert 0 < raw(code, "retrying policies of cartons", "stem_equal")["pack/retry_policy.py"] < 1


def test_a_directory_that_the_query_names_counts_for_its_files(code: Asking) -> None:
    values = raw(code, "retry of cartons", "directory")
    assert values["retry/other.py"] > 0
    assert values["pack/retry_policy.py"] == 0


def test_a_pair_that_is_the_stem_is_a_pair(code: Asking) -> None:
    values = raw(code, "retry policy of cartons", "pairs")
    assert values["pack/retry_policy.py"] > 0 == values["pack/policy.py"]
