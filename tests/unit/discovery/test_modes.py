from __future__ import annotations

import pytest

from gortex_py.discovery.catalog import LoadMode
from gortex_py.discovery.modes import (
    DEFAULT_ESSENTIALS,
    SEARCH_TOOL_NAME,
    DiscoveryMode,
    DiscoveryOptions,
    Start,
    count_tools,
    essential_names,
    keeps_visible,
    rejudge_mode,
    resolve_mode,
    starts_selected,
)
from tests.unit.discovery.catalogue import tool

AUTO, OFF, MCP_ONLY, ALL = DiscoveryMode


def test_auto_is_the_default() -> None:
    assert DiscoveryOptions().mode is AUTO


@pytest.mark.parametrize(
    ("mode", "legacy", "count", "expected"),
    [
        (AUTO, False, 0, OFF),
        (AUTO, False, 40, OFF),
        (AUTO, False, 41, MCP_ONLY),
        (AUTO, True, 0, MCP_ONLY),
        (OFF, False, 1000, OFF),
        (OFF, True, 0, MCP_ONLY),
        (MCP_ONLY, False, 0, MCP_ONLY),
        (MCP_ONLY, True, 0, MCP_ONLY),
        (ALL, False, 0, ALL),
        (ALL, True, 1000, ALL),
    ],
)
def test_the_mode_in_effect(mode: DiscoveryMode, legacy: bool, count: int, expected: DiscoveryMode) -> None:
    assert resolve_mode(DiscoveryOptions(mode, legacy), count) is expected


def test_the_search_tool_is_not_counted() -> None:
    assert count_tools([tool("a"), tool(SEARCH_TOOL_NAME)]) == 1


def test_discovery_switches_on_and_never_off() -> None:
    assert rejudge_mode(OFF, DiscoveryOptions(), 41) is MCP_ONLY
    assert rejudge_mode(MCP_ONLY, DiscoveryOptions(), 1) is MCP_ONLY
    assert rejudge_mode(ALL, DiscoveryOptions(), 41) is ALL


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ((), DEFAULT_ESSENTIALS),
        (("  ", ""), DEFAULT_ESSENTIALS),
        ((" find ", "", "nobody"), ("find",)),
        (("nobody",), ()),
    ],
)
def test_the_essential_override(override: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert essential_names(override, {"find", "read"}) == expected


DISCOVERABLE = tool("find", LoadMode.DISCOVERABLE)


@pytest.mark.parametrize(
    ("each", "essentials", "start"),
    [
        (tool("internal"), (), Start()),
        (tool("find", LoadMode.ESSENTIAL), (), Start()),
        (DISCOVERABLE, ("find",), Start()),
        (DISCOVERABLE, (), Start(explicit=("find",))),
        (DISCOVERABLE, (), Start(restored=("find",))),
        (DISCOVERABLE, (), Start(forced=("find",))),
    ],
)
def test_six_reasons_to_stay_visible(each: object, essentials: tuple[str, ...], start: Start) -> None:
    assert keeps_visible(each, essentials, start)  # type: ignore[arg-type]


def test_without_a_reason_a_discoverable_tool_is_hidden() -> None:
    assert not keeps_visible(DISCOVERABLE, ("read",), Start(explicit=("other",)))


def test_a_cleared_selection_beats_the_default_servers() -> None:
    each, options = tool("mcp__github_a"), DiscoveryOptions(default_servers=("github",))
    assert starts_selected(each, options, Start())
    assert not starts_selected(each, options, Start(restored=()))
    assert starts_selected(each, options, Start(restored=(), explicit=("mcp__github_a",)))
    assert not starts_selected(each, DiscoveryOptions(), Start())
