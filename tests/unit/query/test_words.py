"""What is looked for: the words that say something, and the one name or path that a query may be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gortex_py.query.words import MAX_WORDS, QueryWords, name_parts, path_text, read_words


def asked(text: str, **options: str) -> list[str]:
    return [word.text for word in read_words(text, **options).words]


def factors(words: QueryWords) -> dict[str, float]:
    return {word.text: word.factor for word in words.words}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Foo", ("Foo",)),
        ("  parseConfig()  ", ("parseConfig",)),
        ("Foo.bar", ("Foo", "bar")),
        ("Foo::Bar::baz", ("Foo", "Bar", "baz")),
        ("Foo#bar", ("Foo", "bar")),
        ("ptr->next", ("ptr", "next")),
        ("empty?", ("empty?",)),
        ("save!", ("save!",)),
        ("$x", ("$x",)),
        ("~Foo", ("~Foo",)),
        ("x", ("x",)),
        ("", ()),
        ("two words", ()),
        ("don't", ()),
        ("NEAR(", ()),
        ("::", ()),
        ('"', ()),
        ("*", ()),
    ],
)
def test_a_query_that_is_one_name_is_taken_apart(text: str, parts: tuple[str, ...]) -> None:
    assert name_parts(text) == parts


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("src/app.py", "src/app.py"),
        ("./src/app.py", "src/app.py"),
        ("/src/app.py", "src/app.py"),
        ("src\\app.py", "src/app.py"),
        ("app.py", "app.py"),
        ("src/", ""),
        ("parse config", ""),
        ("retry", ""),
        ("/", ""),
        ("", ""),
    ],
)
def test_a_query_that_is_one_path_is_recognised(text: str, path: str) -> None:
    assert path_text(text) == path


def test_words_that_carry_a_sentence_are_not_looked_for() -> None:
    assert asked("how does the retry of a request work") == ["retry", "request"]


def test_a_query_of_nothing_else_keeps_them() -> None:
    assert asked("how does it work") == ["how", "does", "it", "work"]


def test_a_stop_word_in_the_spelling_of_an_identifier_is_looked_for() -> None:
    assert asked("a field of Use") == ["field", "Use"]
    assert asked("the USE flag") == ["USE", "flag"]


@pytest.mark.parametrize("text", ["Use a socket", "Who has the socket", "Can a socket"])
def test_the_capital_that_begins_a_sentence_makes_no_identifier(text: str) -> None:
    assert asked(text) == ["socket"]


def test_words_that_say_little_count_less() -> None:
    plain = factors(read_words("socket implementation in myproject", project="MyProject"))
    assert plain["socket"] == 1.0
    assert 0 < plain["implementation"] < 1
    assert 0 < plain["myproject"] < 1


def test_the_telling_of_a_change_counts_less_than_what_changed() -> None:
    words = read_words("Fix crash when a wrong header is parsed")
    said = factors(words)
    assert words.is_change
    assert said["Fix"] < said["crash"]
    assert said["wrong"] < said["header"]
    assert not read_words("fix crash").is_change
    assert not read_words("where is the crash fixed").is_change


@pytest.mark.parametrize(
    ("text", "asks"), [("where is it", True), ("parse", True), ("parse config", False), ("", False)]
)
def test_questions_and_single_words_ask(text: str, asks: bool) -> None:
    assert read_words(text).asks is asks


def test_spelling_marks_identifiers() -> None:
    marked = {word.text: word.is_identifier for word in read_words("parse retryCount of max_size Client").words}
    assert marked == {"parse": False, "retryCount": True, "max_size": True, "Client": True}
    assert read_words("parse").words[0].is_identifier  # it is all there is


def test_pasted_text_is_bounded() -> None:
    words = read_words("socket timeout " * 5_000)
    assert 0 < len(words.words) <= MAX_WORDS


def test_parts_of_words_are_known_for_asking_after_a_kind_of_file() -> None:
    assert {"test", "runner", "testrunner"} <= read_words("TestRunner").all_words


@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    words = read_words(text)
    assert all(0 < word.factor <= 1 and word.text in text for word in words.words)
    assert all(words.name)
