"""A query is put to one repository: which of its terms exist there, and how rare they are."""

from __future__ import annotations

from math import log

import pytest

from gortex_py.query.words import read_words
from gortex_py.rank.evidence import Question
from gortex_py.search.question import idf, pose
from tests.unit.search.conftest import Ask, Asking

FILES = {f"m{i}.py": f"# socket {'timer' if i < 2 else ''}\nx{i} = {i}\n" for i in range(9)} | {
    "n.py": "def retry_count():\n    pass\n"
}


@pytest.fixture(scope="module")
def code(ask: Ask) -> Asking:
    return ask(FILES)


def posed(code: Asking, text: str) -> Question:
    return pose(read_words(text), code.engine.reader, 10)


def rarity(question: Question) -> dict[str, float]:
    return {group.term: group.idf for group in question.groups}


def test_rarity_is_the_published_formula() -> None:
    assert idf(0, 10) == pytest.approx(log(1 + 10.5 / 0.5))
    assert idf(10, 10) == pytest.approx(log(1 + 0.5 / 10.5))
    assert idf(12, 10) > 0  # a count taken a moment earlier than the other


def test_each_term_is_a_group_as_rare_as_it_is_here(code: Asking) -> None:
    question = posed(code, "socket timer")
    assert rarity(question) == pytest.approx({"socket": idf(9, 10), "timer": idf(2, 10)})
    assert question.mass == pytest.approx(sum(rarity(question).values()))
    assert [group.variants for group in question.groups] == [(("socket", 1.0),), (("timer", 1.0),)]


def test_an_identifier_gives_its_parts_and_itself(code: Asking) -> None:
    question = posed(code, "retryCount")
    assert set(rarity(question)) == {"retri", "count", "retrycount"}
    assert {group.word for group in question.groups} == {0}


def test_a_term_that_comes_twice_is_one_group_of_the_first_word(code: Asking) -> None:
    question = posed(code, "socket timers timer socket")
    assert [(group.term, group.word) for group in question.groups] == [("socket", 0), ("timer", 1)]


def test_words_that_say_little_weigh_less_than_they_are_rare(code: Asking) -> None:
    plain, damped = posed(code, "timer"), pose(read_words("timer", project="timer"), code.engine.reader, 10)
    assert 0 < damped.mass < plain.mass


def test_a_word_that_is_nowhere_weighs_nothing_and_one_that_is_nearly_there_as_what_was_meant(code: Asking) -> None:
    assert rarity(posed(code, "zyzzyva")) == {"zyzzyva": 0.0}
    question = posed(code, "soket")
    (group,) = question.groups
    assert [term for term, _ in group.variants] == ["soket", "socket"]
    assert group.variants[1][1] < 1
    assert group.idf == pytest.approx(idf(9, 10))
