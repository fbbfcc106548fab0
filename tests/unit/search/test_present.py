"""Of a file that answers, a hit shows the place that answers best."""

from __future__ import annotations

import pytest

from gortex_py.types import SymbolKind
from tests.unit.search.conftest import Ask, Asking

TEXT = '''\
"""Moves cargo."""

LOADING_LIMIT = 40


class Derrick:
    """Lifts things onto a ship.

    One lift at a time.
    """

    reach_of_arm = 12

    def __init__(self, limit):
        self.limit = limit

    def hoist(self, crate):
        # the winch turns slowly
        return crate.up(self.limit)

    def lower(self, crate):
        return crate.down()
'''


@pytest.fixture(scope="module")
def code(ask: Ask) -> Asking:
    long = "def route(cargo):\n" + "".join(f"    step_{i}(cargo)\n" for i in range(90)) + "    return spindle(cargo)\n"
    big = "class Manifest:\n" + "".join(f"    def line_{i}(self):\n        return {i}\n\n" for i in range(60))
    java = "class Quay {\n    Quay(int n) {\n        this.n = n;\n    }\n\n    int n;\n}\n"
    return ask(
        {"derrick.py": TEXT, "route.py": long, "manifest.py": big, "Quay.java": java, "loose.py": "print('bollard')\n"}
    )


@pytest.mark.parametrize(
    ("text", "symbol", "lines"),
    [
        ("Derrick", "Derrick", (6, 22)),
        ("hoist", "hoist", (17, 19)),
        ("winch turns", "hoist", (17, 19)),
        ("lifts things onto a ship", "Derrick", (6, 22)),
        ("LOADING_LIMIT", "LOADING_LIMIT", (3, 3)),
        ("reach_of_arm", "reach_of_arm", (12, 12)),
        ("Quay", "Quay", (1, 7)),  # the class, not its constructor of the same name
    ],
)
def test_the_place_that_answers_is_shown(code: Asking, text: str, symbol: str, lines: tuple[int, int]) -> None:
    hit = code.first(text)
    assert hit.symbol == symbol
    assert (hit.start_line, hit.end_line) == lines


def test_a_class_is_shown_by_its_header(code: Asking) -> None:
    hit = code.first("Manifest")
    assert (hit.kind, hit.start_line) == (SymbolKind.CLASS, 1)
    assert hit.end_line <= 40


def test_a_long_function_shows_the_window_that_matches(code: Asking) -> None:
    hit = code.first("spindle")
    assert hit.symbol == "route"
    assert hit.start_line > 40
    assert hit.end_line == 92
    assert "spindle" in hit.snippet


def test_lines_outside_definitions_are_shown_without_a_symbol(code: Asking) -> None:
    hit = code.first("bollard")
    assert (hit.path, hit.symbol, hit.symbol_id, hit.kind) == ("loose.py", None, None, None)
    assert (hit.start_line, hit.end_line, hit.snippet) == (1, 1, "print('bollard')")


def test_further_places_are_other_places_of_the_same_file(code: Asking) -> None:
    hit = code.first("crate hoist lower")
    assert {hit.symbol, *(place.symbol for place in hit.also)} >= {"hoist", "lower"}
    assert all((place.start_line, place.end_line) != (hit.start_line, hit.end_line) for place in hit.also)


def test_a_file_found_by_its_name_alone_shows_something_of_it(code: Asking) -> None:
    hit = code.first("loose.py")
    assert (hit.path, hit.snippet) == ("loose.py", "print('bollard')")
