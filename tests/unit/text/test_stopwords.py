"""The word lists hold folded words and do not contradict each other."""

from __future__ import annotations

import pytest

from gortex_py.text import stopwords

LISTS = [
    "FUNCTION_WORDS",
    "QUESTION_WORDS",
    "STOP_WORDS",
    "WEAK_WORDS",
    "CHANGE_VERBS",
    "CHANGE_FILLERS",
    "QUESTION_OPENERS",
]


@pytest.mark.parametrize("name", LISTS)
def test_words_are_as_queries_are_compared(name: str) -> None:
    words = getattr(stopwords, name)
    assert words
    assert all(word == word.lower() and word.isalpha() for word in words)


def test_a_weak_word_is_not_dropped_altogether() -> None:
    assert not stopwords.WEAK_WORDS & stopwords.STOP_WORDS


@pytest.mark.parametrize("word", "parse error file test user class string name index socket".split())
def test_words_that_code_is_about_are_kept(word: str) -> None:
    assert word not in stopwords.STOP_WORDS | stopwords.WEAK_WORDS
