from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gortex_py.discovery.modes import DiscoveryMode, DiscoveryOptions, Start
from gortex_py.errors import Conflict, NotFound
from gortex_py.service.events import Event, EventBus
from gortex_py.service.tool_options import SearchOptions
from gortex_py.service.tool_sessions import SessionRequest
from gortex_py.service.tools import MAX_SESSIONS, ToolDesk

Desk = Callable[[], ToolDesk]
MCP_ONLY = SessionRequest(DiscoveryOptions(DiscoveryMode.MCP_ONLY))
ALL = SessionRequest(DiscoveryOptions(DiscoveryMode.ALL))


def listing(*names: str) -> dict[str, Any]:
    return {"tools": [{"name": name, "description": f"does {name}", "inputSchema": {}} for name in names]}


class Told:
    """Listens, and remembers."""

    def __init__(self) -> None:
        self.bus = EventBus()
        self.events: list[Event] = []
        self.bus.subscribe(self.events.append)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def make(tmp_path: Path, told: Told) -> Iterator[Desk]:
    made: list[ToolDesk] = []
    ticks = iter(range(100_000))

    def build() -> ToolDesk:
        made.append(ToolDesk(tmp_path / "tools.db", told.bus, clock=lambda: float(next(ticks))))
        return made[-1]

    yield build
    for desk in made:
        desk.close()


def test_putting_a_catalogue_answers_with_what_changed(make: Desk) -> None:
    desk = make()
    first = desk.put_catalogue("git", listing("log", "diff"))
    assert (first.added, first.catalogue.version) == (("mcp__git_log", "mcp__git_diff"), 1)
    same = desk.put_catalogue("git", listing("log", "diff"))
    assert (same.unchanged, same.catalogue.version) == (2, 1)
    body = listing("log", "blame")
    body["tools"][0]["description"] = "shows the history"
    other = desk.put_catalogue("git", body)
    assert (other.added, other.changed, other.removed, other.catalogue.version) == (
        ("mcp__git_blame",),
        ("mcp__git_log",),
        ("mcp__git_diff",),
        2,
    )


def test_everything_is_as_it_was_after_a_restart(make: Desk) -> None:
    desk = make()
    desk.put_catalogue("git", listing("log", "diff"))
    desk.put_catalogue("mine", [{"name": "find", "summary": "finds"}, {"name": "hop", "load_mode": None}])
    one, other = desk.open_session(ALL).id, desk.open_session(MCP_ONLY).id
    desk.search(one, "diff", 1)
    desk.activate(one, ["find"])
    desk.activate(other, ["mcp__git_log"])
    desk.deactivate(other, ["hop"])
    before = [desk.session(one), desk.session(other)]
    again = make()  # the first is not closed: killed
    assert [again.session(one), again.session(other)] == before
    assert again.catalogues() == desk.catalogues()
    assert before[0].selected == ("mcp__git_diff", "find")
    assert again.put_catalogue("git", listing("log", "diff")).catalogue.version == 1


def test_a_selection_comes_back_with_its_catalogue(make: Desk, told: Told) -> None:
    desk = make()
    desk.put_catalogue("git", listing("log", "diff"))
    session = desk.open_session(MCP_ONLY).id
    desk.activate(session, ["mcp__git_log"])
    desk.delete_catalogue("git")
    assert desk.session(session).selected == ()
    again = make()
    again.put_catalogue("git", listing("log", "diff"))
    assert again.session(session).selected == ("mcp__git_log",)
    assert [event.data["active"][-1:] for event in told.events] == [
        ["mcp__git_log"],
        ["search_tool_bm25"],
        ["mcp__git_log"],
    ]


def test_a_changed_tool_is_found_by_what_it_says_now(make: Desk) -> None:
    desk = make()
    desk.put_catalogue("git", listing("log"))
    session = desk.open_session(MCP_ONLY).id
    assert desk.search(session, "weather").matches == ()
    body = listing("log")
    body["tools"][0]["description"] = "tells the weather"
    desk.put_catalogue("git", body)
    assert [match.card.name for match in desk.search(session, "weather").matches] == ["mcp__git_log"]


def test_a_search_changes_its_own_session_alone(make: Desk, told: Told) -> None:
    desk = make()
    desk.put_catalogue("git", listing("log", "diff"))
    one, other = desk.open_session(MCP_ONLY).id, desk.open_session(MCP_ONLY).id
    desk.search(one, "log")
    desk.search(one, "diff", options=SearchOptions(activate=False))
    assert desk.session(one).selected == ("mcp__git_log",)
    assert desk.session(other).selected == ()
    assert [(event.name, event.data["session"]) for event in told.events] == [("tools-changed", one)]


