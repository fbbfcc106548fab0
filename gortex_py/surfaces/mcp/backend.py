"""What the gateway asks of the daemon: of the one it runs in, or of one that it reaches over HTTP."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Protocol, TypeVar
from urllib.parse import quote

from gortex_py.discovery.modes import DiscoveryMode
from gortex_py.discovery.search_tool import content_of, details_of
from gortex_py.discovery.shapes import CatalogueShape, write_tool
from gortex_py.errors import GortexError, NotFound
from gortex_py.service.events import Event
from gortex_py.service.service import Service
from gortex_py.service.tool_options import SearchOptions
from gortex_py.service.tool_sessions import SessionRequest
from gortex_py.service.tools import CHANGED_EVENT
from gortex_py.surfaces.client import DaemonClient, Unreachable
from gortex_py.types import JsonObject

T = TypeVar("T")
OnChange = Callable[[str], None]

UNLISTED = ("configured", "starting")
FIRST_LISTING_S = 10.0  # a client's patience for a list of tools; what comes later is told by list-changed
POLL_S = 0.1
CALL_TIMEOUT_S = 24 * 3600.0  # the daemon knows the real one


class ToolBackend(Protocol):
    """What the gateway asks. Coroutines do not block the loop; a session that is gone raises NotFound."""

    async def open_session(self, mode: str | None) -> str:
        """Begin a session over the tools that can be called; returns its id."""

    async def close_session(self, session_id: str) -> None:
        """Forget a session; one that is gone already is no trouble."""

    async def active_tools(self, session_id: str) -> list[JsonObject]:
        """Return the active tools in the form of the protocol."""

    async def definition(self, session_id: str, name: str) -> JsonObject:
        """Return one tool, hidden or not, in the form of the protocol."""

    async def search(self, session_id: str, query: object, limit: object, *, signatures: bool) -> JsonObject:
        """Find hidden tools and switch them on; returns details with ``content``."""

    async def call(self, session_id: str, name: str, arguments: JsonObject) -> JsonObject:
        """Call a tool; returns the server's own answer."""

    def listen(self, on_change: OnChange) -> Callable[[], None]:
        """Tell of each session whose active tools changed, from any thread; returns what ends that."""


