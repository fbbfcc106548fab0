"""The tool desk of the daemon: catalogues and sessions, kept on disk, changed under one lock, told to listeners."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from gortex_py.discovery.activation import ToolSession
from gortex_py.discovery.catalog import Tool
from gortex_py.discovery.modes import SEARCH_TOOL_NAME
from gortex_py.discovery.search_tool import Found, hooks_of, rank_tools, search_tools, with_signatures
from gortex_py.discovery.shapes import MAX_TOOLS
from gortex_py.errors import Conflict, NotFound, UsageError
from gortex_py.service.events import EventBus
from gortex_py.service.tool_catalogues import Catalogue, CatalogueChange, CatalogueShelf, Scope, read_checked
from gortex_py.service.tool_options import SearchOptions, ToolOptions
from gortex_py.service.tool_policy import server_of
from gortex_py.service.tool_servers import ServerDesk, Shared
from gortex_py.service.tool_sessions import (
    Explanation,
    OpenSession,
    SessionRequest,
    SessionView,
    checked,
    explained,
    read_record,
    with_setup,
    write_record,
)
from gortex_py.settings.mcp_servers import ServerList
from gortex_py.store.tools import StoredSession, ToolStore
from gortex_py.types import JsonObject

logger = logging.getLogger(__name__)

T = TypeVar("T")

DATABASE_NAME = "tools.db"
CHANGED_EVENT = "tools-changed"
MAX_SHOWN = 80
MAX_SESSIONS = 200  # beyond, the one unused for longest is forgotten
EVERYTHING = Scope()


class ToolDesk:
    """Catalogues and sessions. Every method may be called from any thread; the database is opened by the first."""

    def __init__(
        self,
        path: Path,
        events: EventBus,
        *,
        clock: Callable[[], float] = time.time,
        options: ToolOptions | None = None,
        load_servers: Callable[[], ServerList] = ServerList,
    ) -> None:
        """Open and start nothing yet.

        :param load_servers: reads the MCP servers that the user has set up.
        """
        self.options = options or ToolOptions()
        self._path = path
        self._events = events
        self._clock = clock
        self._lock = threading.RLock()
        self._opened: ToolStore | None = None
        self._shelf = CatalogueShelf(is_deep=self.options.deep_search)
        self._sessions: dict[str, OpenSession] = {}
        shared = Shared(self._lock, self._shelf, self._store, self._refresh_sessions, events)
        self.servers = ServerDesk(self.options, load_servers, shared)

    def close(self) -> None:
        """Stop the MCP servers for good and close the database; a later call opens that again."""
        self.servers.close()
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    # --- catalogues -------------------------------------------------------------------------

    def catalogues(self) -> list[Catalogue]:
        """Return the catalogues by name."""
        with self._lock:
            self._store()
            return self._shelf.all()

    def catalogue(self, name: str) -> Catalogue:
        """Return a catalogue.

        :raises NotFound: when there is none of that name.
        """
        with self._lock:
            self._store()
            return self._shelf.get(name)

    def put_catalogue(
        self, name: str, body: object, *, server: str | None = None, strict: bool = False, merge: bool = False
    ) -> CatalogueChange:
        """Put a catalogue in the place of what had its name; sessions follow at once.

        :param server: the MCP server that items of the MCP shape belong to; the catalogue's name when None.
        :param strict: change nothing when one item cannot be taken.
        :param merge: put the tools into what is there, instead of in its place.
        :raises UsageError: when the body holds no list of tools, or too long a one; when strict, for a bad item.
        """
        read = read_checked(body, server=server or name, strict=strict)
        with self._lock:
            store = self._store()
            before = self._shelf.find(name)
            if merge:
                read = self._shelf.merged(name, read)
                if len(read.tools) > MAX_TOOLS:
                    raise UsageError(f"a catalogue has at most {MAX_TOOLS} tools", code="bad-catalogue")
            change = self._shelf.put(store, name, read)
            if before is None or before.version != change.catalogue.version:
                self._refresh_sessions(store)
            return change

    def delete_catalogue(self, name: str) -> Catalogue:
        """Delete a catalogue. What sessions selected of it comes back when it does.

        :raises NotFound: when there is none of that name.
        :raises Conflict: when it holds the tools of an MCP server.
        """
        with self._lock:
            store = self._store()
            if server_of(name) is not None and self._shelf.find(name) is not None:
                raise Conflict(f"{name} holds the tools of an MCP server; take it out of the setup instead")
            gone = self._shelf.delete(store, name)
            self._refresh_sessions(store)
            return gone

    def rank(
        self, name: str | None, query: str | None, limit: object = None, *, options: SearchOptions | None = None
    ) -> Found:
        """Rank a whole catalogue, all that can be used when None; nothing is activated.

        :raises NotFound: when there is none of that name.
        :raises UsageError: for a bad query or limit.
        """
        options = options or self.options.search
        with self._lock:
            scope = EVERYTHING if name is None else Scope((self.catalogue(name).name,))
            tools = self._shelf.registry(scope)
            index = tools.whole_index
        found = rank_tools(index, query, limit, narrowing=options.narrowing)
        return with_signatures(found, tools.get) if options.compact_signatures else found

    def usable(self) -> list[tuple[str, Tool]]:
        """Return each tool that can be used with the catalogue that it comes from."""
        with self._lock:
            self._store()
            registry = self._shelf.registry(EVERYTHING)
            return [(self._shelf.origin(EVERYTHING, name) or "", tool) for name, tool in registry.items()]

    # --- sessions ---------------------------------------------------------------------------

    def open_session(self, request: SessionRequest) -> SessionView:
        """Begin a session.

        :raises NotFound: when a catalogue it names is not there.
        """
        with self._lock:
            store = self._store()
            for name in request.catalogues or ():
                self.catalogue(name)
            while len(self._sessions) >= MAX_SESSIONS:
                oldest = min(self._sessions, key=lambda key: self._sessions[key].last_used)
                logger.warning("%d tool sessions are open; %s, unused for longest, is forgotten", MAX_SESSIONS, oldest)
                self._drop(store, oldest)
            session_id = uuid.uuid4().hex
            policy = self.servers.policy
            request = with_setup(request, policy.default_servers(), policy.essential_tools())
            session = ToolSession(self._shelf.registry(request.scope), request.options, request.start)
            opened = OpenSession(request, session, self._clock())
            if request.options.frozen_description:
                opened.frozen = opened.description()
            self._sessions[session_id] = opened
            self._keep(store, session_id)
            if request.servers_only:
                self.servers.refresh_unknown()
            return self._view(session_id)

    def session(self, session_id: str) -> SessionView:
        """Return a session as it is now.

        :raises NotFound: when there is none of that id; so do all methods that take one.
        """
        with self._lock:
            self._used(session_id)
            return self._view(session_id)

    def sessions(self) -> list[SessionView]:
        """Return the sessions, the one used last first."""
        with self._lock:
            self._store()
            ids = sorted(self._sessions, key=lambda key: (-self._sessions[key].last_used, key))
            return [self._view(session_id) for session_id in ids]

    def close_session(self, session_id: str) -> SessionView:
        """Forget a session; returns what it was."""
        with self._lock:
            store = self._store()
            view = self.session(session_id)
            self._drop(store, session_id)
            return view

    def search(
        self, session_id: str, query: str | None, limit: object = None, *, options: SearchOptions | None = None
    ) -> Found:
        """Find hidden tools of a session and activate the best.

        :param options: how; as the settings say when None.
        :raises Conflict: when discovery is off in the session.
        :raises UsageError: for a bad query or limit.
        """
        options = options or self.options.search

        def run(session: ToolSession) -> Found:
            found = search_tools(
                hooks_of(session), query, limit, narrowing=options.narrowing, activate=options.activate
            )
            return with_signatures(found, session.tool) if options.compact_signatures else found

        return self._change(session_id, run)

    def call(self, session_id: str, name: str, arguments: JsonObject) -> Future[JsonObject]:
        """Call a tool of an MCP server, hidden or not; a hidden one is active from then on.

        :raises NotFound: when the session has no such tool.
        :raises Conflict: when it is withheld, or its catalogue was posted: gortex cannot call it then.
        """
        with self._lock:
            opened = self._used(session_id)
            tool = opened.session.tool(name)
            if tool is None:
                raise self._shelf.missing(opened.request.scope, name)
            server = server_of(self._shelf.origin(opened.request.scope, name) or "")
            if server is None:
                raise Conflict(f"{name} is in a posted catalogue, and no MCP server is behind it", code="not-callable")
            self._change(session_id, lambda _: opened.use(name))
            return self.servers.call(server, tool, arguments)

    def activate(self, session_id: str, names: Sequence[str]) -> tuple[str, ...]:
        """Switch tools on; returns those that are on now by it.

        :raises NotFound: when one is not registered in the session; nothing is changed then.
        """
        return self._change(session_id, lambda session: checked(session, names).activate(names))

    def deactivate(self, session_id: str, names: Sequence[str]) -> tuple[str, ...]:
        """Switch tools off; returns those that were on.

        :raises NotFound: when one is not registered in the session; nothing is changed then.
        """
        return self._change(session_id, lambda session: checked(session, names).deactivate(names))

    def reset(self, session_id: str) -> None:
        """Go back to what the session began with."""
        self._change(session_id, ToolSession.reset)

    def description(self, session_id: str) -> str:
        """Return what the search tool says of itself in this session at this moment."""
        with self._lock:
            return self._used(session_id).description()

    def definition(self, session_id: str, name: str) -> Tool:
        """Return one tool of a session, hidden or not.

        :raises NotFound: when the session has no such tool.
        :raises Conflict: when it is withheld.
        """
        with self._lock:
            opened = self._used(session_id)
            found = opened.definition(name)
            if found is None:
                raise self._shelf.missing(opened.request.scope, name)
            return found

    def tools(self, session_id: str, state: str) -> list[Tool]:
        """Return the tools of a session that are ``active``, ``selected`` or ``discoverable``, in their order."""
        with self._lock:
            opened = self._used(session_id)
            session = opened.session
            if state == "discoverable":
                names: Iterable[str] = (card.name for card in session.discoverable())
            else:
                names = session.selected if state == "selected" else session.active
            return [tool for tool in (opened.definition(name) for name in names) if tool is not None]

    def explain(self, session_id: str, name: str) -> Explanation:
        """Say why a session sees a tool or does not.

        :raises NotFound: when no catalogue has it.
        """
        with self._lock:
            opened = self._used(session_id)
            held = self._shelf.holders(name)
            if not held and name != SEARCH_TOOL_NAME:
                raise NotFound(f"no catalogue has a tool {name[:MAX_SHOWN]!r}", code="unknown-tool")
            within = [each.name for each in self._shelf.chosen(opened.request.scope)]
            owners = [each for each in within if each in held]
            state, reasons = explained(opened.session, name)
            if state == "not-in-session" and owners:
                return Explanation(name, "withheld", (held[owners[0]] or "",), tuple(owners))
            if len(owners) > 1:
                counts = self._shelf.origin(opened.request.scope, name)
                reasons.append(f"the name is in several catalogues; the tool of {counts!r} is the one that counts")
            elif held and not owners:
                reasons = [f"it is in {next(iter(held))!r}, which is not one of the session's catalogues"]
            reasons += self.servers.trouble_of(next(iter(owners), ""))
            return Explanation(name, state, tuple(reasons), tuple(owners or held))

    # --- inside -----------------------------------------------------------------------------

    def _store(self) -> ToolStore:
        """Return the open database; what it holds is in memory then."""
        if self._opened is None:
            store = ToolStore.open(self._path)
            self._opened = store
            self._shelf.load(store)
            self.servers.begin(store)
            self._sessions = {}
            for kept in store.sessions():
                self._sessions[kept.id] = self._reopened(kept)
        return self._opened

    def _reopened(self, kept: StoredSession) -> OpenSession:
        request, selection, frozen = read_record(kept.record)
        session = ToolSession(self._shelf.registry(request.scope), request.options, request.start)
        session.restore(selection)
        return OpenSession(request, session, kept.last_used, frozen)

    def _change(self, session_id: str, run: Callable[[ToolSession], T]) -> T:
        """Change a session; what it is then is on disk, and told, before this returns."""
        with self._lock:
            store = self._store()
            session = self._used(session_id).session
            before = session.selection()
            result = run(session)
            if session.selection() != before:
                self._keep(store, session_id)
            if session.active != before.active:
                self._tell(session_id)
            return result

    def _used(self, session_id: str) -> OpenSession:
        self._store()
        opened = self._sessions.get(session_id)
        if opened is None:
            raise NotFound(f"no tool session {session_id[:MAX_SHOWN]!r}", code="unknown-session")
        opened.last_used = self._clock()
        return opened

    def _keep(self, store: ToolStore, *ids: str) -> None:
        kept = [(session_id, self._sessions[session_id]) for session_id in ids]
        store.put_sessions([StoredSession(key, write_record(each), each.last_used) for key, each in kept])

    def _drop(self, store: ToolStore, session_id: str) -> None:
        store.delete_session(session_id)
        del self._sessions[session_id]

    def _refresh_sessions(self, store: ToolStore) -> None:
        changed = [
            session_id
            for session_id, opened in self._sessions.items()
            if opened.session.refresh(self._shelf.registry(opened.request.scope))
        ]
        # A mode that was judged anew is kept as well.
        self._keep(store, *self._sessions)
        for session_id in changed:
            self._tell(session_id)

    def _tell(self, session_id: str) -> None:
        active = list(self._sessions[session_id].session.active)
        self._events.publish(CHANGED_EVENT, session=session_id, active=active)

    def _view(self, session_id: str) -> SessionView:
        opened = self._sessions[session_id]
        session = opened.session
        return SessionView(
            id=session_id,
            mode=session.mode,
            active=session.active,
            selected=session.selected,
            discoverable=len(session.discoverable()),
            registered=session.registered,
            catalogues={each.name: each.version for each in self._shelf.chosen(opened.request.scope)},
            tokens=opened.savings() if self.options.count_tokens else None,
        )
