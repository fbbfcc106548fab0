from __future__ import annotations

from dataclasses import replace

import pytest

from gortex_py.discovery.activation import ToolSession
from gortex_py.discovery.bm25plus import ToolIndex
from gortex_py.discovery.catalog import LoadMode, Tool
from gortex_py.discovery.modes import SEARCH_TOOL_NAME, DiscoveryMode, DiscoveryOptions, Start
from gortex_py.discovery.order import rounded
from gortex_py.discovery.search_tool import hooks_of, search_tools
from tests.unit.discovery.catalogue import tool, tools

ALL = DiscoveryOptions(DiscoveryMode.ALL)
MCP_ONLY = DiscoveryOptions(DiscoveryMode.MCP_ONLY)


def servers(*names: str) -> list[Tool]:
    return [tool(f"mcp__{name}") for name in names]


def test_searches_accumulate_and_the_corpus_shrinks() -> None:
    session = ToolSession(tools(), ALL)
    steps = [
        ("search", 1, 12, "mcp__chat_searchHistory 4.002053"),
        ("search", 1, 11, "search_text 4.777520"),
        ("search", 2, 10, "mcp__tracker_search_tickets 6.058950"),
        ("search", 8, 9, ""),
        (
            "read gauge",
            8,
            9,
            "mcp__meter_read_gauge 7.457089 mcp__meter_read-gauge 7.457089 mcp__db_runSQLQuery 2.349439",
        ),
        ("limit", 8, 6, "find_symbol 3.205257"),
    ]
    averages = [57.833333333333336, 58.0, 59.9, 59.55555555555556, 59.55555555555556, 57.5]
    for (query, limit, total, expected), average in zip(steps, averages, strict=True):
        assert session.index().average_length == pytest.approx(average)
        found = search_tools(hooks_of(session), query, limit)
        assert found.total_tools == total
        assert " ".join(f"{match.card.name} {rounded(match.score)}" for match in found.matches) == expected
    assert set(session.selected) == {
        "mcp__chat_searchHistory",
        "search_text",
        "mcp__tracker_search_tickets",
        "mcp__meter_read_gauge",
        "mcp__meter_read-gauge",
        "mcp__db_runSQLQuery",
        "find_symbol",
    }


def test_mcp_tools_start_hidden_and_a_small_catalogue_hides_nothing() -> None:
    many = ToolSession(servers(*(f"s_{i}" for i in range(41))))
    assert (many.mode, many.active) == (DiscoveryMode.MCP_ONLY, (SEARCH_TOOL_NAME,))
    few = ToolSession(servers(*(f"s_{i}" for i in range(40))))
    assert (few.mode, len(few.active), few.discoverable()) == (DiscoveryMode.OFF, 40, ())
    assert SEARCH_TOOL_NAME not in few.active


def test_the_search_tool_in_the_registry_is_not_counted() -> None:
    registry = [*servers(*(f"s_{i}" for i in range(40))), tool(SEARCH_TOOL_NAME)]
    assert ToolSession(registry).mode is DiscoveryMode.OFF
    assert ToolSession([*registry, tool("one_more")]).mode is DiscoveryMode.MCP_ONLY


def test_mode_mcp_only_leaves_built_ins_active() -> None:
    session = ToolSession([tool("find", LoadMode.DISCOVERABLE), *servers("a_x")], MCP_ONLY)
    assert session.active == ("find", SEARCH_TOOL_NAME)
    assert [card.name for card in session.discoverable()] == ["mcp__a_x"]


def test_mode_all_finds_discoverable_built_ins_before_mcp_tools() -> None:
    registry = [*servers("a_x"), tool("internal"), tool("find", LoadMode.DISCOVERABLE), tool("e", LoadMode.ESSENTIAL)]
    session = ToolSession(registry, ALL)
    assert session.active == ("internal", "e", SEARCH_TOOL_NAME)
    assert [card.name for card in session.discoverable()] == ["find", "mcp__a_x"]
    session.deactivate(["internal", "e"])
    assert [card.name for card in session.discoverable()] == ["find", "mcp__a_x"]


def test_activation_answers_mcp_names_first_and_appends() -> None:
    session = ToolSession([tool("find", LoadMode.DISCOVERABLE), *servers("a_x", "a_y")], ALL)
    assert session.activate(["find", "mcp__a_x", "unknown", "mcp__a_x"]) == ("mcp__a_x", "find")
    assert session.active == (SEARCH_TOOL_NAME, "mcp__a_x", "find")
    assert session.activate(["mcp__a_x", "find"]) == ("mcp__a_x",)
    before = session.index()
    assert session.activate(["unknown"]) == ()
    assert session.index() is before


def test_with_discovery_off_the_active_mcp_tools_are_selected() -> None:
    session = ToolSession([tool("read"), *servers("a_x")], DiscoveryOptions(DiscoveryMode.OFF))
    assert session.selected == ("mcp__a_x",)
    session.deactivate(["mcp__a_x"])
    assert session.selected == ()


def test_the_index_is_one_object_until_something_changes() -> None:
    session = ToolSession(servers("a_x", "a_y", "a_z"), MCP_ONLY)
    seen = [session.index()]
    assert session.index() is seen[0]
    for change in (
        lambda: session.activate(["mcp__a_x"]),
        lambda: session.deactivate(["mcp__a_x"]),
        lambda: session.set_active(["mcp__a_y"]),
        lambda: session.refresh(servers("a_x", "a_y")),
    ):
        change()
        assert all(session.index() is not old for old in seen)
        seen.append(session.index())
        assert session.index() is seen[-1]