def test_ranking_a_catalogue_needs_no_session(make: Desk) -> None:
    desk = make()
    desk.put_catalogue("git", listing("log", "diff"))
    assert [match.card.name for match in desk.rank("git", "log").matches] == ["mcp__git_log"]
    desk.put_catalogue("git", listing("show"))
    assert desk.rank("git", "log").matches == ()


def test_late_tools_switch_discovery_on(make: Desk) -> None:
    desk = make()
    session = desk.open_session(SessionRequest()).id
    assert desk.session(session).mode is DiscoveryMode.OFF
    with pytest.raises(Conflict, match="Tool discovery is disabled"):
        desk.search(session, "x")
    desk.put_catalogue("many", listing(*(f"t{i}" for i in range(41))))
    assert desk.session(session).mode is DiscoveryMode.MCP_ONLY
    assert make().session(session).mode is DiscoveryMode.MCP_ONLY


def test_a_session_may_see_some_catalogues_alone(make: Desk) -> None:
    desk = make()
    desk.put_catalogue("a", [{"name": "x"}])
    desk.put_catalogue("b", [{"name": "y"}])
    view = desk.open_session(SessionRequest(catalogues=("a",)))
    assert (view.active, view.catalogues) == (("x",), {"a": 1})
    assert desk.explain(view.id, "y").state == "not-in-session"
    with pytest.raises(NotFound, match="no catalogue named"):
        desk.open_session(SessionRequest(catalogues=("c",)))


def test_explaining_says_why(make: Desk) -> None:
    desk = make()
    desk.put_catalogue("a", [{"name": "x"}, {"name": "always", "load_mode": "essential"}])
    desk.put_catalogue("b", [{"name": "x"}])
    session = desk.open_session(ALL).id
    hidden = desk.explain(session, "x")
    assert (hidden.state, hidden.catalogues) == ("discoverable", ("a", "b"))
    assert "several catalogues" in hidden.reasons[-1]
    assert desk.explain(session, "always").state == "active"
    desk.deactivate(session, ["always"])
    assert desk.explain(session, "always").state == "switched-off"
    assert desk.explain(session, "search_tool_bm25").state == "active"
    with pytest.raises(NotFound, match="no catalogue has a tool"):
        desk.explain(session, "nobody")


def test_an_unknown_name_changes_nothing(make: Desk) -> None:
    desk = make()
    desk.put_catalogue("git", listing("log"))
    session = desk.open_session(MCP_ONLY).id
    for change in (desk.activate, desk.deactivate):
        with pytest.raises(NotFound, match="has no tool 'nobody'"):
            change(session, ["mcp__git_log", "nobody"])
    assert desk.session(session).selected == ()
    with pytest.raises(NotFound, match="no tool session"):
        desk.session("nobody")


def test_definitions_include_the_search_tool_with_its_live_text(make: Desk) -> None:
    desk = make()
    desk.put_catalogue("git", listing("log", "diff"))
    session = desk.open_session(MCP_ONLY).id
    (search,) = desk.tools(session, "active")
    assert "git (2 tools)" in search.description
    assert desk.description(session) == search.description
    desk.activate(session, ["mcp__git_log"])
    assert [tool.name for tool in desk.tools(session, "active")] == ["search_tool_bm25", "mcp__git_log"]
    assert [tool.name for tool in desk.tools(session, "selected")] == ["mcp__git_log"]
    assert [tool.name for tool in desk.tools(session, "discoverable")] == ["mcp__git_diff"]
    desk.reset(session)
    assert desk.session(session).selected == ()


def test_the_session_unused_for_longest_makes_room(make: Desk) -> None:
    desk = make()
    first, second = desk.open_session(SessionRequest()).id, desk.open_session(SessionRequest()).id
    for _ in range(MAX_SESSIONS - 2):
        desk.open_session(SessionRequest())
    desk.session(first)
    desk.open_session(SessionRequest())
    assert len(desk.sessions()) == MAX_SESSIONS
    assert desk.session(first).id == first
    with pytest.raises(NotFound):
        desk.session(second)
    assert desk.close_session(first).id == first
    assert len(make().sessions()) == MAX_SESSIONS - 1


def test_what_a_session_begins_with_is_kept(make: Desk) -> None:
    desk = make()
    desk.put_catalogue("git", listing("log", "diff"))
    options = DiscoveryOptions(DiscoveryMode.MCP_ONLY, default_servers=("git",))
    session = desk.open_session(SessionRequest(options, Start(explicit=("mcp__git_log",), restored=()))).id
    again = make()
    again.activate(session, ["mcp__git_diff"])
    again.reset(session)
    assert again.session(session).selected == ("mcp__git_log",)
