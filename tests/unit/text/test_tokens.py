"""One splitter for writing and asking: every spelling of a name meets, and nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gortex_py.text.tokens import (
    MAX_TERM_CHARS,
    identifier_parts,
    identifier_terms,
    squash,
    term_key,
    text_terms,
)


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("parseConfig", ["parse", "config"]),
        ("HTTPServer2", ["http", "server", "2"]),
        ("__init__", ["init"]),
        ("MAX_RETRY_COUNT", ["max", "retry", "count"]),
        ("sha256sum", ["sha", "256", "sum"]),
        ("$scope", ["scope"]),
        ("x", ["x"]),
        ("_", []),
        ("größteZahl", ["großte", "zahl"]),
        ("ПриветМир", ["привет", "мир"]),
        ("straße", ["strasse"]),
    ],
)
def test_identifiers_split_at_case_digits_and_underscores(word: str, parts: list[str]) -> None:
    folded = [part.replace("ß", "ss") for part in parts]
    assert identifier_parts(word) == folded


@pytest.mark.parametrize("spelling", ["parse_config", "parseConfig", "ParseConfig", "PARSE_CONFIG", "parse-config"])
def test_spellings_of_a_name_squash_to_one(spelling: str) -> None:
    assert squash(spelling) == "parseconfig"


@pytest.mark.parametrize("spelling", ["parse_config", "parseConfig", "ParseConfig", "PARSE_CONFIG"])
def test_spellings_of_a_name_give_the_same_terms(spelling: str) -> None:
    assert identifier_terms(spelling) == ("pars", "config", "parseconfig")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("用户登录", "登录"),
        ("用户登录", "登"),
        ("ユーザー登録", "登録"),
        ("café", "CAFE"),
        ("ПРИВЕТ", "привет"),
        ("x", "x"),
        ("io", "IO"),
        ("fd", "fd"),
        ("naïveParser", "naive"),
        ("requests", "request"),
        ("cafe\u0301", "café"),
    ],
)
def test_what_is_asked_is_among_what_was_written(text: str, query: str) -> None:
    assert set(text_terms(query)) <= set(text_terms(text))


@given(st.text(max_size=100))
def test_terms_are_folded_never_empty_and_bounded(text: str) -> None:
    for term in text_terms(text):
        assert term
        assert len(term) <= MAX_TERM_CHARS
        assert not any(c.isspace() for c in term)
        term_key(term)


@given(st.from_regex(r"[a-z]{1,12}", fullmatch=True))
def test_case_alone_never_hides_a_word(word: str) -> None:
    assert identifier_terms(word) == identifier_terms(word.title()) == identifier_terms(word.upper())


def test_data_is_kept_by_its_head() -> None:
    assert [len(term) for term in identifier_terms("a" * 5_000)] == [MAX_TERM_CHARS]


def test_numbers_for_terms_are_stable_and_differ() -> None:
    assert term_key("config") == 0x19EB9613562925C4  # stored in every index; another number would empty them
    keys = {term_key(f"term{i}") for i in range(2_000)}
    assert len(keys) == 2_000
    assert all(0 <= key < 1 << 64 for key in keys)
