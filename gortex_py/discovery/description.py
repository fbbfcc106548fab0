"""What the search tool says of itself to a model: partly live, from the corpus of the moment."""

from __future__ import annotations

from collections.abc import Sequence

from gortex_py.discovery.catalog import (
    LoadMode,
    Tool,
    ToolCard,
    ToolSource,
    from_source,
    server_line,
    source_of,
    summarise,
)
from gortex_py.discovery.modes import SEARCH_TOOL_NAME, DiscoveryMode
from gortex_py.discovery.search_tool import DEFAULT_LIMIT
from gortex_py.types import JsonObject

LABEL = "SearchTools"
_SUMMARY = "Find hidden tools by what they do and switch them on"
_PURPOSE = (
    "Looks through the metadata of tools that are hidden in this session and switches on the ones that fit. "
    "Use it when the task needs something that none of the active tools can do."
)
_REST = f"""Input:
- `query` (required): keywords, or a sentence about what is needed
- `limit` (optional, default {DEFAULT_LIMIT}): how many tools to find and switch on

Matched are a tool's name, label, server, MCP tool name, summary and input keys. The best matches become \
active; calling again adds to what is active. New tools can be called before the next model call.

Begin with a limit of 5 to 10. This finds tools. It does not search the repository, files or code: use the \
code search for those.

Returns JSON with `query`, `activated_tools`, `match_count`, `total_tools`."""


def search_tool_description(cards: Sequence[ToolCard], mode: DiscoveryMode) -> str:
    """Return the description for a corpus."""
    return "\n\n".join(part for part in (_PURPOSE, "\n".join(_live_lines(cards, mode)), _REST) if part)


def search_tool(description: str) -> Tool:
    """Return the search tool's own definition."""
    card = ToolCard(SEARCH_TOOL_NAME, LABEL, _SUMMARY, source_of(SEARCH_TOOL_NAME), schema_keys=("limit", "query"))
    return Tool(card, description, _schema(), LoadMode.ESSENTIAL)


def _live_lines(cards: Sequence[ToolCard], mode: DiscoveryMode) -> list[str]:
    summary = summarise(cards)
    lines = []
    if summary.servers:
        servers = ", ".join(server_line(name, count) for name, count in summary.servers)
        lines.append(f"Discoverable MCP servers in this session: {servers}.")
    names = sorted(card.name for card in from_source(cards, ToolSource.BUILTIN))
    if names and mode is DiscoveryMode.ALL:
        lines.append(f"Discoverable built-in tools: {', '.join(names)}.")
    if summary.total:
        lines.append(f"Total discoverable tools available: {summary.total}.")
    return lines


def _schema() -> JsonObject:
    return {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What the tool should do"},
            "limit": {"type": "integer", "minimum": 1, "description": "How many tools to switch on at most"},
        },
        "required": ["query"],
        "additionalProperties": False,
    }
