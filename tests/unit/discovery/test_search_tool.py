from __future__ import annotations

import json
import math
from collections.abc import Sequence

import pytest

from gortex_py.discovery.activation import ToolSession
from gortex_py.discovery.bm25plus import ToolIndex
from gortex_py.discovery.catalog import ToolCard
from gortex_py.discovery.modes import DiscoveryMode, DiscoveryOptions
from gortex_py.discovery.order import rounded
from gortex_py.discovery.search_tool import (
    Activation,
    Hooks,
    content_of,
    details_of,
    hooks_of,
    rank_tools,
    search_tools,
)
from gortex_py.errors import GortexError
from tests.unit.discovery.catalogue import card, cards, tools

UNAVAILABLE = "Tool discovery is unavailable in this session."
DISABLED = "Tool discovery is disabled. Enable tools.discoveryMode or mcp.discoveryMode to use search_tool_bm25."
EMPTY = "Query is required and must not be empty."
LIMIT = "Limit must be a positive integer."
NO_TOKENS = "Query must contain at least one letter or number."


class Double:
    """A session whose index never changes and whose activation gives names back as they came."""

    def __init__(self, corpus: Sequence[ToolCard], *, enabled: bool = True) -> None:
        self.selected: list[str] = []
        self.asked_index = 0
        self._index = ToolIndex(corpus)
        self.activation = Activation(lambda: enabled, lambda: self.selected, self.activate)
        self.hooks = Hooks(self.activation, index=self.index)

    def activate(self, names: Sequence[str]) -> Sequence[str]:
        self.selected += [name for name in names if name not in self.selected]
        return names

    def index(self) -> ToolIndex:
        self.asked_index += 1
        return self._index


def fail() -> ToolIndex:
    raise RuntimeError("a host's fault")


ON, OFF, NONE = Double(cards()).hooks, Double(cards(), enabled=False).hooks, Hooks(cards=cards)


@pytest.mark.parametrize(
    ("hooks", "query", "limit", "text"),
    [
        (NONE, "", 0, UNAVAILABLE),
        (OFF, "", 0, DISABLED),
        (ON, "  \ufeff ", 0, EMPTY),
        (ON, None, None, EMPTY),
        (ON, "!!!", 0, LIMIT),
        (ON, "!!!", None, NO_TOKENS),
        *((ON, "search", limit, LIMIT) for limit in (0, -1, 1.5, True, False, "3", math.nan, math.inf, -math.inf, [])),
    ],
)
def test_five_texts_in_their_order(hooks: Hooks, query: str | None, limit: object, text: str) -> None:
    with pytest.raises(GortexError) as caught:
        search_tools(hooks, query, limit)
    assert caught.value.message == text


def test_a_whole_number_may_be_a_float() -> None:
    found = search_tools(Double(cards()).hooks, "search", 2.0)
    assert (found.limit, len(found.matches)) == (2, 2)
    assert search_tools(Double(cards()).hooks, "the", None).limit == 8


def test_a_frozen_index_walks_down_the_ranking() -> None:
    double = Double(cards())
    rows = []
    for query, limit in [("search", 1), ("search", 1), ("search", 2), ("search", 8), ("read gauge", 8), ("limit", 8)]:
        found = search_tools(double.hooks, query, limit)
        assert found.total_tools == 12
        rows.append(" ".join(f"{match.card.name} {rounded(match.score)}" for match in found.matches))
    assert rows == [
        "mcp__chat_searchHistory 4.002053",
        "search_text 3.996152",
        "mcp__tracker_search_tickets 3.985096",
        "",
        "mcp__meter_read_gauge 9.054640 mcp__meter_read-gauge 9.054640 mcp__db_runSQLQuery 2.919702",
        "find_symbol 2.733272",
    ]
    assert len(double.selected) == 7


