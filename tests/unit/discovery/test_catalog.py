from __future__ import annotations

from dataclasses import replace

import pytest

from gortex_py.discovery.catalog import (
    Tool,
    ToolSource,
    collect_cards,
    from_source,
    is_mcp_name,
    mcp_wire_name,
    of_server,
    schema_keys,
    source_of,
    summarise,
    summary_of,
)
from tests.unit.discovery.catalogue import card, tool


@pytest.mark.parametrize(
    ("name", "expected"), [("mcp__github_search", True), ("mcp__", True), ("read", False), ("bash", False), ("", False)]
)
def test_an_mcp_tool_is_known_by_its_name(name: str, expected: bool) -> None:
    assert is_mcp_name(name) is expected


def test_a_source_that_is_said_wins() -> None:
    assert source_of("read") is ToolSource.BUILTIN
    assert source_of("mcp__x_y") is ToolSource.MCP
    assert source_of("mcp__x_y", ToolSource.EXTENSION) is ToolSource.EXTENSION


def test_a_summary_is_override_own_or_the_beginning_of_the_description() -> None:
    assert summary_of("A" * 300) == "A" * 200
    assert summary_of("long", own="own") == "own"
    assert summary_of("long", own="own", override="other") == "other"
    assert summary_of("") == ""


def test_keys_are_sorted_and_need_an_object() -> None:
    assert schema_keys({"properties": {"gamma": {}, "alpha": {}, "beta": {}}}) == ("alpha", "beta", "gamma")
    assert schema_keys(None) == schema_keys([1]) == schema_keys({"properties": ["a"]}) == schema_keys({}) == ()


def test_collecting_keeps_order_and_overrides() -> None:
    plain = replace(tool("b").card, summary="")
    found = collect_cards(
        [Tool(plain, "from the description"), tool("a")], source=ToolSource.CUSTOM, summaries={"a": "mine"}
    )
    assert [(each.name, each.summary, each.source) for each in found] == [
        ("b", "from the description", ToolSource.CUSTOM),
        ("a", "mine", ToolSource.CUSTOM),
    ]


def test_cards_are_selected_and_counted() -> None:
    cards = [card("mcp__s_a", server="slack"), card("mcp__g_a", server="github"), card("mcp__g_b", server="github")]
    cards.append(card("read"))
    assert [each.name for each in from_source(cards, ToolSource.BUILTIN)] == ["read"]
    assert [each.name for each in of_server(cards, "github")] == ["mcp__g_a", "mcp__g_b"]
    summary = summarise(cards)
    assert (summary.servers, summary.total) == ((("github", 2), ("slack", 1)), 4)
    assert summarise(cards[3:]).servers == ()


@pytest.mark.parametrize(
    ("server", "name", "expected"),
    [
        ("GitHub", "create-issue", "mcp__github_create_issue"),
        ("github", "github_search", "mcp__github_search"),
        ("My  Server!", "__x__", "mcp__my_server_x"),
        ("!!!", "???", "mcp__server_tool"),
    ],
)
def test_wire_names_of_server_tools(server: str, name: str, expected: str) -> None:
    assert mcp_wire_name(server, name) == expected


def test_long_wire_names_are_cut_and_stay_apart() -> None:
    first, second = mcp_wire_name("s", "a" * 80 + "1"), mcp_wire_name("s", "a" * 80 + "2")
    assert len(first) == len(second) == 64
    assert first != second
    assert first == mcp_wire_name("s", "a" * 80 + "1")
