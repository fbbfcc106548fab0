"""What can be set beyond the documented behaviour, none of it by default."""

from __future__ import annotations

import orjson

from gortex_py.discovery.activation import ToolSession
from gortex_py.discovery.bm25plus import ToolIndex
from gortex_py.discovery.catalog import Tool
from gortex_py.discovery.modes import SEARCH_TOOL_NAME, DiscoveryMode, DiscoveryOptions
from gortex_py.discovery.narrowing import Narrowing
from gortex_py.discovery.registry import ToolRegistry
from gortex_py.discovery.savings import estimated_tokens
from gortex_py.discovery.shapes import CatalogueShape, write_tool
from gortex_py.discovery.signatures import signature
from tests.unit.discovery.catalogue import card, cards, tool, tools

SENTENCE = "find the definition of a symbol"


def names(query: str, narrowing: Narrowing) -> list[str]:
    return [match.card.name for match in ToolIndex(cards()).search(query, narrowing=narrowing)]


def test_coverage_counts_words_that_say_something() -> None:
    assert names(SENTENCE, Narrowing(min_coverage=0.5)) == ["find_symbol"]
    assert names(SENTENCE, Narrowing(min_coverage=0.3)) == ["find_symbol", "list_callers"]
    # With nothing but words that say nothing, each of them counts.
    assert names("the of", Narrowing(min_coverage=1.0)) == ["mcp__db_list_tables", "find_symbol"]


def test_the_floor_is_a_share_of_the_best_score() -> None:
    scores = [match.score for match in ToolIndex(cards()).search(SENTENCE)]
    floor = scores[1] / scores[0]
    assert len(names(SENTENCE, Narrowing(relative_floor=floor - 1e-9))) == 2
    assert len(names(SENTENCE, Narrowing(relative_floor=floor + 1e-9))) == 1


def test_a_tool_that_is_called_as_the_query_says_goes_first() -> None:
    index = ToolIndex([card("log"), card("log_log_log"), card("b", label="Log"), card("log_more")])
    plain = [match.card.name for match in index.search("log")]
    exact = [match.card.name for match in index.search("LOG", narrowing=Narrowing(exact_name_first=True))]
    assert set(exact[:2]) == {"log", "b"}
    assert sorted(exact) == sorted(plain)
    assert len(index.search("log", 1, narrowing=Narrowing(exact_name_first=True))) == 1


def test_the_least_used_go_where_the_number_is_limited() -> None:
    session = ToolSession(
        [tool(f"mcp__s_{name}") for name in "abcdef"],
        DiscoveryOptions(DiscoveryMode.MCP_ONLY, max_active=2),
    )
    assert session.activate(["mcp__s_a", "mcp__s_b", "mcp__s_c"]) == ("mcp__s_a", "mcp__s_b")
    session.note_use(["mcp__s_a"])
    assert session.activate(["mcp__s_d"]) == ("mcp__s_d",)
    assert session.active == (SEARCH_TOOL_NAME, "mcp__s_a", "mcp__s_d")
    assert "mcp__s_b" in {each.name for each in session.discoverable()}
    kept = session.selection()
    other = ToolSession(
        [tool(f"mcp__s_{name}") for name in "abcdef"],
        DiscoveryOptions(DiscoveryMode.MCP_ONLY, max_active=2),
    )
    other.restore(kept)
    other.activate(["mcp__s_e"])
    assert other.active == (SEARCH_TOOL_NAME, "mcp__s_d", "mcp__s_e")


def test_what_was_there_at_the_start_stays_whatever_the_limit() -> None:
    options = DiscoveryOptions(DiscoveryMode.MCP_ONLY, max_active=1)
    session = ToolSession([tool("read"), *(tool(f"mcp__s_{name}") for name in "ab")], options)
    session.activate(["mcp__s_a"])
    session.activate(["mcp__s_b"])
    assert session.active == ("read", SEARCH_TOOL_NAME, "mcp__s_b")


def test_sessions_over_one_registry_share_its_index_until_they_differ() -> None:
    registry = ToolRegistry(tools())
    one, other = (ToolSession(registry, DiscoveryOptions(DiscoveryMode.ALL)) for _ in range(2))
    base = registry.index(DiscoveryMode.ALL)
    assert one.index().documents == other.index().documents == base.documents
    one.activate(["find_symbol"])
    fresh = ToolIndex(one.discoverable())
    shared = one.index()
    assert shared.lengths == fresh.lengths
    assert shared.search("limit symbol text") == fresh.search("limit symbol text")
    assert other.index().documents == base.documents


def test_a_signature_names_what_is_needed_first() -> None:
    schema = {
        "properties": {"b": {"enum": list("abcdefghij")}, "a": {"type": "string"}, "n": {"enum": [1, 2]}},
        "required": ["a"],
    }
    assert signature("t", schema) == "t(a, b?: a|b|c|d|e|f|g|h|…, n?)"
    assert signature("t", {}) == "t()"
    assert signature("t", {"properties": {f"p{i}": {} for i in range(50)}, "required": "p1"}).endswith(", p39?, …)")


def test_tokens_are_a_quarter_of_the_bytes() -> None:
    plain = tool("mcp__a_x")
    assert estimated_tokens(plain) == -(-len(orjson.dumps(write_tool(plain, CatalogueShape.MCP))) // 4) > 10


def test_a_deep_search_reads_what_a_plain_one_does_not() -> None:
    schema = {"properties": {"id": {"description": "number of the invoice"}}}
    far = f"{'Opens a door. ' * 20}Forgets what was remembered."
    registry = {
        each.name: each
        for each in (
            Tool(card("a", summary="x"), "x", schema),
            Tool(card("b", summary=far[:200]), far),
            Tool(card("c", summary="counts documents in a collection")),
        )
    }

    def found(query: str, *, is_deep: bool) -> list[str]:
        index = ToolRegistry(registry, is_deep=is_deep).whole_index
        return [match.card.name for match in index.search(query)]

    for query, name in (("invoices", "a"), ("remember", "b"), ("collections", "c")):
        assert found(query, is_deep=False) == []
        assert found(query, is_deep=True) == [name]
    assert found("what is in the collection", is_deep=True) == ["c"]
    left = ToolRegistry(registry, is_deep=True).whole_index.without({"a"})
    assert left.search("invoices") == []
    assert [match.card.name for match in left.search("remember")] == ["b"]
