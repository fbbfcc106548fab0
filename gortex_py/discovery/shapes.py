"""Catalogues in the four shapes in use, in and out.

==========  =====================================================================================
own         name, label, summary, description, source, load_mode, server_name, mcp_tool_name,
            schema_keys, input_schema; all but the name may be left out
mcp         a ``tools/list`` result: name, title, description, inputSchema
openai      function arrays: type "function", and name, description, parameters at the top or in
            "function"
anthropic   name, description, input_schema, defer_loading
==========  =====================================================================================

One bad item never refuses the others: it is named with its position.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import orjson

from gortex_py.discovery.catalog import (
    LoadMode,
    Tool,
    ToolCard,
    ToolSource,
    mcp_wire_name,
    schema_keys,
    source_of,
    summary_of,
)
from gortex_py.errors import UsageError
from gortex_py.types import JsonObject

MAX_TOOLS = 100_000
MAX_ITEM_BYTES = 256 * 1024
MAX_NAME_CHARS = 128
_WIRE_NAME = re.compile(rf"[A-Za-z0-9_.-]{{1,{MAX_NAME_CHARS}}}")
_OWN_KEYS = frozenset({"label", "summary", "source", "load_mode", "server_name", "mcp_tool_name", "schema_keys"})
_EXTRAS = ("title", "annotations", "outputSchema", "icons", "execution", "_meta")  # of the MCP shape


class CatalogueShape(StrEnum):
    """Whose form an item has."""

    OWN = "own"
    MCP = "mcp"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"


@dataclass(frozen=True, slots=True)
class ItemError:
    """An item that was left out."""

    position: int  # from 0
    name: str  # as given; empty when it has none
    message: str


@dataclass(frozen=True, slots=True)
class ReadCatalogue:
    """What could be read of a catalogue: wire names are unique."""

    tools: tuple[Tool, ...]
    errors: tuple[ItemError, ...]


class _BadItemError(Exception):
    """Why an item cannot be taken, as a sentence."""


def read_catalogue(body: object, *, server: str) -> ReadCatalogue:
    """Read a catalogue; the shape is seen item by item.

    :param body: a list of items, or an object with a list ``tools``.
    :param server: the MCP server that items of the MCP shape belong to.
    :raises UsageError: when there is no list, or too long a one.
    """
    items = body.get("tools") if isinstance(body, Mapping) else body
    if not isinstance(items, list):
        raise UsageError("a catalogue is a list of tools, or an object with a list `tools`", code="bad-catalogue")
    if len(items) > MAX_TOOLS:
        raise UsageError(f"a catalogue has at most {MAX_TOOLS} tools, not {len(items)}", code="bad-catalogue")
    kept: dict[str, tuple[int, Tool]] = {}
    errors: list[ItemError] = []
    for position, item in enumerate(items):
        try:
            tool = _read_item(item, server)
        except _BadItemError as error:
            errors.append(ItemError(position, _name_given(item), str(error)))
            continue
        first = kept.get(tool.name)
        if first is None:
            kept[tool.name] = (position, tool)
            continue
        winner, loser = _settle(first, (position, tool))
        kept[tool.name] = winner
        message = f"the name {tool.name} is taken by the item at position {winner[0]}"
        errors.append(ItemError(loser[0], _name_given(items[loser[0]]), message))
    tools = tuple(tool for _, tool in sorted(kept.values(), key=lambda each: each[0]))
    return ReadCatalogue(tools, tuple(sorted(errors, key=lambda error: error.position)))


def shape_of_item(item: Mapping[str, Any]) -> CatalogueShape:
    """Return whose form an item has."""
    if isinstance(item.get("function"), Mapping) or item.get("type") == "function":
        return CatalogueShape.OPENAI
    if "inputSchema" in item:
        return CatalogueShape.MCP
    if "input_schema" in item and not _OWN_KEYS & item.keys():
        return CatalogueShape.ANTHROPIC
    return CatalogueShape.OWN


def write_tool(tool: Tool, shape: CatalogueShape = CatalogueShape.OWN) -> JsonObject:
    """Return a tool in a shape. The own shape holds everything; reading it gives the same tool."""
    return _WRITERS[shape](tool)


def compact(tool: Tool) -> JsonObject:
    """Return what suffices to choose a tool by."""
    return {"name": tool.name, "label": tool.card.label, "description": tool.card.summary}


# --- in -------------------------------------------------------------------------------------


def _read_item(item: object, server: str) -> Tool:
    if not isinstance(item, dict):
        raise _BadItemError("a tool is a JSON object")
    tool = _READERS[shape_of_item(item)](item, server)
    if not _WIRE_NAME.fullmatch(tool.name):
        raise _BadItemError(f"a name has 1 to {MAX_NAME_CHARS} of the characters A-Z a-z 0-9 _ . -")
    try:
        size = len(orjson.dumps(write_tool(tool)))
    except TypeError as error:
        raise _BadItemError(f"it cannot be kept as JSON: {error}") from error
    if size > MAX_ITEM_BYTES:
        raise _BadItemError(f"a tool has at most {MAX_ITEM_BYTES} bytes, not {size}")
    return tool


def _read_own(item: dict[str, Any], _: str) -> Tool:
    name, description = _text(item, "name"), _text(item, "description")
    schema = _schema(item, "input_schema")
    keys = item.get("schema_keys")
    if keys is not None and not (isinstance(keys, list) and all(isinstance(key, str) for key in keys)):
        raise _BadItemError("schema_keys must be a list of texts")
    source = source_of(name, _choice(item, "source", ToolSource))
    card = ToolCard(
        name,
        _text(item, "label") or name,
        summary_of(description, own=_text(item, "summary")),
        source,
        _text(item, "server_name") or None,
        _text(item, "mcp_tool_name") or None,
        schema_keys(schema) if keys is None else tuple(sorted(keys)),
    )
    load_mode = _choice(item, "load_mode", LoadMode)
    default = None if "load_mode" in item else _default_load(source)
    return Tool(card, description, schema, load_mode or default, _schema(item, "extras"))


def _read_mcp(item: dict[str, Any], server: str) -> Tool:
    own_name, description = _text(item, "name"), _text(item, "description")
    if not own_name.strip() or not own_name.isprintable() or len(own_name) > MAX_NAME_CHARS:
        raise _BadItemError(f"a name has 1 to {MAX_NAME_CHARS} characters and none that cannot be printed")
    schema = _schema(item, "inputSchema")
    card = ToolCard(
        mcp_wire_name(server, own_name),
        f"{server}/{own_name}",
        summary_of(description),
        ToolSource.MCP,
        server,
        own_name,
        schema_keys(schema),
    )
    return Tool(card, description, schema, extras={key: item[key] for key in _EXTRAS if item.get(key) is not None})


def _read_openai(item: dict[str, Any], _: str) -> Tool:
    function = item.get("function")
    return _plain(function if isinstance(function, dict) else item, "parameters", None)


def _read_anthropic(item: dict[str, Any], _: str) -> Tool:
    deferred = item.get("defer_loading")
    if deferred is not None and not isinstance(deferred, bool):
        raise _BadItemError("defer_loading must be true or false")
    return _plain(item, "input_schema", LoadMode.ESSENTIAL if deferred is False else None)


def _plain(item: dict[str, Any], schema_key: str, load_mode: LoadMode | None) -> Tool:
    name, description, schema = _text(item, "name"), _text(item, "description"), _schema(item, schema_key)
    source = source_of(name)
    card = ToolCard(name, name, summary_of(description), source, schema_keys=schema_keys(schema))
    return Tool(card, description, schema, load_mode or _default_load(source))


def _default_load(source: ToolSource) -> LoadMode | None:
    # Whoever posts a catalogue wants its tools found; MCP tools are hidden and found by their source.
    return LoadMode.DISCOVERABLE if source is ToolSource.BUILTIN else None


def _text(item: Mapping[str, Any], key: str) -> str:
    value = item.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _BadItemError(f"{key} must be text")
    return value


def _schema(item: Mapping[str, Any], key: str) -> JsonObject:
    value = item.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _BadItemError(f"{key} must be an object")
    return value


def _choice(item: Mapping[str, Any], key: str, kind: Callable[[str], Any]) -> Any:
    value = _text(item, key)
    try:
        return kind(value) if value else None
    except ValueError as error:
        raise _BadItemError(f"{key} cannot be {value[:50]!r}") from error


def _name_given(item: object) -> str:
    """Return an item's name as far as it can be shown."""
    if not isinstance(item, Mapping):
        return ""
    function = item.get("function")
    name = function.get("name") if isinstance(function, Mapping) else item.get("name")
    return name[:MAX_NAME_CHARS].encode("utf-8", "backslashreplace").decode() if isinstance(name, str) else ""


