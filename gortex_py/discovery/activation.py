"""One session's tools: which are active, which were selected, which can be found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gortex_py.discovery.bm25plus import ToolIndex
from gortex_py.discovery.catalog import Tool, ToolCard
from gortex_py.discovery.modes import (
    SEARCH_TOOL_NAME,
    DiscoveryMode,
    DiscoveryOptions,
    Start,
    essential_names,
    keeps_visible,
    rejudge_mode,
    resolve_mode,
    starts_selected,
)
from gortex_py.discovery.registry import ToolRegistry


@dataclass(frozen=True, slots=True)
class Selection:
    """What is kept of a session: enough to go on after a restart as if nothing had happened."""

    mode: DiscoveryMode
    active: tuple[str, ...]  # in activation order
    mcp: tuple[str, ...]  # selected MCP tools, those of absent servers too
    discovered: tuple[str, ...]  # other tools that a search or a call switched on
    used: tuple[str, ...] = ()  # where their number is limited: those that may go, unused for longest first


class ToolSession:
    """The tools of one session over a registry. Not thread-safe: its owner takes care of that."""

    def __init__(
        self,
        tools: Iterable[Tool] | Mapping[str, Tool],
        options: DiscoveryOptions | None = None,
        start: Start | None = None,
    ) -> None:
        """Begin a session.

        :param tools: the registry; one that is a ToolRegistry may be shared between sessions, which makes a new
            session cheap.
        """
        self._options = options or DiscoveryOptions()
        self._start = start or Start()
        self._registry = _registry(tools)
        self._mode = resolve_mode(self._options, self._registry.count)
        self._active: list[str] = []
        self._selected_mcp: list[str] = []
        self._discovered: list[str] = []
        self._used: list[str] = []
        self._corpus: tuple[ToolCard, ...] | None = None
        self._index: ToolIndex | None = None
        self.reset()

    # --- what there is ----------------------------------------------------------------------

    @property
    def mode(self) -> DiscoveryMode:
        """Return the mode in effect, never AUTO."""
        return self._mode

    @property
    def is_enabled(self) -> bool:
        """Say whether tools are hidden and can be found."""
        return self._mode is not DiscoveryMode.OFF

    @property
    def active(self) -> tuple[str, ...]:
        """Return the names of the active tools; new ones are always at the end."""
        return tuple(self._active)

    @property
    def selected(self) -> tuple[str, ...]:
        """Return what was selected and is active; with discovery off, the active MCP tools."""
        if not self.is_enabled:
            return tuple(name for name in self._active if self._is_mcp(name))
        active = set(self._active)
        return tuple(name for name in (*self._selected_mcp, *self._discovered) if name in active)

    @property
    def registered(self) -> int:
        """Return how many tools are registered, without the search tool itself."""
        return self._registry.count

    def tool(self, name: str) -> Tool | None:
        """Return a registered tool."""
        return self._registry.get(name)

    def discoverable(self) -> tuple[ToolCard, ...]:
        """Return the corpus: discoverable built-ins in mode ALL, then MCP tools, none of them active."""
        if self._corpus is None:
            active = set(self._active)
            self._corpus = tuple(card for card in self._registry.corpus(self._mode) if card.name not in active)
        return self._corpus

    def index(self) -> ToolIndex:
        """Return the index of the corpus: the same object until the registry or the active tools change."""
        if self._index is None:
            # What is shared by all sessions, without what is active here: far cheaper than an index of its own.
            self._index = self._registry.index(self._mode).without(self._active)
        return self._index

    # --- what changes it --------------------------------------------------------------------

    def activate(self, names: Sequence[str]) -> tuple[str, ...]:
        """Add tools to the active ones; nothing is ever switched off by it.

        :return: MCP names first, those that were selected already too, then the others that are new.
        """
        wanted = [name for name in dict.fromkeys(names) if name in self._registry]
        mcp = [name for name in wanted if self._is_mcp(name)]
        others = [name for name in wanted if not self._is_mcp(name) and name not in self._active]
        limit = self._options.max_active
        if limit:
            # The first are the best of a search; what would go again at once is not switched on.
            fresh = [name for name in wanted if name not in self._active][:limit]
            mcp = [name for name in mcp if name in self._active or name in fresh]
            others = [name for name in others if name in fresh]
        if mcp or others:
            self._selected_mcp = _union(self._selected_mcp, mcp)
            self._discovered = _union(self._discovered, others)
            before = set(self._active)
            self._apply(_union(self._active, [*mcp, *others]))
            self._evict(name for name in (*mcp, *others) if name not in before)
        self.note_use(name for name in wanted if name in self._active)
        return (*mcp, *others)

    def note_use(self, names: Iterable[str]) -> None:
        """Take down that tools are used, so that they stay longest where the number of active ones is limited."""
        for name in names:
            if name in self._used:
                self._used.remove(name)
                self._used.append(name)

    def deactivate(self, names: Sequence[str]) -> tuple[str, ...]:
        """Switch tools off, so that they can be found again; returns those that were active."""
        dropped = [name for name in dict.fromkeys(names) if name in self._active and name != SEARCH_TOOL_NAME]
        if dropped:
            self.set_active([name for name in self._active if name not in dropped])
        return tuple(dropped)

    def set_active(self, names: Sequence[str]) -> None:
        """Put a whole set of active tools in place; the selection follows it."""
        applied = [name for name in dict.fromkeys(names) if self._can_be_active(name)]
        if self.is_enabled:
            applied = _union(applied, [SEARCH_TOOL_NAME])
        absent = [name for name in self._selected_mcp if name not in self._registry]
        ordered = [name for name in self._selected_mcp if name in applied]
        added = [name for name in applied if self._is_mcp(name)]
        self._selected_mcp = _union(_union(ordered, added), absent)
        self._apply(applied)

    def reset(self) -> None:
        """Go back to what the session began with."""
        hides = self.is_enabled
        chosen = [
            tool.name
            for tool in self._registry.values()
            if tool.is_mcp and (not hides or starts_selected(tool, self._options, self._start))
        ]
        stored_order = [name for name in self._start.restored or () if name in chosen]
        self._selected_mcp = _union(stored_order, chosen)
        self._used = []
        # A stored name whose server is away is kept aside: it comes back with its server.
        absent = [name for name in self._start.restored or () if name not in self._registry]
        self._discovered = [
            name for name in self._start.restored or () if name in self._registry and not self._is_mcp(name)
        ]
        self._apply(self._with_search_tool(name for name, tool in self._registry.items() if self._is_visible(tool)))
        self._selected_mcp = _union(self._selected_mcp, absent)

    def refresh(self, tools: Iterable[Tool] | Mapping[str, Tool]) -> bool:
        """Take a new registry; returns whether the active tools changed.

        What was switched on or off by hand stays so. New MCP tools are hidden unless they are selected or
        of a default server. Discovery may switch on; what is active then stays active.
        """
        before, known = tuple(self._active), self._registry
        self._registry = _registry(tools)
        mode = rejudge_mode(self._mode, self._options, self._registry.count)
        if mode is not self._mode:
            self._mode = mode
            self._selected_mcp = _union(self._selected_mcp, [name for name in before if self._is_mcp(name)])
        arrived = [tool for name, tool in self._registry.items() if name not in known]
        visible = [tool.name for tool in arrived if self._is_visible(tool) or tool.name in self._selected_mcp]
        self._selected_mcp = _union(self._selected_mcp, [name for name in visible if self._is_mcp(name)])
        kept = [name for name in self._active if self._can_be_active(name)]
        self._apply(self._with_search_tool([*kept, *visible]))
        return before != tuple(self._active)

    # --- what is kept -----------------------------------------------------------------------

    def selection(self) -> Selection:
        """Return what is to be kept."""
        kept = (self.active, tuple(self._selected_mcp), tuple(self._discovered), tuple(self._used))
        return Selection(self._mode, *kept)

    def restore(self, kept: Selection) -> None:
        """Go back to what was kept, as far as its tools are registered; the rest stays aside."""
        self._mode = kept.mode
        self._selected_mcp = list(kept.mcp)
        self._discovered = list(kept.discovered)
        self._used = list(kept.used)
        self._apply(self._with_search_tool(name for name in kept.active if self._can_be_active(name)))

    # --- inside -----------------------------------------------------------------------------

    def _evict(self, fresh: Iterable[str]) -> None:
        """Switch off what was unused for longest where too much is on that was not there at the start."""
        limit = self._options.max_active
        if not limit:
            return
        self._used = _union(self._used, fresh)
        surplus = len(self._used) - limit
        if surplus > 0:
            gone = self._used[:surplus]
            self.set_active([name for name in self._active if name not in gone])

    def _is_visible(self, tool: Tool) -> bool:
        if not self.is_enabled:
            return True
        if tool.is_mcp:
            return starts_selected(tool, self._options, self._start)
        if self._mode is DiscoveryMode.MCP_ONLY:
            return True
        essentials = essential_names(self._options.essential_override, self._registry.own_names)
        return keeps_visible(tool, essentials, self._start)

    def _is_mcp(self, name: str) -> bool:
        tool = self._registry.get(name)
        return tool is not None and tool.is_mcp

    def _can_be_active(self, name: str) -> bool:
        return name in self._registry or (self.is_enabled and name == SEARCH_TOOL_NAME)

    def _with_search_tool(self, names: Iterable[str]) -> list[str]:
        return _union(names, [SEARCH_TOOL_NAME] if self.is_enabled else [])

    def _apply(self, active: Iterable[str]) -> None:
        self._active = list(dict.fromkeys(active))
        present = set(self._active)
        # One that became inactive can be found again; it is no discovery any more.
        self._discovered = [name for name in self._discovered if name in present]
        self._used = [name for name in self._used if name in present]
        self._corpus = self._index = None


def _registry(tools: Iterable[Tool] | Mapping[str, Tool]) -> ToolRegistry:
    return tools if isinstance(tools, ToolRegistry) else ToolRegistry(tools)


def _union(first: Iterable[str], second: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*first, *second]))
