"""When tools are hidden, which are hidden, and which are there from the start."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gortex_py.discovery.catalog import LoadMode, Tool

AUTO_THRESHOLD = 40  # registered tools; discovery is on above it
SEARCH_TOOL_NAME = "search_tool_bm25"  # kept for the sessions that were stored under it
DEFAULT_ESSENTIALS = ("read", "bash", "edit", "write", "glob", "eval")


class DiscoveryMode(StrEnum):
    """What is hidden: nothing, MCP tools, or discoverable built-ins as well; AUTO decides by number."""

    AUTO = "auto"
    OFF = "off"
    MCP_ONLY = "mcp-only"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class DiscoveryOptions:
    """What a user sets about discovery."""

    mode: DiscoveryMode = DiscoveryMode.AUTO
    legacy_mcp: bool = False  # the older on-off setting; on means MCP_ONLY where mode does not say otherwise
    default_servers: tuple[str, ...] = ()  # whose tools are there from the start
    essential_override: tuple[str, ...] = ()
    max_active: int = 0  # of the tools that were switched on after the start; those unused for longest go; 0: no limit
    frozen_description: bool = False  # the search tool says of itself all along what it said at the start


@dataclass(frozen=True, slots=True)
class Start:
    """What a session begins with besides its options."""

    explicit: tuple[str, ...] = ()  # asked for by name
    restored: tuple[str, ...] | None = None  # an earlier selection; replaces the default servers even when empty
    forced: tuple[str, ...] = ()  # a forced tool choice needs them


def resolve_mode(options: DiscoveryOptions, count: int) -> DiscoveryMode:
    """Return the mode in effect, never AUTO.

    :param count: registered tools without the search tool itself.
    """
    if options.mode in (DiscoveryMode.ALL, DiscoveryMode.MCP_ONLY):
        return options.mode
    if options.legacy_mcp or (options.mode is DiscoveryMode.AUTO and count > AUTO_THRESHOLD):
        return DiscoveryMode.MCP_ONLY
    return DiscoveryMode.OFF


def rejudge_mode(current: DiscoveryMode, options: DiscoveryOptions, count: int) -> DiscoveryMode:
    """Return the mode after the registry changed: discovery may switch on, never off within a session."""
    return resolve_mode(options, count) if current is DiscoveryMode.OFF else current


def count_tools(tools: Iterable[Tool]) -> int:
    """Return how many tools are registered, without the search tool itself."""
    return sum(1 for tool in tools if tool.name != SEARCH_TOOL_NAME)


def essential_names(override: Sequence[str], known: Collection[str]) -> tuple[str, ...]:
    """Return the names that are essential by setting.

    :param override: entries of the setting; blank ones say nothing, and with none left the defaults apply.
    :param known: names of the built-in tools; others are dropped.
    """
    asked = [name.strip() for name in override if name.strip()]
    return tuple(name for name in asked if name in known) if asked else DEFAULT_ESSENTIALS


def keeps_visible(tool: Tool, essentials: Collection[str], start: Start) -> bool:
    """Say whether a tool that is not an MCP server's stays visible where discoverable ones are hidden."""
    return (
        tool.load_mode is None
        or tool.load_mode is LoadMode.ESSENTIAL
        or tool.name in essentials
        or tool.name in start.explicit
        or tool.name in (start.restored or ())
        or tool.name in start.forced
    )


def starts_selected(tool: Tool, options: DiscoveryOptions, start: Start) -> bool:
    """Say whether an MCP tool is active from the start while others are hidden."""
    if tool.name in start.explicit:
        return True
    if start.restored is not None:
        return tool.name in start.restored
    return tool.card.server_name in options.default_servers
