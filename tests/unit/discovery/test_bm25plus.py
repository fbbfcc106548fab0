from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gortex_py.discovery.bm25plus import NO_TOKENS, ToolIndex, weighted_counts
from gortex_py.discovery.catalog import ToolCard, ToolSource
from gortex_py.discovery.order import rounded
from gortex_py.errors import UsageError
from tests.unit.discovery.catalogue import card, cards

GOLDEN = {
    "search": "mcp__chat_searchHistory 4.002053 search_text 3.996152 mcp__tracker_search_tickets 3.985096",
    "search tickets": "mcp__tracker_search_tickets 10.543427 mcp__chat_searchHistory 4.002053 search_text 3.996152",
    "SQLQuery": "mcp__db_runSQLQuery 9.687249 search_text 2.284795 mcp__chat_searchHistory 2.135682 "
    "mcp__tracker_search_tickets 2.084339",
    "post message to chat": "mcp__chat_post_message 23.169566 mcp__chat_searchHistory 4.995644",
    "read gauge": "mcp__meter_read_gauge 9.054640 mcp__meter_read-gauge 9.054640 mcp__db_runSQLQuery 2.919702",
    "resume pdf": "mcp__docs_exportPDF 11.596694",
    "find the definition of a symbol": "find_symbol 23.773465 list_callers 8.528677 mcp__db_list_tables 5.341038 "
    "mcp__tracker_create_ticket 3.607616 mcp__db_runSQLQuery 3.456303 search_text 2.162229 "
    "mcp__chat_post_message 1.851719 mcp__docs_exportPDF 1.618475",
    "ticket ticket search": "mcp__tracker_create_ticket 13.092957 mcp__chat_searchHistory 4.002053 "
    "search_text 3.996152 mcp__tracker_search_tickets 3.985096",
    "limit": "search_text 2.826049 find_symbol 2.733272 mcp__tracker_search_tickets 2.578107",
    "database tables": "mcp__db_list_tables 10.389641 mcp__db_runSQLQuery 3.668375",
    "kubernetes": "",
}
GOLDEN_MCP_ONLY = {
    "search": "mcp__chat_searchHistory 4.239953 mcp__tracker_search_tickets 4.223362",
    "read gauge": "mcp__meter_read_gauge 7.469797 mcp__meter_read-gauge 7.469797 mcp__db_runSQLQuery 2.375007",
    "limit": "mcp__tracker_search_tickets 3.794240",
}


def ranking(index: ToolIndex, query: str) -> str:
    return " ".join(f"{match.card.name} {rounded(match.score)}" for match in index.search(query))


@pytest.mark.parametrize("query", GOLDEN)
def test_scores_are_known_to_six_places(query: str) -> None:
    assert ranking(ToolIndex(cards()), query) == GOLDEN[query]


@pytest.mark.parametrize("query", GOLDEN_MCP_ONLY)
def test_scores_follow_the_corpus(query: str) -> None:
    index = ToolIndex([each for each in cards() if each.source is ToolSource.MCP])
    assert (len(index.documents), index.average_length) == (9, 63.0)
    assert ranking(index, query) == GOLDEN_MCP_ONLY[query]


def test_unrounded_scores() -> None:
    index = ToolIndex(cards())
    assert [match.score for match in index.search("search")] == pytest.approx(
        [4.002052870360542, 3.9961520647295106, 3.9850962549482527], abs=1e-12
    )
    assert index.search("find the definition of a symbol")[0].score == pytest.approx(23.773465181892057, abs=1e-12)


@given(st.permutations(cards()), st.sampled_from(sorted(GOLDEN)))
def test_the_order_of_the_catalogue_changes_nothing(shuffled: list[ToolCard], query: str) -> None:
    assert ranking(ToolIndex(shuffled), query) == GOLDEN[query]


def test_lengths_are_weighted() -> None:
    index = ToolIndex(cards())
    assert index.lengths == (47, 39, 41, 66, 63, 62, 56, 83, 65, 64, 54, 54)
    assert index.average_length == 57.833333333333336


