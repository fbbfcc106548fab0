"""A snippet is short, shows the match, and marks it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gortex_py.search.snippets import LEAD_CHARS, MAX_LINE_CHARS, MAX_LINES, TermMatcher, cut_snippet
from gortex_py.text.tokens import identifier_terms, text_terms


def matcher(*terms: str) -> TermMatcher:
    return TermMatcher(frozenset(terms))


def marked(snippet: str, highlights: tuple[tuple[int, int], ...]) -> list[str]:
    return [snippet[start:end] for start, end in highlights]


def test_words_are_marked_where_they_stand() -> None:
    lines = ["def parse(text):", "    # größe 登录 parse", "    return ParseConfig"]
    snippet, highlights = cut_snippet(lines, matcher("pars"))
    assert snippet == "\n".join(lines)
    assert marked(snippet, highlights) == ["parse", "parse", "ParseConfig"]


def test_a_long_span_shows_its_start_when_that_matches_as_well() -> None:
    lines = ["needle", *["hay"] * 50, "needle", *["hay"] * 9]
    snippet, _ = cut_snippet(lines, matcher("needl"))
    assert snippet.split("\n") == ["needle", *["hay"] * (MAX_LINES - 1)]


def test_a_long_span_shows_the_place_that_matches_best() -> None:
    lines = [*["hay"] * 50, "needle thread", *["hay"] * 9]
    snippet, highlights = cut_snippet(lines, matcher("needl", "thread"))
    assert len(snippet.split("\n")) == MAX_LINES
    assert marked(snippet, highlights) == ["needle", "thread"]


def test_a_long_line_is_cut_round_the_match() -> None:
    line = "x" * 5_000 + " needle " + "y" * 5_000
    snippet, highlights = cut_snippet([line], matcher("needl"))
    assert len(snippet) <= MAX_LINE_CHARS + 2
    assert snippet.startswith("…") and snippet.endswith("…")
    assert marked(snippet, highlights) == ["needle"]
    assert LEAD_CHARS / 2 < highlights[0][0] <= LEAD_CHARS + 2


def test_a_long_line_without_a_match_shows_its_start() -> None:
    snippet, highlights = cut_snippet(["ab " * 1_000], matcher("needl"))
    assert snippet == ("ab " * 1_000)[:MAX_LINE_CHARS] + "…"
    assert highlights == ()


def test_a_match_at_the_end_of_a_long_line_is_whole() -> None:
    snippet, highlights = cut_snippet(["ab " * 1_000 + "needle"], matcher("needl"))
    assert marked(snippet, highlights) == ["needle"]
    assert not snippet.endswith("…")


def test_nothing_to_show_is_an_empty_snippet() -> None:
    assert cut_snippet([""], matcher("x")) == ("", ())


@given(
    st.lists(st.text(alphabet="ab cé登🙂_\t", max_size=400), min_size=1, max_size=30),
    st.text("abcé登", max_size=3),
)
def test_marks_lie_in_the_snippet_in_order_on_words_that_match(lines: list[str], query: str) -> None:
    terms = frozenset(text_terms(query))
    snippet, highlights = cut_snippet(lines, TermMatcher(terms))
    assert len(snippet.split("\n")) == min(MAX_LINES, len(lines))
    assert all(len(line) <= MAX_LINE_CHARS + 2 for line in snippet.split("\n"))
    assert list(highlights) == sorted(highlights)
    for word in marked(snippet, highlights):
        assert not terms.isdisjoint(identifier_terms(word))
