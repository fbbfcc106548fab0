"""The vector channel's share follows a query's wording in small steps, between fixed anchors."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gortex_py.query.shape import known_symbol, shape_of
from gortex_py.settings.paths import bundled
from gortex_py.text.concepts import read_concepts
from gortex_py.types import QueryClass

WORKED = [
    ("", QueryClass.CONCEPT, 0.5),
    ("   \t\n", QueryClass.CONCEPT, 0.5),
    ("parse", QueryClass.CONCEPT, 0.5),
    ("Parse", QueryClass.SYMBOL, 0.3),
    ("HTTP", QueryClass.SYMBOL, 0.3),
    ("parse_config", QueryClass.SYMBOL, 0.3),
    ("http.Client", QueryClass.SYMBOL, 0.3),
    ("parseConfig", QueryClass.SYMBOL, 0.3),
    ("Foo::bar", QueryClass.SYMBOL, 0.3),
    ("internal/mcp", QueryClass.PATH, 0.15),
    ("src\\app", QueryClass.PATH, 0.15),
    ("func(ctx) error", QueryClass.SIGNATURE, 0.35),
    ("str -> int", QueryClass.SIGNATURE, 0.35),
    ("x => y", QueryClass.SIGNATURE, 0.35),
    ("parse config", QueryClass.CONCEPT, 0.5),
    ("parseConfig loader", QueryClass.CONCEPT, 0.4),
    ("NewServer MCPServer", QueryClass.CONCEPT, 0.3),
    # 3 of 3 are identifiers, less 0.12 for the third word: 0.5 - 0.88 * 0.2.
    ("ReadFile WriteFile Close", QueryClass.CONCEPT, 0.324),
    # 1 of 3, less 0.12: 0.5 - 0.2133 * 0.2.
    ("find TokenBucket limiter", QueryClass.CONCEPT, 0.5 - (1 / 3 - 0.12) * 0.2),
    ("where is parseConfig used", QueryClass.CONCEPT, 0.5),
    ("how does the indexer pipeline work", QueryClass.CONCEPT, 0.5),
    ("How does it work.", QueryClass.CONCEPT, 0.5),
    ("A OR B OR 'no access'", QueryClass.KEYWORD_SOUP, 0.3),
    ("parse decode unmarshal token jwt cache", QueryClass.KEYWORD_SOUP, 0.3),
    ("parse, decode, unmarshal", QueryClass.KEYWORD_SOUP, 0.3),
    ("auth OR login", QueryClass.CONCEPT, 0.5),
    ("a || b", QueryClass.CONCEPT, 0.5),
    ("parse decode unmarshal token jwt", QueryClass.CONCEPT, 0.5),
    ("🙂", QueryClass.CONCEPT, 0.5),
    ("🙂 🙃", QueryClass.CONCEPT, 0.5),
]

PLAIN = ["parse", "config", "retry", "socket", "limit", "queue", "token", "cache"]
IDENTIFIERS = ["parseConfig", "retry_count", "http.Client", "Foo::bar", "HTTPServer", "TTL", "Queue"]
STOPS = ["how", "does", "the", "where", "is", "for"]
words = st.sampled_from(PLAIN + IDENTIFIERS + STOPS)


@pytest.mark.parametrize(("text", "query_class", "alpha"), WORKED)
def test_the_worked_values_hold(text: str, query_class: QueryClass, alpha: float) -> None:
    shape = shape_of(text, concepts=read_concepts(bundled("data")))
    assert shape.query_class is query_class
    assert shape.alpha == pytest.approx(alpha, abs=1e-6)
    assert 0 <= shape.identifier_density <= 1


@given(st.lists(st.sampled_from(PLAIN + IDENTIFIERS), min_size=2, max_size=4), st.data())
def test_an_identifier_in_place_of_a_plain_word_never_raises_the_vector_share(
    query: list[str], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(query) - 1))
    plain = [*query[:at], data.draw(st.sampled_from(PLAIN)), *query[at + 1 :]]
    named = [*query[:at], data.draw(st.sampled_from(IDENTIFIERS)), *query[at + 1 :]]
    assert shape_of(" ".join(named)).alpha <= shape_of(" ".join(plain)).alpha


@given(st.lists(words, min_size=2, max_size=9))
def test_no_word_makes_the_share_jump_a_tier(query: list[str]) -> None:
    # The n-th word moves the density by at most 1/n + 0.12 plus what a share of n - 1 words was worth more.
    alphas = [shape_of(" ".join(query[:n]), keyword_soup_rewrite="off").alpha for n in range(2, len(query) + 1)]
    for n, (before, after) in enumerate(pairwise(alphas), 3):
        assert abs(after - before) <= 0.2 * (2 / n + 0.12) + 1e-9


@given(st.text(max_size=200))
def test_any_text_has_a_shape(text: str) -> None:
    shape = shape_of(text)
    assert 0.15 <= shape.alpha <= 0.5


def test_a_pasted_page_has_a_shape() -> None:
    page = "the request handler retries until the socket is closed " * 200
    assert len(page) > 10_000
    assert shape_of(page).alpha == 0.5
    assert shape_of("x" * 10_000).query_class is QueryClass.CONCEPT


def test_the_soup_setting_splits_nudges_or_ignores() -> None:
    text = "parse, decode, unmarshal"
    split, nudge, off = (shape_of(text, keyword_soup_rewrite=mode) for mode in ("split", "nudge", "off"))
    assert (split.soup_terms, split.alpha) == (("parse", "decode", "unmarshal"), 0.3)
    assert split.advice is not None
    assert split.advice.split_into == split.soup_terms
    assert nudge.query_class is QueryClass.KEYWORD_SOUP
    assert nudge.soup_terms == ()
    assert nudge.advice == split.advice
    assert off.query_class is QueryClass.CONCEPT
    assert off.advice is None
    # A nudge advises, and leaves the search as it is.
    assert (nudge.alpha, nudge.identifier_density) == (off.alpha, off.identifier_density)


def test_a_plain_word_that_is_a_symbol_gets_the_share_of_one() -> None:
    known = known_symbol(shape_of("parse"))
    assert (known.query_class, known.alpha, known.identifier_density) == (QueryClass.SYMBOL, 0.3, 1.0)
