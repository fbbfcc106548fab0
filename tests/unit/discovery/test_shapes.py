from __future__ import annotations

from typing import Any

import pytest

from gortex_py.discovery.catalog import LoadMode, ToolSource
from gortex_py.discovery.shapes import MAX_ITEM_BYTES, CatalogueShape, read_catalogue, write_tool
from gortex_py.errors import UsageError

SCHEMA = {"type": "object", "properties": {"title": {"type": "string"}, "body": {"$ref": "#"}}}
ITEMS: dict[CatalogueShape, dict[str, Any]] = {
    CatalogueShape.OWN: {"name": "create", "description": "Open an issue", "input_schema": SCHEMA, "label": "Create"},
    CatalogueShape.MCP: {"name": "create", "description": "Open an issue", "inputSchema": SCHEMA},
    CatalogueShape.OPENAI: {
        "type": "function",
        "function": {"name": "create", "description": "Open an issue", "parameters": SCHEMA},
    },
    CatalogueShape.ANTHROPIC: {"name": "create", "description": "Open an issue", "input_schema": SCHEMA},
}


def one(item: object) -> Any:
    read = read_catalogue([item], server="github")
    assert read.errors == ()
    return read.tools[0]


@pytest.mark.parametrize("shape", ITEMS)
def test_each_shape_is_read_and_what_is_written_reads_the_same(shape: CatalogueShape) -> None:
    tool = one(ITEMS[shape])
    assert tool.card.schema_keys == ("body", "title")
    assert (tool.card.summary, tool.input_schema) == ("Open an issue", SCHEMA)
    assert one(write_tool(tool)) == tool
    assert tool.is_mcp is (shape is CatalogueShape.MCP)
    assert tool.load_mode is (None if tool.is_mcp else LoadMode.DISCOVERABLE)
    for other in CatalogueShape:
        again = one(write_tool(tool, other))
        assert (again.card.schema_keys, again.description) == (tool.card.schema_keys, tool.description)


def test_an_mcp_listing_names_the_server() -> None:
    card = read_catalogue({"tools": [ITEMS[CatalogueShape.MCP]], "nextCursor": None}, server="GitHub").tools[0].card
    assert (card.name, card.label) == ("mcp__github_create", "GitHub/create")
    assert (card.server_name, card.mcp_tool_name) == ("GitHub", "create")


def test_flat_function_items() -> None:
    assert one({"type": "function", "name": "create", "parameters": SCHEMA}).card.schema_keys == ("body", "title")


@pytest.mark.parametrize(
    ("deferred", "expected"),
    [(True, LoadMode.DISCOVERABLE), (False, LoadMode.ESSENTIAL), (None, LoadMode.DISCOVERABLE)],
)
def test_deferred_loading(deferred: bool | None, expected: LoadMode) -> None:
    item = {**ITEMS[CatalogueShape.ANTHROPIC], "defer_loading": deferred}
    assert one(item).load_mode is expected


def test_own_records_say_everything() -> None:
    item = {
        **{"name": "x", "label": "X", "summary": "s", "description": "d", "source": "custom", "load_mode": None},
        **{"server_name": "srv", "mcp_tool_name": "t", "schema_keys": ["b", "a"]},
    }
    tool = one(item)
    assert (tool.card.source, tool.load_mode, tool.card.schema_keys) == (ToolSource.CUSTOM, None, ("a", "b"))
    assert one(write_tool(tool)) == tool


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ("text", "a tool is a JSON object"),
        ({}, "a name has 1 to 128"),
        ({"name": "a b"}, "a name has 1 to 128"),
        ({"name": "a\x1bb"}, "a name has 1 to 128"),
        ({"name": "a" * 129}, "a name has 1 to 128"),
        ({"name": "a\x1bb", "inputSchema": {}}, "none that cannot be printed"),
        ({"name": 3}, "name must be text"),
        ({"name": "a", "input_schema": []}, "input_schema must be an object"),
        ({"name": "a", "schema_keys": "x"}, "schema_keys must be a list"),
        ({"name": "a", "source": "elsewhere"}, "source cannot be"),
        ({"name": "a", "defer_loading": "yes", "input_schema": {}}, "defer_loading must be"),
        ({"name": "a", "summary": "\ud800"}, "cannot be kept as JSON"),
        ({"name": "a", "input_schema": {"maximum": 1 << 70}}, "cannot be kept as JSON"),
        ({"name": "a", "description": "d" * MAX_ITEM_BYTES}, f"at most {MAX_ITEM_BYTES} bytes"),
    ],
)
def test_a_bad_item_is_named_and_the_others_stay(item: object, message: str) -> None:
    read = read_catalogue([{"name": "first"}, item, {"name": "last"}], server="s")
    assert [tool.name for tool in read.tools] == ["first", "last"]
    assert [error.position for error in read.errors] == [1]
    assert message in read.errors[0].message


def test_a_name_is_taken_once() -> None:
    read = read_catalogue([{"name": "a", "summary": "one"}, {"name": "a", "summary": "two"}], server="s")
    assert [tool.card.summary for tool in read.tools] == ["one"]
    assert (read.errors[0].position, read.errors[0].name) == (1, "a")


@pytest.mark.parametrize("names", [["Read-it", "read_it"], ["read_it", "Read-it"]])
def test_colliding_mcp_names_have_one_winner_whatever_the_order(names: list[str]) -> None:
    read = read_catalogue([{"name": name, "inputSchema": {}} for name in names], server="s")
    assert [tool.card.mcp_tool_name for tool in read.tools] == ["Read-it"]
    assert [error.name for error in read.errors] == ["read_it"]


@pytest.mark.parametrize("body", [None, "x", {}, {"tools": {}}, 3])
def test_a_catalogue_is_a_list(body: object) -> None:
    with pytest.raises(UsageError, match="a catalogue is a list"):
        read_catalogue(body, server="s")


def test_a_schema_of_megabytes_is_left_out_and_the_others_are_in() -> None:
    huge = {"name": "b", "input_schema": {"properties": {"x": {"description": "x" * 5_000_000}}}}
    read = read_catalogue([{"name": "a"}, huge, {"name": "c"}], server="s")
    assert [each.name for each in read.tools] == ["a", "c"]
    assert [(each.position, each.message[:22]) for each in read.errors] == [(1, "a tool has at most 262")]


def test_a_schema_that_refers_to_itself_is_kept_as_it_is() -> None:
    schema = {"type": "object", "properties": {"next": {"$ref": "#"}}}
    (read,) = read_catalogue([{"name": "a", "inputSchema": schema}], server="s").tools
    assert read.input_schema == schema
    assert read.card.schema_keys == ("next",)
