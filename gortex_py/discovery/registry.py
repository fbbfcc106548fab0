"""The registered tools, and what every session over them shares: counts, corpora, one index a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from gortex_py.discovery.bm25plus import ToolIndex
from gortex_py.discovery.catalog import LoadMode, Tool, ToolCard, ToolSource
from gortex_py.discovery.modes import SEARCH_TOOL_NAME, DiscoveryMode, count_tools
from gortex_py.discovery.reading import PLAIN, deep_reading


class ToolRegistry(Mapping[str, Tool]):
    """Tools by name, never changed. What is derived from them is made once, when it is first asked for."""

    def __init__(self, tools: Iterable[Tool] | Mapping[str, Tool], *, is_deep: bool = False) -> None:
        """Take tools, or a mapping by name.

        :param is_deep: whether searches read whole descriptions and take the forms of a word as one.
        """
        self._tools = tools if isinstance(tools, Mapping) else {tool.name: tool for tool in tools}
        self._reading = deep_reading(self._tools) if is_deep else PLAIN
        self._corpora: dict[DiscoveryMode, tuple[ToolCard, ...]] = {}
        self._indexes: dict[DiscoveryMode, ToolIndex] = {}

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    @cached_property
    def count(self) -> int:
        """How many tools there are, without the search tool itself."""
        return count_tools(self._tools.values())

    @cached_property
    def own_names(self) -> frozenset[str]:
        """The names of the tools that are no MCP server's."""
        return frozenset(name for name, tool in self._tools.items() if not tool.is_mcp)

    def corpus(self, mode: DiscoveryMode) -> tuple[ToolCard, ...]:
        """Return what a mode can hide: discoverable built-ins in mode ALL, then MCP tools."""
        if mode not in self._corpora:
            self._corpora[mode] = tuple(self._assemble(mode))
        return self._corpora[mode]

    def index(self, mode: DiscoveryMode) -> ToolIndex:
        """Return the index of all that a mode can hide; sessions take out what they have active."""
        if mode not in self._indexes:
            self._indexes[mode] = self.build_index(self.corpus(mode))
        return self._indexes[mode]

    @cached_property
    def whole_index(self) -> ToolIndex:
        """The index of every tool."""
        return self.build_index([tool.card for tool in self._tools.values()])

    def build_index(self, cards: Iterable[ToolCard]) -> ToolIndex:
        """Return an index of some of the tools."""
        return ToolIndex(cards, self._reading)

    def _assemble(self, mode: DiscoveryMode) -> Iterator[ToolCard]:
        if mode is DiscoveryMode.ALL:
            for tool in self._tools.values():
                is_found = tool.card.source is ToolSource.BUILTIN and tool.load_mode is LoadMode.DISCOVERABLE
                if is_found and tool.name != SEARCH_TOOL_NAME:
                    yield tool.card
        if mode is not DiscoveryMode.OFF:
            yield from (tool.card for tool in self._tools.values() if tool.is_mcp)