def _settle(first: tuple[int, Tool], second: tuple[int, Tool]) -> Sequence[tuple[int, Tool]]:
    """Return winner and loser of a name: by origin among MCP tools, so that no restart changes it; else the first."""
    if first[1].is_mcp and second[1].is_mcp:
        return sorted([first, second], key=lambda each: (*_origin(each[1]), each[0]))
    return first, second


def _origin(tool: Tool) -> tuple[str, str]:
    return tool.card.server_name or "", tool.card.mcp_tool_name or ""


# --- out ------------------------------------------------------------------------------------


def _write_own(tool: Tool) -> JsonObject:
    card = tool.card
    extras = {"extras": tool.extras} if tool.extras else {}
    return {
        "name": card.name,
        "label": card.label,
        "summary": card.summary,
        "description": tool.description,
        "source": card.source.value,
        "load_mode": tool.load_mode.value if tool.load_mode else None,
        "server_name": card.server_name,
        "mcp_tool_name": card.mcp_tool_name,
        "schema_keys": list(card.schema_keys),
        "input_schema": tool.input_schema,
        **extras,
    }


def _write_mcp(tool: Tool) -> JsonObject:
    return {
        "name": tool.name,
        "title": tool.card.label,
        "description": _described(tool),
        "inputSchema": _object_schema(tool),
        **tool.extras,
    }


def _write_openai(tool: Tool) -> JsonObject:
    function = {"name": tool.name, "description": _described(tool), "parameters": _object_schema(tool)}
    return {"type": "function", "function": function}


def _write_anthropic(tool: Tool) -> JsonObject:
    return {"name": tool.name, "description": _described(tool), "input_schema": _object_schema(tool)}


def _described(tool: Tool) -> str:
    return tool.description or tool.card.summary


def _object_schema(tool: Tool) -> JsonObject:
    return tool.input_schema or {"type": "object", "properties": {}}


_READERS: Mapping[CatalogueShape, Callable[[dict[str, Any], str], Tool]] = {
    CatalogueShape.OWN: _read_own,
    CatalogueShape.MCP: _read_mcp,
    CatalogueShape.OPENAI: _read_openai,
    CatalogueShape.ANTHROPIC: _read_anthropic,
}
_WRITERS: Mapping[CatalogueShape, Callable[[Tool], JsonObject]] = {
    CatalogueShape.OWN: _write_own,
    CatalogueShape.MCP: _write_mcp,
    CatalogueShape.OPENAI: _write_openai,
    CatalogueShape.ANTHROPIC: _write_anthropic,
}
