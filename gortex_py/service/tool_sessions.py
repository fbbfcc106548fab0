"""What a tool session is made with, what is kept of it, and what it can say of a tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import orjson

from gortex_py.discovery.activation import Selection, ToolSession
from gortex_py.discovery.modes import SEARCH_TOOL_NAME, DiscoveryMode, DiscoveryOptions, Start


@dataclass(frozen=True, slots=True)
class SessionRequest:
    """What a session is made with."""

    options: DiscoveryOptions = field(default_factory=DiscoveryOptions)
    start: Start = field(default_factory=Start)
    catalogues: tuple[str, ...] | None = None  # all when None, those that come later too


@dataclass(slots=True)
class OpenSession:
    """A session with what it was made with."""

    request: SessionRequest
    session: ToolSession
    last_used: float  # seconds since the epoch


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


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a session sees a tool or does not."""

    name: str
    state: str  # "active", "discoverable", "switched-off" or "not-in-session"
    reasons: tuple[str, ...]
    catalogues: tuple[str, ...]  # that have the name; the first one counts


def write_record(opened: OpenSession) -> str:
    """Return what is kept of a session."""
    request, kept = opened.request, opened.session.selection()
    return orjson.dumps(
        {"options": request.options, "start": request.start, "catalogues": request.catalogues, "selection": kept}
    ).decode()


def read_record(text: str) -> tuple[SessionRequest, Selection]:
    """Return what a session was made with and what it had selected."""
    record = orjson.loads(text)
    options, start, kept = record["options"], record["start"], record["selection"]
    request = SessionRequest(
        DiscoveryOptions(
            DiscoveryMode(options["mode"]),
            options["legacy_mcp"],
            tuple(options["default_servers"]),
            tuple(options["essential_override"]),
        ),
        Start(
            tuple(start["explicit"]),
            None if start["restored"] is None else tuple(start["restored"]),
            tuple(start["forced"]),
        ),
        None if record["catalogues"] is None else tuple(record["catalogues"]),
    )
    mode, *names = kept["mode"], kept["active"], kept["mcp"], kept["discovered"]
    return request, Selection(DiscoveryMode(mode), *(tuple(each) for each in names))


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
