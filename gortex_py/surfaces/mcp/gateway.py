"""The MCP server that shows few tools: what is active, a search for the rest, and ways to read and call what is hidden.

In the handshake era a connection has a session of its own, so its list of tools grows with what its searches
find. In the modern era a list must not depend on who asked what: it is constant, and a handle that the search
gives out stands for the session.
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING, Any

from gortex_py import __version__
from gortex_py.discovery.modes import SEARCH_TOOL_NAME, DiscoveryMode
from gortex_py.errors import GortexError, NotFound, UsageError
from gortex_py.service.tool_results import failed_result
from gortex_py.surfaces.mcp.backend import ToolBackend
from gortex_py.surfaces.mcp.meta_tools import CALL_TOOL, DESCRIBE_TOOL, HANDLE, with_meta_tools
from gortex_py.types import JsonObject

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

logger = logging.getLogger(__name__)

MODES = tuple(mode.value for mode in DiscoveryMode)
INSTRUCTIONS = (
    f"Most tools are hidden. Ask {SEARCH_TOOL_NAME} for what the task needs; what it finds becomes active. "
    f"Where a new tool does not appear in the list of tools, read it with {DESCRIBE_TOOL} and call it with {CALL_TOOL}."
)
_STATE_KEY = "gortex-session"
_LOCK_KEY = "gortex-lock"


class Gateway:
    """Answers one MCP server's requests from a backend. Everything happens on the loop that the server runs on."""

    def __init__(self, backend: ToolBackend, mode: str | None = None) -> None:
        """Take a backend.

        :param mode: what is hidden, where the client's address does not say; as set when None.
        """
        from mcp.server.subscriptions import InMemorySubscriptionBus

        self._backend = backend
        self._mode = mode
        self._connections: dict[str, Any] = {}  # session id -> connection
        self._shared: dict[str, str] = {}  # what for and mode -> session id, of the modern era
        self._sharing = asyncio.Lock()
        self._bus = InMemorySubscriptionBus()
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._unsubscribe = backend.listen(self._heed)

    def close(self) -> None:
        """Listen no more."""
        self._unsubscribe()

    async def forget(self) -> None:
        """Close the sessions that no connection has, and listen no more."""
        self.close()
        for session_id in (*self._shared.values(), *self._connections):
            await self._backend.close_session(session_id)

    def server(self) -> Server[Any]:
        """Return the server to run."""
        from mcp.server.lowlevel import NotificationOptions, Server
        from mcp.server.models import InitializationOptions
        from mcp.server.subscriptions import ListenHandler

        class Announcing(Server[Any]):
            """Says that its tools can change; clients that are not told so never list them again."""

            def create_initialization_options(self, *args: Any, **kwargs: Any) -> InitializationOptions:
                """Return what the handshake answers."""
                return super().create_initialization_options(NotificationOptions(tools_changed=True))

        return Announcing(
            "gortex",
            version=__version__,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_subscriptions_listen=ListenHandler(self._bus),
        )

    # --- requests ---------------------------------------------------------------------------

    async def _list_tools(self, ctx: Any, _: Any) -> Any:
        from mcp_types import ListToolsResult

        if _is_modern(ctx):
            tools = await self._backend.active_tools(await self._shared_session("list", ctx))
        else:
            tools = await self._backend.active_tools(await self._session(ctx))
        return ListToolsResult.model_validate({"tools": with_meta_tools(tools, is_modern=_is_modern(ctx))})

    async def _call_tool(self, ctx: Any, params: Any) -> Any:
        from mcp_types import CallToolResult

        try:
            result = await self._answer(ctx, params.name, dict(params.arguments or {}))
        except GortexError as error:
            result = failed_result(error.message)
        return CallToolResult.model_validate(result, by_name=False)

    async def _answer(self, ctx: Any, name: str, arguments: JsonObject) -> JsonObject:
        if name in (SEARCH_TOOL_NAME, DESCRIBE_TOOL, CALL_TOOL):
            handle = arguments.pop(HANDLE, None)
            session_id = await self._session_of(ctx, handle, mints=name == SEARCH_TOOL_NAME)
            if name == SEARCH_TOOL_NAME:
                return await self._search(ctx, session_id, arguments)
            target = arguments.get("name")
            if not isinstance(target, str) or not target:
                raise UsageError("name is missing: which tool is meant?")
            if name == DESCRIBE_TOOL:
                definition = await self._backend.definition(session_id, target)
                return {"content": [{"type": "text", "text": json.dumps(definition, ensure_ascii=False)}]}
            passed = arguments.get("arguments", {})
            if not isinstance(passed, dict):
                raise UsageError("arguments must be an object")
            return await self._called(ctx, session_id, target, passed)
        return await self._called(ctx, await self._session_of(ctx, None, mints=False), name, arguments)

    async def _search(self, ctx: Any, session_id: str, arguments: JsonObject) -> JsonObject:
        is_modern = _is_modern(ctx)
        details = await self._backend.search(
            session_id, arguments.get("query"), arguments.get("limit"), signatures=is_modern
        )
        content = [{"type": "text", "text": str(details.pop("content"))}]
        signatures = [tool["signature"] for tool in details["tools"] if "signature" in tool]
        more: JsonObject = {HANDLE: session_id} if is_modern else {}
        if signatures:
            more["tools"] = signatures
        if details.get("servers"):
            more["servers"] = details["servers"]
        if more:
            content.append({"type": "text", "text": json.dumps(more, ensure_ascii=False)})
        if details["activated_tools"]:
            await self._tell(ctx)
        return {"content": content, "structuredContent": {**details, **({HANDLE: session_id} if is_modern else {})}}

    async def _called(self, ctx: Any, session_id: str, name: str, arguments: JsonObject) -> JsonObject:
        return await self._backend.call(session_id, name, arguments)

    # --- sessions ---------------------------------------------------------------------------

    async def _session_of(self, ctx: Any, handle: object, *, mints: bool) -> str:
        if handle is not None:
            if not isinstance(handle, str):
                raise UsageError(f"{HANDLE} must be text, as the search gave it")
            return handle
        if not _is_modern(ctx):
            return await self._session(ctx)
        return await self._opened(ctx) if mints else await self._shared_session("calls", ctx)

    async def _session(self, ctx: Any) -> str:
        """Return the session of a connection, begun with its first request."""
        connection = _connection(ctx)
        async with connection.state.setdefault(_LOCK_KEY, asyncio.Lock()):
            known: str | None = connection.state.get(_STATE_KEY)
            if known is None or not await self._is_there(known):
                known = await self._opened(ctx)
                connection.state[_STATE_KEY] = known
                self._connections[known] = connection
                connection.exit_stack.push_async_callback(self._end, known)
            return known

    async def _end(self, session_id: str) -> None:
        self._connections.pop(session_id, None)
        await self._backend.close_session(session_id)

    async def _shared_session(self, purpose: str, ctx: Any) -> str:
        """Return a session that all of the modern era share: one that nothing changes, one that calls change."""
        key = f"{purpose}:{self._asked_mode(ctx)}"
        async with self._sharing:
            known = self._shared.get(key)
            if known is None or not await self._is_there(known):
                self._shared[key] = known = await self._opened(ctx)
            return known

    async def _opened(self, ctx: Any) -> str:
        return await self._backend.open_session(self._asked_mode(ctx))

    def _asked_mode(self, ctx: Any) -> str | None:
        """Return what is hidden: as the client's address says, which is fixed as long as it is connected."""
        asked = ctx.request.query_params.get("mode") if ctx.request is not None else None
        return asked if asked in MODES else self._mode

    async def _is_there(self, session_id: str) -> bool:
        try:
            await self._backend.active_tools(session_id)
        except NotFound:
            self._connections.pop(session_id, None)
            return False
        return True

    # --- changes ----------------------------------------------------------------------------

    def _heed(self, session_id: str) -> None:
        """Take word of a change, from any thread."""
        try:
            self._loop.call_soon_threadsafe(self._announce, session_id)
        except RuntimeError:
            logger.debug("the loop of the gateway has ended")

    def _announce(self, session_id: str) -> None:
        if session_id in self._connections:
            self._begin(self._connections[session_id].send_tool_list_changed())
        elif any(each == session_id and key.startswith("list:") for key, each in self._shared.items()):
            from mcp.server.subscriptions import ToolsListChanged

            self._begin(self._bus.publish(ToolsListChanged()))

    def _begin(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell(self, ctx: Any) -> None:
        """Tell the client on the stream of its own request, too: it may have no other open."""
        if _is_modern(ctx):
            return
        from mcp_types import ToolListChangedNotification

        await ctx.session.send_notification(ToolListChangedNotification(), related_request_id=ctx.request_id)


def _is_modern(ctx: Any) -> bool:
    from mcp_types.version import MODERN_PROTOCOL_VERSIONS

    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def _connection(ctx: Any) -> Any:
    # The SDK hands handlers a session a request; what lasts as long as the client is the connection behind it.
    return ctx.session._connection
