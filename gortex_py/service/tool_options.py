"""What the settings say of tools, as the parts below take it."""

from __future__ import annotations

from dataclasses import dataclass, field

from gortex_py.discovery.modes import DiscoveryMode, DiscoveryOptions
from gortex_py.discovery.narrowing import WIDE, Narrowing
from gortex_py.service.upstream.server import UpstreamOptions
from gortex_py.settings.schema import Settings


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How a search for tools goes, where its caller does not say."""

    activate: bool = True
    narrowing: Narrowing = WIDE
    compact_signatures: bool = False


@dataclass(frozen=True, slots=True)
class ToolOptions:
    """What the settings say. The defaults are the behaviour that is documented for ``search_tool_bm25``."""

    discovery: DiscoveryOptions = field(default_factory=DiscoveryOptions)
    search: SearchOptions = field(default_factory=SearchOptions)
    upstream: UpstreamOptions = field(default_factory=UpstreamOptions)
    count_tokens: bool = False
    pin_definitions: bool = False
    deep_search: bool = False
    max_result_bytes: int = 4 * 1024 * 1024


def make_tool_options(settings: Settings) -> ToolOptions:
    """Return the options that the settings stand for."""
    tools, mcp = settings.tools, settings.mcp
    return ToolOptions(
        discovery=DiscoveryOptions(
            DiscoveryMode(tools.discovery_mode),
            mcp.discovery_mode,
            mcp.discovery_default_servers,
            tools.essential_override,
            tools.max_active,
            tools.frozen_description,
        ),
        search=SearchOptions(
            tools.activate,
            Narrowing(tools.min_coverage, tools.relative_floor, tools.exact_name_first),
            tools.compact_signatures,
        ),
        upstream=UpstreamOptions(mcp.start_timeout_s, mcp.call_timeout_s, mcp.idle_stop_s),
        count_tokens=tools.count_tokens,
        pin_definitions=tools.pin_definitions,
        deep_search=tools.deep_search,
        max_result_bytes=mcp.max_result_bytes,
    )
