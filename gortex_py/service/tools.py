"""Tool catalogues and sessions of the daemon: kept on disk, changed under one lock, told to listeners."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import orjson

from gortex_py.discovery.activation import ToolSession
from gortex_py.discovery.bm25plus import ToolIndex
from gortex_py.discovery.catalog import Tool
from gortex_py.discovery.description import search_tool, search_tool_description
from gortex_py.discovery.modes import SEARCH_TOOL_NAME
from gortex_py.discovery.search_tool import Found, cards_of, hooks_of, rank_tools, search_tools
from gortex_py.discovery.shapes import ItemError, read_catalogue, write_tool
from gortex_py.errors import NotFound
from gortex_py.service.events import EventBus
from gortex_py.service.tool_sessions import (
    Explanation,
    OpenSession,
    SessionRequest,
    SessionView,
    explained,
    read_record,
    write_record,
)
from gortex_py.store.tools import StoredCatalogue, StoredSession, ToolStore

logger = logging.getLogger(__name__)

T = TypeVar("T")

DATABASE_NAME = "tools.db"
CHANGED_EVENT = "tools-changed"
MAX_SHOWN = 80
MAX_SESSIONS = 200  # beyond, the one unused for longest is forgotten


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A catalogue as it is now."""

    name: str
    version: int  # counts the changes of content
    digest: str
    tools: tuple[Tool, ...]


@dataclass(frozen=True, slots=True)
class CatalogueChange:
    """What putting a catalogue changed; names in the order of the catalogue."""

    catalogue: Catalogue
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int
    errors: tuple[ItemError, ...]


