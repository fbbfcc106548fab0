"""What a discoverable tool is, and how one is made from what a catalogue says."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from gortex_py.discovery.order import collation_key
from gortex_py.types import JsonObject

MCP_PREFIX = "mcp__"
SUMMARY_CHARS = 200  # code points of a description that stand in for a missing summary
MAX_MCP_NAME_CHARS = 64  # what model providers take
_HASH_CHARS = 8


class ToolSource(StrEnum):
    """Where a tool comes from. Sessions assemble their corpus from BUILTIN and MCP alone."""

    BUILTIN = "builtin"
    MCP = "mcp"
    EXTENSION = "extension"
    CUSTOM = "custom"


class LoadMode(StrEnum):
    """Whether a tool is there from the start or may be hidden until found."""

    ESSENTIAL = "essential"
    DISCOVERABLE = "discoverable"


@dataclass(frozen=True, slots=True)
class ToolCard:
    """What is searched and shown of a tool."""

    name: str  # wire name, unique within a corpus
    label: str
    summary: str
    source: ToolSource
    server_name: str | None = None  # MCP tools only
    mcp_tool_name: str | None = None  # as the server calls it
    schema_keys: tuple[str, ...] = ()  # names of the input's top-level properties, sorted


@dataclass(frozen=True, slots=True)
class Tool:
    """A registered tool: its card and the definition that a model is given."""

    card: ToolCard
    description: str = ""
    input_schema: JsonObject = field(default_factory=dict)
    load_mode: LoadMode | None = None  # None: never hidden, never found (internal, custom)
    extras: JsonObject = field(default_factory=dict)  # what else an MCP server says of it, such as annotations

    @property
    def name(self) -> str:
        """Return the wire name."""
        return self.card.name

    @property
    def is_mcp(self) -> bool:
        """Say whether an MCP server offers it."""
        return self.card.source is ToolSource.MCP

    def hints(self, name: str) -> bool:
        """Say whether the server claims something of it, such as ``readOnlyHint``."""
        annotations = self.extras.get("annotations")
        return isinstance(annotations, Mapping) and annotations.get(name) is True


def is_mcp_name(name: str) -> bool:
    """Say whether a wire name is one of an MCP tool."""
    return name.startswith(MCP_PREFIX)


def source_of(name: str, override: ToolSource | None = None) -> ToolSource:
    """Return where a tool comes from: what is said, else what its name says."""
    if override is not None:
        return override
    return ToolSource.MCP if is_mcp_name(name) else ToolSource.BUILTIN


def summary_of(description: str, *, own: str | None = None, override: str | None = None) -> str:
    """Return the line that is searched and shown: the override, the tool's own, or its description's beginning.

    >>> len(summary_of("A" * 300))
    200
    """
    return override or own or description[:SUMMARY_CHARS]


def schema_keys(schema: object) -> tuple[str, ...]:
    """Return the sorted names of a JSON schema's top-level properties; none where there is no object."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    return tuple(sorted(str(key) for key in properties)) if isinstance(properties, Mapping) else ()


def collect_cards(
    tools: Iterable[Tool], *, source: ToolSource | None = None, summaries: Mapping[str, str] | None = None
) -> list[ToolCard]:
    """Return the cards in the order given, with a source and summaries in place of their own where given."""
    summaries = summaries or {}
    return [
        replace(
            tool.card,
            source=source or tool.card.source,
            summary=summary_of(tool.description, own=tool.card.summary, override=summaries.get(tool.name)),
        )
        for tool in tools
    ]


def from_source(cards: Iterable[ToolCard], source: ToolSource) -> list[ToolCard]:
    """Return the cards of one source."""
    return [card for card in cards if card.source is source]


def of_server(cards: Iterable[ToolCard], server: str) -> list[ToolCard]:
    """Return the cards of one MCP server."""
    return [card for card in cards if card.server_name == server]


@dataclass(frozen=True, slots=True)
class CorpusSummary:
    """How many tools there are, and how many of each server, servers in order of name."""

    servers: tuple[tuple[str, int], ...]
    total: int


def summarise(cards: Iterable[ToolCard]) -> CorpusSummary:
    """Count tools a server."""
    counts: dict[str, int] = {}
    total = 0
    for card in cards:
        total += 1
        if card.server_name:
            counts[card.server_name] = counts.get(card.server_name, 0) + 1
    return CorpusSummary(tuple((name, counts[name]) for name in sorted(counts, key=collation_key)), total)


def server_line(name: str, count: int) -> str:
    """Return one server with its count.

    >>> server_line("github", 1), server_line("slack", 3)
    ('github (1 tool)', 'slack (3 tools)')
    """
    return f"{name} ({count} tool{'' if count == 1 else 's'})"


def mcp_wire_name(server: str, tool: str) -> str:
    """Return the wire name of a server's tool: stable, at most 64 characters, in the alphabet models may use.

    >>> mcp_wire_name("GitHub", "github_create-issue")
    'mcp__github_create_issue'
    """
    server_part = _slug(server) or "server"
    tool_part = _slug(tool) or "tool"
    tool_part = tool_part.removeprefix(f"{server_part}_") or tool_part
    name = f"{MCP_PREFIX}{server_part}_{tool_part}"
    if len(name) <= MAX_MCP_NAME_CHARS:
        return name
    digest = hashlib.sha256(f"{server}\0{tool}".encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_CHARS]
    return f"{name[: MAX_MCP_NAME_CHARS - _HASH_CHARS - 1]}_{digest}"


def _slug(text: str) -> str:
    return re.sub(r"_+", "_", re.sub(r"[^a-z0-9_]", "_", text.lower())).strip("_")
