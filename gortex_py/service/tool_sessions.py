"""What a tool session is made with, what is kept of it, and what it can say of a tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import orjson

from gortex_py.discovery.activation import Selection, ToolSession
from gortex_py.discovery.catalog import Tool
from gortex_py.discovery.description import search_tool, search_tool_description
from gortex_py.discovery.modes import SEARCH_TOOL_NAME, DiscoveryMode, DiscoveryOptions, Start
from gortex_py.discovery.savings import Savings, total_tokens
from gortex_py.discovery.search_tool import cards_of, hooks_of
from gortex_py.errors import NotFound
from gortex_py.service.tool_catalogues import Scope


@dataclass(frozen=True, slots=True)
class SessionRequest:
    """What a session is made with."""

    options: DiscoveryOptions = field(default_factory=DiscoveryOptions)
    start: Start = field(default_factory=Start)
    catalogues: tuple[str, ...] | None = None  # all when None, those that come later too
    servers_only: bool = False  # only tools that can be called, those of MCP servers

    @property
    def scope(self) -> Scope:
        """Whose tools it sees."""
        return Scope(self.catalogues, self.servers_only)


@dataclass(slots=True)
class OpenSession:
    """A session with what it was made with."""

    request: SessionRequest
    session: ToolSession
    last_used: float  # seconds since the epoch
    frozen: str | None = None  # what the search tool says of itself, where that was fixed at the start

    def description(self) -> str:
        """Return what the search tool says of itself."""
        if self.frozen is not None:
            return self.frozen
        return search_tool_description(cards_of(hooks_of(self.session)), self.session.mode)

    def definition(self, name: str) -> Tool | None:
        """Return a tool of the session, hidden or not; None when it has none of that name."""
        if name == SEARCH_TOOL_NAME and self.session.is_enabled:
            return search_tool(self.description())
        return self.session.tool(name)

    def use(self, name: str) -> None:
        """Take down that a tool is called, which switches it on."""
        if name in self.session.active:
            self.session.note_use([name])
        else:
            self.session.activate([name])

    def savings(self) -> Savings:
        """Return about how many tokens the definitions of the active and of the hidden tools take."""
        shown = [tool for tool in map(self.session.tool, self.session.active) if tool is not None]
        hidden = [tool for card in self.session.discoverable() if (tool := self.session.tool(card.name)) is not None]
        return Savings(total_tokens(shown), total_tokens(hidden))


@dataclass(frozen=True, slots=True)
class SessionView:
    """A session at one moment."""

    id: str
    mode: DiscoveryMode
    active: tuple[str, ...]
    selected: tuple[str, ...]
    discoverable: int
    registered: int
    catalogues: Mapping[str, int]  # name to version
    tokens: Savings | None = None  # where they are counted


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a session sees a tool or does not."""

    name: str
    state: str  # "active", "discoverable", "switched-off", "withheld" or "not-in-session"
    reasons: tuple[str, ...]
    catalogues: tuple[str, ...]  # that have the name; the first one counts


def write_record(opened: OpenSession) -> str:
    """Return what is kept of a session."""
    request = opened.request
    record = {
        "options": request.options,
        "start": request.start,
        "catalogues": request.catalogues,
        "servers_only": request.servers_only,
        "selection": opened.session.selection(),
        "frozen": opened.frozen,
    }
    return orjson.dumps(record).decode()


def read_record(text: str) -> tuple[SessionRequest, Selection, str | None]:
    """Return what a session was made with, what it had selected, and its fixed description."""
    record = orjson.loads(text)
    options, start, kept = record["options"], record["start"], record["selection"]
    request = SessionRequest(
        DiscoveryOptions(
            DiscoveryMode(options["mode"]),
            options["legacy_mcp"],
            tuple(options["default_servers"]),
            tuple(options["essential_override"]),
            options.get("max_active", 0),
            options.get("frozen_description", False),
        ),
        Start(
            tuple(start["explicit"]),
            None if start["restored"] is None else tuple(start["restored"]),
            tuple(start["forced"]),
        ),
        None if record["catalogues"] is None else tuple(record["catalogues"]),
        record.get("servers_only", False),
    )
    mode, *names = kept["mode"], kept["active"], kept["mcp"], kept["discovered"], kept.get("used", ())
    return request, Selection(DiscoveryMode(mode), *(tuple(each) for each in names)), record.get("frozen")


def checked(session: ToolSession, names: Sequence[str]) -> ToolSession:
    """Return a session that has all of some tools.

    :raises NotFound: when it lacks one.
    """
    for name in names:
        if session.tool(name) is None and name != SEARCH_TOOL_NAME:
            raise NotFound(f"the session has no tool {name[:80]!r}; nothing was changed", code="unknown-tool")
    return session


def with_setup(request: SessionRequest, default_servers: tuple[str, ...], essential: tuple[str, ...]) -> SessionRequest:
    """Return a request with what the user's setup of MCP servers adds to it."""
    if not default_servers and not essential:
        return request
    options = replace(
        request.options, default_servers=tuple(dict.fromkeys((*request.options.default_servers, *default_servers)))
    )
    start = replace(request.start, explicit=tuple(dict.fromkeys((*request.start.explicit, *essential))))
    return replace(request, options=options, start=start)


def explained(session: ToolSession, name: str) -> tuple[str, list[str]]:
    """Return a tool's state in a session and what it comes from."""
    if name in session.active:
        if name == SEARCH_TOOL_NAME:
            return "active", ["it is always active while discovery is on"]
        if not session.is_enabled:
            return "active", ["discovery is off in this session, so nothing is hidden"]
        if name in session.selected:
            return "active", ["it was selected: at the start, by a search or by name"]
        return "active", [f"in mode {session.mode} it is active from the start"]
    if any(card.name == name for card in session.discoverable()):
        return "discoverable", [f"mode {session.mode} hides it; search for it, or activate it by name"]
    if session.tool(name) is not None:
        return "switched-off", ["it was switched off, and searches do not find it; activate it by name"]
    if name == SEARCH_TOOL_NAME:
        return "not-in-session", ["discovery is off in this session, so there is nothing to search"]
    return "not-in-session", []
