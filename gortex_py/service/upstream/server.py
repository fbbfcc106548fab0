"""The life of one MCP server: started by the first call, listed, called, stopped when idle, started again.

========== =====================================================================
configured nothing is known of its tools yet
known      its tools are known from an earlier run; it does not run
starting   a connection is being made
ready      it answers
failed     the last start or connection broke; the next call tries again
stopped    it was idle; its tools stay known
========== =====================================================================
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from gortex_py.errors import UpstreamFailed, UpstreamTimeout
from gortex_py.service.upstream.connection import Connection, connect, reason_of
from gortex_py.service.upstream.stdio import Limits
from gortex_py.settings.mcp_servers import ServerConfig
from gortex_py.types import JsonObject

logger = logging.getLogger(__name__)

SETTLE_S = 0.2  # several tools that come at once are listed once


class ServerState(StrEnum):
    """Where an MCP server stands."""

    CONFIGURED = "configured"
    KNOWN = "known"
    STARTING = "starting"
    READY = "ready"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class UpstreamOptions:
    """How patient to be with servers."""

    start_timeout_s: float = 30.0
    call_timeout_s: float = 60.0
    idle_stop_s: float = 600.0  # 0 is never
    limits: Limits = field(default_factory=Limits)


class Upstream:
    """One server. Everything but ``state``, ``error`` and ``pid`` belongs to the loop that its coroutines run on."""

    def __init__(
        self,
        config: ServerConfig,
        options: UpstreamOptions,
        *,
        on_listed: Callable[[ServerConfig, list[JsonObject]], None],
        on_state: Callable[[str], None],
        is_known: bool = False,
    ) -> None:
        """Note a server; nothing is started.

        :param on_listed: takes its tools, each time they were listed.
        :param on_state: is told that its state changed.
        :param is_known: whether its tools are known from an earlier run.
        """
        self.config = config
        self.state = ServerState.KNOWN if is_known else ServerState.CONFIGURED
        self.error: str | None = None
        self._options = options
        self._on_listed = on_listed
        self._on_state = on_state
        self._is_known = is_known
        self._connection: Connection | None = None
        self._connecting: asyncio.Task[Connection] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._relisting: asyncio.Task[None] | None = None
        self._calls = 0  # under way
        self._last_used = time.monotonic()

    @property
    def pid(self) -> int | None:
        """The process of a server that runs here."""
        connection = self._connection
        if connection is None or connection.process is None or not connection.is_alive:
            return None
        return connection.process.process.pid

    async def call(self, tool: str, arguments: JsonObject, *, may_repeat: bool) -> JsonObject:
        """Call a tool; the answer is the server's own, errors of the tool too.

        :param may_repeat: whether the call may be sent again after the connection broke in the middle of it.
        :raises UpstreamFailed: when the server cannot be reached or breaks off.
        :raises UpstreamTimeout: when it does not answer in time.
        """
        timeout_s = self.config.timeout_s or self._options.call_timeout_s
        self._calls += 1
        try:
            try:
                return await self._send(tool, arguments, timeout_s)
            except _BrokenError as broken:
                if not (may_repeat or broken.was_unsent):
                    raise UpstreamFailed(
                        f"{self.config.name} broke off during the call of {tool}: {broken}; "
                        "it may have been carried out, so it is not repeated"
                    ) from broken
                logger.info("%s: %s; connecting anew for %s", self.config.name, broken, tool)
            try:
                return await self._send(tool, arguments, timeout_s)
            except _BrokenError as broken:
                raise UpstreamFailed(f"{self.config.name} broke off twice at the call of {tool}: {broken}") from broken
        finally:
            self._calls -= 1
            self._last_used = time.monotonic()

    async def refresh(self) -> None:
        """List the tools anew, starting the server when it does not run.

        :raises UpstreamFailed: when it cannot be reached.
        """
        before = self._connection
        connection = await self._ready()
        if connection is before:
            await self._list(connection)

    async def stop(self) -> None:
        """End the connection, and its process."""
        for task in (self._connecting, self._watching, self._relisting):
            if task is not None and not task.done():
                task.cancel()
        if self._connection is not None:
            await self._connection.close()
            self._connection = None
        if self.state is not ServerState.FAILED:
            self._set(ServerState.STOPPED if self._is_known else ServerState.CONFIGURED)

    # --- inside -----------------------------------------------------------------------------

    async def _send(self, tool: str, arguments: JsonObject, timeout_s: float) -> JsonObject:
        from mcp import MCPError
        from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT

        connection = await self._ready()
        try:
            return await connection.call(tool, arguments, timeout_s)
        except MCPError as error:
            if error.code == REQUEST_TIMEOUT:
                raise UpstreamTimeout(
                    f"{self.config.name} did not answer the call of {tool} within {timeout_s:g} s"
                ) from error
            is_expired = error.message == "Session terminated"
            if error.code == CONNECTION_CLOSED or is_expired or not connection.is_alive:
                reason = await connection.end(error)
                if not is_expired:
                    self._set(ServerState.FAILED, reason)
                raise _BrokenError(reason, was_unsent=is_expired) from error
            # What the server says of the call itself, such as that it has no such tool.
            return {"content": [{"type": "text", "text": error.message}], "isError": True}

    async def _ready(self) -> Connection:
        """Return a connection that answers; callers that come together share one."""
        if self._connection is not None and self._connection.is_alive:
            return self._connection
        if self._connecting is None or self._connecting.done():
            self._connecting = asyncio.create_task(self._connect())
        return await asyncio.shield(self._connecting)

    async def _connect(self) -> Connection:
        stale, self._connection = self._connection, None
        self._set(ServerState.STARTING)
        try:
            if stale is not None:
                await stale.close()
            connection = await connect(
                self.config, self._options.start_timeout_s, self._note_change, self._options.limits
            )
            try:
                async with asyncio.timeout(self._options.start_timeout_s):
                    await self._list(connection)
            except BaseException:
                await connection.close()
                raise
        except asyncio.CancelledError:
            self._set(ServerState.STOPPED if self._is_known else ServerState.CONFIGURED)
            raise
        except TimeoutError as error:
            raise self._failed(UpstreamTimeout("it does not list its tools in time")) from error
        except UpstreamFailed as error:
            raise self._failed(error) from error
        except Exception as error:
            # Whatever the SDK and the libraries below it raise; it is told to the caller and shown in the state.
            raise self._failed(UpstreamFailed(reason_of(error))) from error
        self._connection = connection
        self._last_used = time.monotonic()
        self._set(ServerState.READY)
        self._watching = asyncio.create_task(self._watch(connection))
        return connection

    def _failed(self, error: UpstreamFailed) -> UpstreamFailed:
        self._set(ServerState.FAILED, error.message)
        return type(error)(f"the MCP server {self.config.name} failed: {error.message}")

    async def _list(self, connection: Connection) -> None:
        tools = await connection.list_tools()
        self._is_known = True
        # It writes to the disk; others must not wait for it.
        await asyncio.to_thread(self._on_listed, self.config, tools)

    def _note_change(self) -> None:
        if self._relisting is None or self._relisting.done():
            self._relisting = asyncio.create_task(self._relist())

    async def _relist(self) -> None:
        await asyncio.sleep(SETTLE_S)
        connection = self._connection
        if connection is None or not connection.is_alive:
            return
        try:
            await self._list(connection)
        except Exception as error:  # noqa: BLE001 (a task's outermost frame: what the SDK raises)
            logger.warning("%s: its changed tools cannot be listed: %s", self.config.name, reason_of(error))

    async def _watch(self, connection: Connection) -> None:
        """Notice that the connection has ended, and end it when it has been idle for long."""
        while True:
            if connection.task is None or connection.task.done():
                break
            idle_s = self._options.idle_stop_s
            rest_s = self._last_used + idle_s - time.monotonic() if idle_s and not self._calls else idle_s or None
            if rest_s is not None and rest_s <= 0:
                logger.info("%s: stopped after %g s without a call", self.config.name, idle_s)
                await connection.close()
                self._set(ServerState.STOPPED)
                return
            await asyncio.wait([connection.task], timeout=rest_s)
        if self._connection is connection and not connection.closing.is_set():
            self._set(ServerState.FAILED, connection.account())

    def _set(self, state: ServerState, error: str | None = None) -> None:
        self.state, self.error = state, error
        if error is not None:
            logger.warning("the MCP server %s failed: %s", self.config.name, error)
        self._on_state(self.config.name)


class _BrokenError(Exception):
    """The connection broke at a call."""

    def __init__(self, reason: str, *, was_unsent: bool) -> None:
        super().__init__(reason)
        self.was_unsent = was_unsent
