"""Which tools of the user's MCP servers are withheld, and why: blocked by the setup, or changed since approved."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import orjson

from gortex_py.discovery.catalog import Tool, mcp_wire_name
from gortex_py.discovery.shapes import write_tool
from gortex_py.settings.mcp_servers import ServerConfig

SERVER_PREFIX = "mcp:"  # of the catalogues that servers fill; no posted catalogue can have such a name
READ_ONLY = "readOnlyHint"

Pins = Mapping[tuple[str, str], str]


def catalogue_of(server: str) -> str:
    """Return the name of the catalogue that a server fills."""
    return SERVER_PREFIX + server


def server_of(catalogue: str) -> str | None:
    """Return the server that fills a catalogue, None for a posted one."""
    return catalogue.removeprefix(SERVER_PREFIX) if catalogue.startswith(SERVER_PREFIX) else None


def digest_of(tool: Tool) -> str:
    """Return a text that differs when a definition does."""
    return hashlib.sha256(orjson.dumps(write_tool(tool), option=orjson.OPT_SORT_KEYS)).hexdigest()


class ToolPolicy:
    """What the user's setup and approvals say of each tool."""

    def __init__(self, configs: Iterable[ServerConfig] = (), pins: Pins | None = None) -> None:
        """Take the servers, and the approved digests where definitions are pinned."""
        self._configs = {config.name: config for config in configs}
        self._pins = pins

    def reason(self, catalogue: str, tool: Tool) -> str | None:
        """Say why a tool is withheld, None when it is not. Posted catalogues are not looked at."""
        server = server_of(catalogue)
        if server is None:
            return None
        config = self._configs.get(server)
        if config is None:
            return f"the MCP server {server} is not set up any more"
        own_name = tool.card.mcp_tool_name or ""
        if own_name in config.block:
            return f"the setup of {config.name} blocks it"
        if config.allow is not None and own_name not in config.allow:
            return f"it is not among the tools that the setup of {config.name} allows"
        if config.read_only and not tool.hints(READ_ONLY):
            return f"{config.name} is set up as read-only, and the tool does not say that it changes nothing"
        if self.is_changed(catalogue, tool):
            return (
                f"{config.name} changed its definition since it was approved; look at it and approve it with: "
                f"gortex tools servers --approve {config.name}"
            )
        return None

    def is_changed(self, catalogue: str, tool: Tool) -> bool:
        """Say whether a tool's definition is another than the approved one."""
        return self._pins is not None and self._pins.get((catalogue, tool.name), "") not in ("", digest_of(tool))

    def default_servers(self) -> tuple[str, ...]:
        """Return the servers whose tools are never hidden."""
        return tuple(name for name, config in self._configs.items() if config.default)

    def essential_tools(self) -> tuple[str, ...]:
        """Return the wire names of the tools that are never hidden."""
        return tuple(mcp_wire_name(name, tool) for name, config in self._configs.items() for tool in config.essential)


def first_pins(catalogue: str, tools: Sequence[Tool], pins: Pins) -> dict[tuple[str, str], str]:
    """Return the pins of tools that are seen for the first time: they are trusted then."""
    return {(catalogue, tool.name): digest_of(tool) for tool in tools if (catalogue, tool.name) not in pins}
