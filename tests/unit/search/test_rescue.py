"""A misspelt word finds what was meant, below whatever is spelled so."""

from __future__ import annotations

import pytest

from tests.unit.search.conftest import Ask, Asking

FILES = {
    "src/users.py": "def retrieve_user(key):\n    return find(key)\n",
    "src/config.py": "def parse_configuration(text):\n    return load(text)\n",
    "src/other.py": "def unrelated(x):\n    return x\n",
    "src/cat.py": "def cat():\n    return 'meow'\n",
}


@pytest.fixture(scope="module")
def code(ask: Ask) -> Asking:
    return ask(FILES)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("retreive_user", "src/users.py"),
        ("retreiveUser", "src/users.py"),
        ("retreive user", "src/users.py"),
        ("parse confguration", "src/config.py"),
        ("parse configuratoin", "src/config.py"),
        ("uncelated", "src/other.py"),
    ],
)
def test_a_misspelt_word_finds_what_was_meant(code: Asking, text: str, path: str) -> None:
    assert code.paths(text)[0] == path


@pytest.mark.parametrize("text", ["cot", "catt" * 9, "qqqqqqqq"])
def test_short_words_and_far_ones_are_not_guessed(code: Asking, text: str) -> None:
    assert code.paths(text) == []


def test_a_guess_is_never_above_what_is_spelled_so(ask: Ask) -> None:
    asking = ask(FILES | {"tests/old/z.py": "def retreive_user():\n    pass\n"})
    assert asking.paths("retreive_user")[0] == "tests/old/z.py"
    assert asking.paths("retreive") == ["tests/old/z.py"]


def test_a_word_that_occurs_is_not_widened(ask: Ask) -> None:
    asking = ask({"a.py": "settings = 1\n", "b.py": "setting = 1\nsettling = 2\n", "c.py": "betting = 3\n"})
    assert set(asking.paths("settings")) == {"a.py", "b.py"}  # one stem
