from __future__ import annotations

from gortex_py.discovery.catalog import ToolCard
from gortex_py.discovery.description import search_tool, search_tool_description
from gortex_py.discovery.modes import DiscoveryMode
from tests.unit.discovery.catalogue import card

CORPUS = [
    *(card(f"mcp__slack_{i}", server="slack") for i in range(3)),
    card("write"),
    card("mcp__github_a", server="github"),
    card("find"),
    card("search"),
]


def live(corpus: list[ToolCard], mode: DiscoveryMode) -> list[str]:
    return [line for line in search_tool_description(corpus, mode).splitlines() if "iscoverable" in line]


def test_three_live_lines_together() -> None:
    lines = [
        "Discoverable MCP servers in this session: github (1 tool), slack (3 tools).",
        "Discoverable built-in tools: find, search, write.",
        "Total discoverable tools available: 7.",
    ]
    assert live(CORPUS, DiscoveryMode.ALL) == lines
    assert "\n".join(lines) in search_tool_description(CORPUS, DiscoveryMode.ALL)


def test_names_of_built_ins_do_not_leak() -> None:
    lines = live(CORPUS, DiscoveryMode.MCP_ONLY)
    assert [line.split(":")[0] for line in lines] == [
        "Discoverable MCP servers in this session",
        "Total discoverable tools available",
    ]


def test_an_empty_corpus_has_no_live_lines() -> None:
    assert live([], DiscoveryMode.ALL) == []


def test_it_says_which_search_it_is_and_what_comes_back() -> None:
    text = search_tool_description([], DiscoveryMode.ALL)
    assert "does not search the repository, files or code" in text
    for word in ("`query`", "`limit`", "default 8", "5 to 10", "`activated_tools`", "`match_count`", "`total_tools`"):
        assert word in text
    assert "before the next model call" in text


def test_the_definition_asks_for_a_query() -> None:
    definition = search_tool("text")
    assert (definition.name, definition.card.label) == ("search_tool_bm25", "SearchTools")
    assert definition.input_schema["required"] == ["query"]
