from __future__ import annotations

import pytest

from gortex_py.query.keywords import MAX_KEYWORDS, MAX_WHOLE_CHARS, query_keys


@pytest.mark.parametrize(
    ("text", "whole", "keywords"),
    [
        ("  Retry\n with   BACKOFF ", "retry with backoff", ("retri", "backoff")),
        ("parseConfig", "parseconfig", ("pars",)),
        ("where is the handler function of the module", "where is the handler function of the module", ()),
        ("db pool io", "db pool io", ("pool",)),
        ("retries retry retrying", "retries retry retrying", ("retri",)),
        ("用户登录", "用户登录", ("用户登录",)),
        ("", "", ()),
        ("\ud800 lock", "? lock", ("lock",)),
    ],
)
def test_a_query_is_kept_as_it_is_and_by_its_telling_words(text: str, whole: str, keywords: tuple[str, ...]) -> None:
    keys = query_keys(text)
    assert (keys.whole, keys.keywords) == (whole, keywords)


def test_the_order_of_words_makes_another_query_with_the_same_keywords() -> None:
    one, other = query_keys("retry backoff"), query_keys("backoff of a retry")
    assert one.whole != other.whole
    assert set(one.keywords) == set(other.keywords)


def test_pasted_text_is_kept_by_its_head() -> None:
    keys = query_keys(" ".join(f"word{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(400)))
    assert len(keys.whole) <= MAX_WHOLE_CHARS
    assert len(keys.keywords) == MAX_KEYWORDS