class ToolDesk:
    """Catalogues and sessions. Every method may be called from any thread; the database is opened by the first."""

    def __init__(self, path: Path, events: EventBus, *, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._events = events
        self._clock = clock
        self._lock = threading.RLock()
        self._opened: ToolStore | None = None
        self._catalogues: dict[str, Catalogue] = {}
        self._sessions: dict[str, OpenSession] = {}
        self._indexes: dict[str, tuple[int, ToolIndex]] = {}

    def close(self) -> None:
        """Close the database; a later call opens it again."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    # --- catalogues -------------------------------------------------------------------------

    def catalogues(self) -> list[Catalogue]:
        """Return the catalogues by name."""
        with self._lock:
            self._store()
            return [self._catalogues[name] for name in sorted(self._catalogues)]

    def catalogue(self, name: str) -> Catalogue:
        """Return a catalogue.

        :raises NotFound: when there is none of that name.
        """
        with self._lock:
            self._store()
            found = self._catalogues.get(name)
            if found is None:
                known = ", ".join(sorted(self._catalogues)[:20]) or "none"
                raise NotFound(f"no catalogue named {name!r}; there are: {known}", code="unknown-catalogue")
            return found

    def put_catalogue(self, name: str, body: object, *, server: str | None = None) -> CatalogueChange:
        """Put a catalogue in the place of what had its name; sessions follow at once.

        :param server: the MCP server that items of the MCP shape belong to; the catalogue's name when None.
        :raises UsageError: when the body holds no list of tools.
        """
        read = read_catalogue(body, server=server or name)
        definitions = tuple(orjson.dumps(write_tool(tool)).decode() for tool in read.tools)
        digest = hashlib.sha256("\n".join(definitions).encode()).hexdigest()
        with self._lock:
            store = self._store()
            before = self._catalogues.get(name)
            known = {tool.name: tool for tool in before.tools} if before else {}
            now = {tool.name: tool for tool in read.tools}
            if before is None or before.digest != digest:
                version = before.version + 1 if before else 1
                store.put_catalogue(StoredCatalogue(name, version, digest, definitions))
                self._catalogues[name] = Catalogue(name, version, digest, read.tools)
                self._refresh_sessions(store)
            changed = tuple(each for each, tool in now.items() if each in known and known[each] != tool)
            added = tuple(each for each in now if each not in known)
            return CatalogueChange(
                catalogue=self._catalogues[name],
                added=added,
                changed=changed,
                removed=tuple(each for each in known if each not in now),
                unchanged=len(now) - len(added) - len(changed),
                errors=read.errors,
            )

    def delete_catalogue(self, name: str) -> Catalogue:
        """Delete a catalogue. What sessions selected of it comes back when it does.

        :raises NotFound: when there is none of that name.
        """
        with self._lock:
            store = self._store()
            gone = self.catalogue(name)
            store.delete_catalogue(name)
            del self._catalogues[name]
            self._indexes.pop(name, None)
            self._refresh_sessions(store)
            return gone

    def rank(self, name: str, query: str | None, limit: object = None) -> Found:
        """Rank a whole catalogue; nothing is activated.

        :raises NotFound: when there is none of that name.
        :raises UsageError: for a bad query or limit.
        """
        with self._lock:
            catalogue = self.catalogue(name)
            version, index = self._indexes.get(name, (0, None))
            if index is None or version != catalogue.version:
                index = ToolIndex([tool.card for tool in catalogue.tools])
                self._indexes[name] = (catalogue.version, index)
        return rank_tools(index, query, limit)

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
            session = ToolSession(self._registry(request), request.options, request.start)
            self._sessions[session_id] = OpenSession(request, session, self._clock())
            self._keep(store, session_id)
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

    def search(self, session_id: str, query: str | None, limit: object = None, *, activate: bool = True) -> Found:
        """Find hidden tools of a session and activate the best.

        :param activate: False to rank alone.
        :raises Conflict: when discovery is off in the session.
        :raises UsageError: for a bad query or limit.
        """

        def run(session: ToolSession) -> Found:
            if not activate and session.is_enabled:
                return rank_tools(session.index(), query, limit)
            return search_tools(hooks_of(session), query, limit)

        return self._change(session_id, run)

    def activate(self, session_id: str, names: Sequence[str]) -> tuple[str, ...]:
        """Switch tools on; returns those that are on now by it.

        :raises NotFound: when one is not registered in the session; nothing is changed then.
        """
        return self._change(session_id, lambda session: _checked(session, names).activate(names))

    def deactivate(self, session_id: str, names: Sequence[str]) -> tuple[str, ...]:
        """Switch tools off; returns those that were on.

        :raises NotFound: when one is not registered in the session; nothing is changed then.
        """
        return self._change(session_id, lambda session: _checked(session, names).deactivate(names))

    def reset(self, session_id: str) -> None:
        """Go back to what the session began with."""
        self._change(session_id, ToolSession.reset)

    def description(self, session_id: str) -> str:
        """Return what the search tool says of itself in this session at this moment."""
        with self._lock:
            session = self._used(session_id).session
            return search_tool_description(cards_of(hooks_of(session)), session.mode)

    def tools(self, session_id: str, state: str) -> list[Tool]:
        """Return the tools of a session that are ``active``, ``selected`` or ``discoverable``, in their order."""
        with self._lock:
            session = self._used(session_id).session
            if state == "discoverable":
                names: Iterable[str] = (card.name for card in session.discoverable())
            else:
                names = session.selected if state == "selected" else session.active
            return [tool for tool in (self._definition(session, name) for name in names) if tool is not None]

    def explain(self, session_id: str, name: str) -> Explanation:
        """Say why a session sees a tool or does not.

        :raises NotFound: when no catalogue has it.
        """
        with self._lock:
            opened = self._used(session_id)
            within = [catalogue.name for catalogue in self._chosen(opened.request)]
            having = [each.name for each in self.catalogues() if any(tool.name == name for tool in each.tools)]
            owners = [each for each in having if each in within]
            if not having and name != SEARCH_TOOL_NAME:
                raise NotFound(f"no catalogue has a tool {name!r}", code="unknown-tool")
            state, reasons = explained(opened.session, name)
            if len(owners) > 1:
                reasons.append(f"the name is in several catalogues; the tool of {owners[0]!r} is the one that counts")
            elif having and not owners:
                reasons = [f"it is in {having[0]!r}, which is not one of the session's catalogues"]
            return Explanation(name, state, tuple(reasons), tuple(owners or having))

    # --- inside -----------------------------------------------------------------------------

    def _store(self) -> ToolStore:
        """Return the open database; what it holds is in memory then."""
        if self._opened is None:
            store = ToolStore.open(self._path)
            self._opened = store
            self._catalogues = {each.name: _loaded(each) for each in store.catalogues()}
            self._sessions = {}
            for kept in store.sessions():
                self._sessions[kept.id] = self._reopened(kept)
        return self._opened

    def _reopened(self, kept: StoredSession) -> OpenSession:
        request, selection = read_record(kept.record)
        session = ToolSession(self._registry(request), request.options, request.start)
        session.restore(selection)
        return OpenSession(request, session, kept.last_used)

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

    def _chosen(self, request: SessionRequest) -> list[Catalogue]:
        names = sorted(self._catalogues)
        chosen = names if request.catalogues is None else [each for each in request.catalogues if each in names]
        return [self._catalogues[name] for name in chosen]

    def _registry(self, request: SessionRequest) -> dict[str, Tool]:
        registry: dict[str, Tool] = {}
        for catalogue in self._chosen(request):
            for tool in catalogue.tools:
                registry.setdefault(tool.name, tool)
        return registry

    def _refresh_sessions(self, store: ToolStore) -> None:
        changed = []
        registries: dict[tuple[str, ...] | None, dict[str, Tool]] = {}
        for session_id, opened in self._sessions.items():
            chosen = opened.request.catalogues
            if chosen not in registries:
                registries[chosen] = self._registry(opened.request)
            if opened.session.refresh(registries[chosen]):
                changed.append(session_id)
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
            catalogues={each.name: each.version for each in self._chosen(opened.request)},
        )

    @staticmethod
    def _definition(session: ToolSession, name: str) -> Tool | None:
        if name == SEARCH_TOOL_NAME:
            return search_tool(search_tool_description(cards_of(hooks_of(session)), session.mode))
        return session.tool(name)


def _checked(session: ToolSession, names: Sequence[str]) -> ToolSession:
    for name in names:
        if session.tool(name) is None and name != SEARCH_TOOL_NAME:
            raise NotFound(f"the session has no tool {name[:MAX_SHOWN]!r}; nothing was changed", code="unknown-tool")
    return session


def _loaded(stored: StoredCatalogue) -> Catalogue:
    items = [orjson.loads(text) for text in stored.definitions]
    return Catalogue(stored.name, stored.version, stored.digest, read_catalogue(items, server=stored.name).tools)
