from __future__ import annotations

from collections.abc import Sequence

import pytest

from gortex_py.service.pages import MAX_PAGES, Pages
from gortex_py.types import FileCategory, Hit, HitSpan, Symbol
from tests.builders import make_symbol


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pages(clock: Clock) -> Pages:
    return Pages(clock)


def symbol(name: str) -> Symbol:
    return make_symbol(name, path=f"src/{name}.py")


def hit(name: str, *, repo: str = "shop", also: Sequence[HitSpan] = ()) -> Hit:
    shown = symbol(name)
    return Hit(
        repo=repo, path=shown.path, start_line=1, end_line=10, symbol_id=shown.id, symbol=name, qualified_name=name,
        kind=shown.kind, language="python", category=FileCategory.SOURCE, score=1.0, snippet="", highlights=(),
        also=tuple(also),
    )  # fmt: skip


def test_a_read_belongs_to_the_newest_page_of_its_client_that_showed_it(pages: Pages) -> None:
    pages.show("ann", "old", [hit("a")])
    pages.show("ann", "new", [hit("a"), hit("b")])
    pages.show("ann", "elsewhere", [hit("c")])
    pages.show("bob", "his", [hit("a")])
    opening = pages.open("ann", "shop", symbol("a"))
    assert opening is not None and opening.query == "new"


def test_what_no_page_of_the_client_showed_teaches_nothing(pages: Pages) -> None:
    pages.show("ann", "q", [hit("a")])
    assert pages.open("bob", "shop", symbol("a")) is None
    assert pages.open("ann", "shop", symbol("b")) is None
    assert pages.open("ann", "other", symbol("a")) is None


def test_a_second_read_from_one_page_is_no_second_selection(pages: Pages) -> None:
    pages.show("ann", "q", [hit("a")])
    assert pages.open("ann", "shop", symbol("a")) is not None
    assert pages.open("ann", "shop", symbol("a")) is None
    pages.show("ann", "q", [hit("a")])
    assert pages.open("ann", "shop", symbol("a")) is not None


def test_after_five_minutes_a_page_is_forgotten(pages: Pages, clock: Clock) -> None:
    pages.show("ann", "q", [hit("a"), hit("b")])
    clock.now += 299
    assert pages.open("ann", "shop", symbol("a")) is not None
    clock.now += 2
    assert pages.open("ann", "shop", symbol("b")) is None


def test_the_oldest_page_goes_when_there_are_too_many(pages: Pages) -> None:
    pages.show("ann", "q", [hit("a")])
    for _ in range(MAX_PAGES):
        pages.show("bob", "q", [hit("b")])
    assert pages.open("ann", "shop", symbol("a")) is None


def test_hits_above_what_is_opened_are_passed_over_once(pages: Pages) -> None:
    pages.show("ann", "q", [hit("a"), hit("b"), hit("x", repo="other"), hit("c"), hit("d")])
    third = pages.open("ann", "shop", symbol("c"))
    assert third is not None
    assert [each.path for each in third.skipped] == ["src/a.py", "src/b.py"]
    last = pages.open("ann", "shop", symbol("d"))
    assert last is not None and last.skipped == ()
    # What is read after all was not passed over.
    first = pages.open("ann", "shop", symbol("a"))
    assert first is not None and first.was_skipped and first.skipped == ()


def test_a_further_place_of_a_hit_counts_as_shown(pages: Pages) -> None:
    inner = make_symbol("inner", path="src/a.py", start_line=20, end_line=30)
    pages.show("ann", "q", [hit("a", also=[HitSpan(20, 30, "inner", inner.kind)])])
    opening = pages.open("ann", "shop", inner)
    assert opening is not None and opening.query == "q"


def test_forgetting_drops_what_was_shown(pages: Pages) -> None:
    pages.show("ann", "q", [hit("a")])
    pages.forget()
    assert pages.open("ann", "shop", symbol("a")) is None