def test_details_to_the_byte() -> None:
    found = search_tools(Double(cards()).hooks, " search ", 2)
    assert json.dumps(details_of(found), ensure_ascii=False, separators=(",", ":")) == (
        '{"query":"search","limit":2,"total_tools":12,'
        '"activated_tools":["mcp__chat_searchHistory","search_text"],'
        '"active_selected_tools":["mcp__chat_searchHistory","search_text"],'
        '"tools":[{"name":"mcp__chat_searchHistory","label":"chat/searchHistory",'
        '"description":"Search past chat messages","server_name":"chat","mcp_tool_name":"searchHistory",'
        '"schema_keys":["channel","query"],"score":4.002053},'
        '{"name":"search_text","label":"Search Text",'
        '"description":"Full-text search over the indexed source files",'
        '"schema_keys":["limit","path","query"],"score":3.996152}]}'
    )
    assert content_of(found) == (
        '{"query":"search","activated_tools":["mcp__chat_searchHistory","search_text"],'
        '"match_count":2,"total_tools":12}'
    )


def test_content_keeps_what_is_not_ascii() -> None:
    assert '"query":"résumé"' in content_of(rank_tools(ToolIndex(cards()), "résumé"))


def test_a_cached_index_is_asked_for_once_and_the_list_never() -> None:
    double = Double(cards())
    search_tools(Hooks(double.activation, index=double.index, cards=fail), "search", 1)  # type: ignore[arg-type]
    assert double.asked_index == 1


@pytest.mark.parametrize("index", [None, fail, lambda: None])
def test_without_an_index_the_list_is_searched(index: object) -> None:
    double = Double([])
    found = search_tools(Hooks(double.activation, cards=cards, index=index), "search", 1)  # type: ignore[arg-type]
    assert (found.total_tools, double.selected) == (12, ["mcp__chat_searchHistory"])


def test_without_a_list_the_corpus_is_empty() -> None:
    found = search_tools(Hooks(Double([]).activation, cards=fail, index=fail), "search")  # type: ignore[arg-type]
    assert (found.total_tools, found.matches, found.activated) == (0, (), ())


def test_the_older_hooks_serve_where_the_newer_are_missing() -> None:
    double = Double(cards())
    search_tools(Hooks(legacy_mcp=double.activation, cards=cards), "search", 1)
    assert double.selected == ["mcp__chat_searchHistory"]


def test_nothing_found_activates_nothing() -> None:
    double = Double(cards())
    hooks = Hooks(Activation(lambda: True, lambda: (), lambda names: pytest.fail("activated")), index=double.index)
    assert search_tools(hooks, "kubernetes").activated == ()


def test_a_failing_activation_passes_through() -> None:
    def refuse(names: Sequence[str]) -> Sequence[str]:
        raise OSError("no")

    with pytest.raises(OSError, match="no"):
        search_tools(Hooks(Activation(lambda: True, lambda: (), refuse), cards=cards), "search")


def test_a_real_session_answers_mcp_names_first() -> None:
    session = ToolSession(tools(), DiscoveryOptions(DiscoveryMode.ALL))
    found = search_tools(hooks_of(session), "limit", 8)
    assert [match.card.name for match in found.matches][:2] == ["search_text", "find_symbol"]
    assert found.activated == ("mcp__tracker_search_tickets", "search_text", "find_symbol")


def test_ranking_alone_activates_nothing() -> None:
    found = rank_tools(ToolIndex(cards()), "search", 2)
    assert (found.activated, found.selected, len(found.matches)) == ((), (), 2)


def test_words_in_common_rank_the_right_tool_first() -> None:
    corpus = [card("mcp__github_create_issue"), card("mcp__github_list_pull_requests"), card("mcp__slack_post_message")]
    double = Double(corpus)
    names = []
    for _ in range(3):
        names.append([match.card.name for match in search_tools(double.hooks, "github", 1).matches])
    assert names[2] == []
    assert {*names[0], *names[1]} == {"mcp__github_create_issue", "mcp__github_list_pull_requests"}