def test_an_applied_set_takes_the_selection_with_it() -> None:
    session = ToolSession([tool("find", LoadMode.DISCOVERABLE), *servers("a_x", "a_y")], ALL)
    session.activate(["mcp__a_x", "find"])
    session.set_active(["mcp__a_y"])
    assert session.selected == ("mcp__a_y",)
    assert {card.name for card in session.discoverable()} == {"find", "mcp__a_x"}
    session.set_active(["find", "mcp__a_x", "mcp__a_y"])
    assert session.discoverable() == ()


def test_a_tool_switched_off_by_hand_stays_off_after_a_refresh() -> None:
    registry = [tool("read"), *servers("a_x", "a_y")]
    session = ToolSession(registry, MCP_ONLY)
    session.activate(["mcp__a_x", "mcp__a_y"])
    session.deactivate(["read", "mcp__a_y"])
    assert not session.refresh(registry)
    assert session.active == (SEARCH_TOOL_NAME, "mcp__a_x")


def test_a_selection_waits_for_its_server() -> None:
    session = ToolSession(servers("a_x", "b_x"), MCP_ONLY)
    session.activate(["mcp__a_x"])
    assert session.refresh(servers("b_x"))
    assert (session.selected, session.selection().mcp) == ((), ("mcp__a_x",))
    session.activate(["mcp__b_x"])
    session.refresh(servers("a_x", "b_x"))
    assert set(session.selected) == {"mcp__a_x", "mcp__b_x"}


def test_default_servers_apply_again_when_they_return() -> None:
    options = DiscoveryOptions(DiscoveryMode.MCP_ONLY, default_servers=("a",))
    session = ToolSession(servers("a_x", "b_x"), options)
    assert session.selected == ("mcp__a_x",)
    assert [card.name for card in session.discoverable()] == ["mcp__b_x"]
    session.refresh(servers("b_x"))
    session.refresh(servers("a_x", "a_new", "b_x"))
    assert set(session.selected) == {"mcp__a_x", "mcp__a_new"}


def test_a_stored_selection_is_taken_as_it_is() -> None:
    options = DiscoveryOptions(DiscoveryMode.MCP_ONLY, default_servers=("a",))
    session = ToolSession(servers("a_x", "b_x"), options, Start(restored=("mcp__b_x", "mcp__gone_x")))
    assert session.selected == ("mcp__b_x",)
    assert session.selection().mcp == ("mcp__b_x", "mcp__gone_x")
    assert ToolSession(servers("a_x"), options, Start(restored=())).selected == ()


def test_late_servers_switch_discovery_on() -> None:
    session = ToolSession(servers("a_x"))
    assert session.mode is DiscoveryMode.OFF
    session.refresh([*servers("a_x"), *servers(*(f"b_{i}" for i in range(40)))])
    assert session.mode is DiscoveryMode.MCP_ONLY
    assert session.active == ("mcp__a_x", SEARCH_TOOL_NAME)
    assert len(session.discoverable()) == 40
    session.refresh(servers("a_x"))
    assert session.mode is DiscoveryMode.MCP_ONLY


def test_reset_goes_back_to_the_defaults() -> None:
    session = ToolSession(servers("a_x", "b_x"), DiscoveryOptions(DiscoveryMode.MCP_ONLY, default_servers=("a",)))
    session.activate(["mcp__b_x"])
    session.deactivate(["mcp__a_x"])
    session.reset()
    assert session.active == ("mcp__a_x", SEARCH_TOOL_NAME)


def test_what_is_kept_brings_a_session_back() -> None:
    registry = [tool("find", LoadMode.DISCOVERABLE), *servers("a_x", "b_x")]
    session = ToolSession(registry, ALL)
    session.activate(["find", "mcp__b_x"])
    again = ToolSession(registry, ALL)
    again.restore(session.selection())
    assert (again.active, again.selected, again.mode) == (session.active, session.selected, session.mode)
    assert again.discoverable() == session.discoverable()


def test_sessions_do_not_see_each_other() -> None:
    registry = servers("a_x", "a_y")
    one, other = ToolSession(registry, MCP_ONLY), ToolSession(registry, MCP_ONLY)
    one.activate(["mcp__a_x"])
    assert other.selected == ()


def test_the_index_follows_whatever_happens_to_the_corpus() -> None:
    session = ToolSession(tools(), ALL)
    changed = [replace(each, card=replace(each.card, summary="about the weather")) for each in tools()]
    for change in (
        lambda: session.activate(["search_text"]),
        lambda: session.activate(["mcp__db_list_tables", "find_symbol"]),
        lambda: session.deactivate(["search_text"]),
        lambda: session.refresh(changed),
        lambda: session.set_active([]),
        lambda: session.refresh([]),
        lambda: session.refresh(tools()),
    ):
        session.index()
        change()
        anew = ToolIndex(session.discoverable())
        assert session.index().documents == anew.documents
        for query in ("search the weather", "read gauge"):
            assert session.index().search(query) == anew.search(query)
