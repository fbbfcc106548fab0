"""The tools that stand for all hidden ones: find, describe, call; and about how many tokens they take."""

from __future__ import annotations

import json

from gortex_py.discovery.description import search_tool, search_tool_description
from gortex_py.discovery.modes import SEARCH_TOOL_NAME, DiscoveryMode
from gortex_py.discovery.savings import BYTES_A_TOKEN
from gortex_py.discovery.shapes import CatalogueShape, write_tool
from gortex_py.types import JsonObject

DESCRIBE_TOOL = "describe_tool"
CALL_TOOL = "call_tool"
HANDLE = "discovery_session"


def meta_tokens() -> int:
    """Return about how many tokens the definitions of the three take."""
    listed = with_meta_tools([{"name": SEARCH_TOOL_NAME}], is_modern=True)
    return sum(-(-len(json.dumps(tool)) // BYTES_A_TOKEN) for tool in listed)


def with_meta_tools(tools: list[JsonObject], *, is_modern: bool) -> list[JsonObject]:
    """Return the tools with the ways to what is hidden, where something is hidden."""
    if all(tool["name"] != SEARCH_TOOL_NAME for tool in tools):
        return tools
    if not is_modern:
        # Right behind the search tool: what becomes active is appended, and what a model has cached stays the same.
        at = next(i for i, tool in enumerate(tools) if tool["name"] == SEARCH_TOOL_NAME) + 1
        return [*tools[:at], *_meta_tools(None), *tools[at:]]
    handle = {"type": "string", "description": f"What {SEARCH_TOOL_NAME} gave out; leave it out at first"}
    # Its text must not change with what is found, so it names no counts.
    search = write_tool(search_tool(search_tool_description((), DiscoveryMode.OFF)), CatalogueShape.MCP)
    schema = search["inputSchema"]
    search["inputSchema"] = {**schema, "properties": {**schema["properties"], HANDLE: handle}}
    others = [tool for tool in tools if tool["name"] != SEARCH_TOOL_NAME]
    return [*others, search, *_meta_tools(handle)]


def _meta_tools(handle: JsonObject | None) -> list[JsonObject]:
    session = {} if handle is None else {HANDLE: handle}
    name = {"type": "string", "description": f"As {SEARCH_TOOL_NAME} gave it"}
    passed = {"type": "object", "description": "As the tool's input schema says"}
    return [
        {
            "name": DESCRIBE_TOOL,
            "description": "Return a tool's whole definition with its input schema, whether it is hidden or not.",
            "inputSchema": {"type": "object", "properties": {"name": name, **session}, "required": ["name"]},
            "annotations": {"readOnlyHint": True},
        },
        {
            "name": CALL_TOOL,
            "description": "Call a tool by name, whether it is hidden or not. For clients that do not show new tools.",
            "inputSchema": {
                "type": "object",
                "properties": {"name": name, "arguments": passed, **session},
                "required": ["name"],
            },
        },
    ]