class LocalTools:
    """The tools of the daemon that this runs in."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def open_session(self, mode: str | None) -> str:
        """Begin a session; wait a while for servers that were never listed."""
        options = self._service.tools.options.discovery
        if mode is not None:
            options = replace(options, mode=DiscoveryMode(mode))
        opened = await asyncio.to_thread(self._service.tools.open_session, SessionRequest(options, servers_only=True))
        await _listed(self._unlisted)
        return opened.id

    async def close_session(self, session_id: str) -> None:
        """Forget a session."""
        with suppress(NotFound):
            await asyncio.to_thread(self._service.tools.close_session, session_id)

    async def active_tools(self, session_id: str) -> list[JsonObject]:
        """Return the active tools."""
        tools = await asyncio.to_thread(self._service.tools.tools, session_id, "active")
        return [write_tool(tool, CatalogueShape.MCP) for tool in tools]

    async def definition(self, session_id: str, name: str) -> JsonObject:
        """Return one tool."""
        found = await asyncio.to_thread(self._service.tools.definition, session_id, name)
        return write_tool(found, CatalogueShape.MCP)

    async def search(self, session_id: str, query: object, limit: object, *, signatures: bool) -> JsonObject:
        """Find hidden tools and switch them on."""
        set_so = self._service.tools.options.search
        options = SearchOptions(set_so.activate, set_so.narrowing, signatures or set_so.compact_signatures)
        text = query if isinstance(query, str) else None

        def run() -> JsonObject:
            found = self._service.tools.search(session_id, text, limit, options=options)
            troubled = self._service.tools.servers.troubled()
            servers = [{"name": each.name, "state": each.state, "error": each.error} for each in troubled]
            return {**details_of(found), "content": content_of(found), **({"servers": servers} if servers else {})}

        return await asyncio.to_thread(run)

    async def call(self, session_id: str, name: str, arguments: JsonObject) -> JsonObject:
        """Call a tool."""
        work = await asyncio.to_thread(self._service.tools.call, session_id, name, arguments)
        return await asyncio.wrap_future(work)

    def listen(self, on_change: OnChange) -> Callable[[], None]:
        """Tell of each session whose active tools changed."""

        def heed(event: Event) -> None:
            if event.name == CHANGED_EVENT:
                on_change(str(event.data["session"]))

        return self._service.events.subscribe(heed)

    async def _unlisted(self) -> bool:
        troubled = await asyncio.to_thread(self._service.tools.servers.troubled)
        return any(each.state in UNLISTED for each in troubled)


class RemoteTools:
    """The tools of a daemon that is reached over HTTP, and started again when it is gone."""

    def __init__(self, find: Callable[[], DaemonClient]) -> None:
        """Take what returns a client of the daemon, which starts one when none runs."""
        self._find = find
        self._client: DaemonClient | None = None
        self._lock = threading.Lock()

    async def open_session(self, mode: str | None) -> str:
        """Begin a session; wait a while for servers that were never listed."""
        body = {"servers_only": True, **({} if mode is None else {"mode": mode})}
        opened = await self._ask("POST", "/v1/tools/sessions", body=body)
        await _listed(self._unlisted)
        return str(opened["id"])

    async def close_session(self, session_id: str) -> None:
        """Forget a session; a daemon that is gone has nothing to be told."""
        with suppress(NotFound, Unreachable):
            client = self._client
            if client is not None:
                await asyncio.to_thread(client.request, "DELETE", _session(session_id))

    async def active_tools(self, session_id: str) -> list[JsonObject]:
        """Return the active tools."""
        answer = await self._ask("GET", f"{_session(session_id)}/tools", parameters={"form": "mcp"})
        return list(answer["tools"])

    async def definition(self, session_id: str, name: str) -> JsonObject:
        """Return one tool."""
        path = f"{_session(session_id)}/tools/{quote(name, safe='')}"
        answer = await self._ask("GET", path, parameters={"form": "mcp"})
        return dict(answer["tool"])

    async def search(self, session_id: str, query: object, limit: object, *, signatures: bool) -> JsonObject:
        """Find hidden tools and switch them on."""
        text = query if isinstance(query, str) else None
        body = {"session_id": session_id, "query": text, "limit": limit}
        return await self._ask("POST", "/v1/tools/search", body={**body, "compact_signatures": signatures or None})

    async def call(self, session_id: str, name: str, arguments: JsonObject) -> JsonObject:
        """Call a tool; the call is not sent again when the daemon goes away in the middle of it."""
        body = {"name": name, "arguments": arguments}
        return await self._ask("POST", f"{_session(session_id)}/call", body=body, timeout_s=CALL_TIMEOUT_S)

    def listen(self, on_change: OnChange) -> Callable[[], None]:
        """Tell of each session whose active tools changed, as long as the daemon runs and again after it came back."""
        is_over = threading.Event()

        def heed() -> None:
            while not is_over.is_set():
                with suppress(GortexError, OSError):  # hints alone; what is asked next says what is wrong
                    for event in self._found().events():
                        if is_over.is_set():
                            return
                        if event is not None and event.name == CHANGED_EVENT:
                            on_change(str(event.data.get("session")))
                is_over.wait(POLL_S * 10)

        threading.Thread(target=heed, name="tool-events", daemon=True).start()
        return is_over.set

    # --- inside -----------------------------------------------------------------------------

    def _found(self, stale: DaemonClient | None = None) -> DaemonClient:
        with self._lock:
            if self._client is None or self._client is stale:
                self._client = self._find()
            return self._client

    async def _ask(self, method: str, path: str, **how: Any) -> JsonObject:
        def run() -> JsonObject:
            client = self._found()
            try:
                return client.request(method, path, **how)
            except Unreachable as error:
                if path.endswith("/call") and not error.was_refused:
                    raise
                return self._found(client).request(method, path, **how)

        return await asyncio.to_thread(run)

    async def _unlisted(self) -> bool:
        answer = await self._ask("GET", "/v1/tools/servers")
        return any(each["state"] in UNLISTED and not each["tools"] for each in answer["servers"])


async def _listed(is_waiting: Callable[[], Awaitable[bool]]) -> None:
    """Wait until every server was listed or failed, for a while."""
    loop = asyncio.get_running_loop()
    limit = loop.time() + FIRST_LISTING_S
    while await is_waiting() and loop.time() < limit:
        await asyncio.sleep(POLL_S)


def _session(session_id: str) -> str:
    return f"/v1/tools/sessions/{quote(session_id, safe='')}"