def test_bags_are_weighted() -> None:
    bags = [dict(weighted_counts(each)) for each in cards()]
    assert bags[1] == {
        **{"search": 12, "text": 12, "full": 2, "over": 2, "the": 2, "indexed": 2, "source": 2, "files": 2},
        **{"limit": 1, "path": 1, "query": 1},
    }
    assert bags[7] == {
        **{"mcp": 6, "db": 12, "run": 16, "sql": 17, "query": 16, "a": 2, "read": 2, "only": 2, "against": 2},
        **{"the": 2, "reporting": 2, "database": 2, "timeout": 1, "ms": 1},
    }
    assert bags[10] == bags[11] == {"mcp": 6, "meter": 12, "read": 16, "gauge": 17, "one": 2, "id": 1}


def test_document_frequencies() -> None:
    index = ToolIndex(cards())
    expected = {"mcp": 9, "a": 6, "the": 5, "or": 4, "query": 4, "id": 4, "search": 3, "text": 3, "limit": 3, "of": 3}
    expected |= {"read": 3, "symbol": 2, "database": 2, "tables": 1, "ticket": 1, "tickets": 1, "kubernetes": 0}
    assert {token: index.document_frequency(token) for token in expected} == expected


@pytest.mark.parametrize(
    ("corpus", "query", "expected"),
    [
        ([card("a")], "a", "a 0.815099"),
        ([card("a", "b"), card("c", "d")], "a", "a 1.963917"),
        ([card("a", "b"), card("c", "d")], "a a", "a 3.927834"),
        ([card("a", "b"), card("c", "d")], "a b", "a 3.830082"),
        ([card("x two", "x"), card("x one", "x")], "x", "x one 0.540453 x two 0.540453"),
    ],
)
def test_tiny_corpora(corpus: list[ToolCard], query: str, expected: str) -> None:
    assert ranking(ToolIndex(corpus), query) == expected


def test_a_limit_takes_the_best() -> None:
    assert [match.card.name for match in ToolIndex(cards()).search("search", 1)] == ["mcp__chat_searchHistory"]


@pytest.mark.parametrize("query", ["!!!", "  ", ""])
@pytest.mark.parametrize("corpus", [[], cards()])
def test_a_query_needs_a_word_even_on_an_empty_corpus(query: str, corpus: list[ToolCard]) -> None:
    with pytest.raises(UsageError, match=f"^{NO_TOKENS}$"):
        ToolIndex(corpus).search(query)


def test_an_empty_corpus_finds_nothing() -> None:
    index = ToolIndex([])
    assert index.search("anything") == []
    assert index.average_length == 1.0


@given(st.sampled_from(sorted(GOLDEN)), st.integers(1, 5))
def test_asking_the_same_twice_multiplies_scores(query: str, times: int) -> None:
    index = ToolIndex(cards())
    once = {match.card.name: match.score for match in index.search(query)}
    more = {match.card.name: match.score for match in index.search(" ".join([query] * times))}
    assert more == pytest.approx({name: score * times for name, score in once.items()})


@given(st.sampled_from(sorted(GOLDEN)), st.integers(1, 12), st.sets(st.sampled_from([each.name for each in cards()])))
def test_a_limit_cuts_what_is_left_after_exclusion(query: str, limit: int, exclude: set[str]) -> None:
    index = ToolIndex(cards())
    left = [match for match in index.search(query) if match.card.name not in exclude]
    assert index.search(query, limit, exclude=exclude) == left[:limit]


@given(st.lists(st.sampled_from([each.name for each in cards()])), st.sampled_from(sorted(GOLDEN)))
def test_an_index_without_some_tools_is_that_of_the_others(names: list[str], query: str) -> None:
    index, left = ToolIndex(cards()), cards()
    for name in names:  # one after another, as searches activate
        index, left = index.without({name}), [each for each in left if each.name != name]
    anew = ToolIndex(left)
    assert (index.documents, index.lengths, index.average_length) == (anew.documents, anew.lengths, anew.average_length)
    assert index.search(query) == anew.search(query)
    assert index.document_frequency("mcp") == anew.document_frequency("mcp")
