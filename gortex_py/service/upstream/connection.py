"""One open connection to an MCP server, whatever carries it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gortex_py import __version__
from gortex_py.errors import UpstreamFailed, UpstreamTimeout
from gortex_py.service.upstream.http import http_streams
from gortex_py.service.upstream.stdio import Limits, ServerProcess, process_streams, start_process
from gortex_py.settings.mcp_servers import ServerConfig
from gortex_py.types import JsonObject

if TYPE_CHECKING:
    from mcp.client import Client

logger = logging.getLogger(__name__)

MAX_PAGES = 200
MAX_LISTED = 20_000
MAX_REASON = 400


@dataclass
class Connection:
    """A client that is through the handshake. It lives in a task of its own, since it must end where it began."""

    config: ServerConfig
    client: Client
    process: ServerProcess | None
    notes: list[str] = field(default_factory=list)  # what went wrong below the protocol
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    @property
    def is_alive(self) -> bool:
        """Say whether a call can be sent."""
        is_over = self.task is None or self.task.done() or self.closing.is_set()
        return not is_over and not (self.process is not None and self.process.ended.is_set())

    def account(self, error: BaseException | None = None) -> str:
        """Say what is wrong with the server."""
        if self.process is not None and (self.process.ended.is_set() or self.process.trouble):
            return self.process.account()
        return self.notes[-1] if self.notes else reason_of(error)

    async def list_tools(self) -> list[JsonObject]:
        """Return every tool as the server describes it, over all pages.

        :raises UpstreamFailed: when the pages do not end.
        """
        tools: list[JsonObject] = []
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page = await self.client.list_tools(cursor=cursor)
            tools += [tool.model_dump(by_alias=True, mode="json", exclude_unset=True) for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                return tools
            if len(tools) > MAX_LISTED:
                break
        raise UpstreamFailed(f"its list of tools does not end after {MAX_PAGES} pages or {MAX_LISTED} tools")

    async def call(self, tool: str, arguments: JsonObject, timeout_s: float) -> JsonObject:
        """Return what a call of a tool gives, as the server gave it.

        :raises MCPError: of the SDK, as the server or the connection raises it.
        """
        try:
            result = await self.client.call_tool(tool, arguments, read_timeout_seconds=timeout_s)
        except RuntimeError as error:
            # The SDK holds structured output against the schema that the server listed.
            text = f"{self.config.name}/{tool} answered against its own schema: {error}"
            return {"content": [{"type": "text", "text": text}], "isError": True}
        dumped: JsonObject = result.model_dump(by_alias=True, mode="json", exclude_unset=True)
        return dumped

    async def end(self, error: BaseException) -> str:
        """Give a broken connection up; returns why it broke."""
        if self.process is not None:
            # The pipe closes a moment before the process is gone, which tells more.
            with suppress(TimeoutError):
                await asyncio.wait_for(self.process.ended.wait(), 0.5)
        reason = self.account(error)
        self.closing.set()
        return reason

    async def close(self) -> None:
        """End the connection, and its process."""
        self.closing.set()
        if self.task is not None:
            await asyncio.gather(self.task, return_exceptions=True)


async def connect(
    config: ServerConfig, timeout_s: float, on_tools_changed: Callable[[], None], limits: Limits
) -> Connection:
    """Return a connection that is through the handshake.

    :raises UpstreamFailed: when the server cannot be reached or does not speak MCP.
    :raises UpstreamTimeout: when it does not answer in time.
    """
    if config.problem:
        raise UpstreamFailed(config.problem)
    from mcp import MCPError
    from mcp_types import CONNECTION_CLOSED

    try:
        return await _connect_as("legacy", config, timeout_s, on_tools_changed, limits)
    except MCPError as error:
        if error.code == CONNECTION_CLOSED:
            raise UpstreamFailed(reason_of(error)) from error
        logger.info("%s: the handshake was refused (%s); trying without one", config.name, error)
    try:
        return await _connect_as("auto", config, timeout_s, on_tools_changed, limits)
    except MCPError as error:
        raise UpstreamFailed(reason_of(error)) from error


async def _connect_as(
    mode: str, config: ServerConfig, timeout_s: float, on_tools_changed: Callable[[], None], limits: Limits
) -> Connection:
    ready: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()
    notes: list[str] = []
    process = None if config.url else await start_process(config, limits)
    link = _Link(config, process, notes, on_tools_changed, limits)
    task = asyncio.create_task(_live(mode, link, ready))
    try:
        connection = await asyncio.wait_for(asyncio.shield(ready), timeout_s)
        connection.task = task
        return connection
    except TimeoutError as error:
        reason = process.account() if process else "it does not answer"
        await _end(task)
        raise UpstreamTimeout(f"{reason} (after {timeout_s:g} s)") from error
    except BaseException as error:
        reason = notes[-1] if notes else ""
        if process is not None and (process.ended.is_set() or process.trouble):
            reason = process.account()
        await _end(task)
        if reason and isinstance(error, Exception):
            raise UpstreamFailed(reason) from error
        raise


@dataclass(frozen=True)
class _Link:
    """What a connection is made over."""

    config: ServerConfig
    process: ServerProcess | None
    notes: list[str]
    on_tools_changed: Callable[[], None]
    limits: Limits


async def _live(mode: str, link: _Link, ready: asyncio.Future[Connection]) -> None:
    """Hold a connection open until it is closed or its process ends."""
    from mcp.client import Client
    from mcp_types import Implementation, ToolListChangedNotification

    config, process, notes = link.config, link.process, link.notes

    async def heed(message: Any) -> None:
        if isinstance(message, ToolListChangedNotification):
            link.on_tools_changed()

    try:
        async with AsyncExitStack() as stack:
            transport = (
                http_streams(config, notes, link.limits.line_bytes) if process is None else process_streams(process)
            )
            client = Client(
                transport,
                mode=mode,
                message_handler=heed,
                client_info=Implementation(name="gortex", version=__version__),
                cache=None,
            )
            await stack.enter_async_context(client)
            connection = Connection(config, client, process, notes)
            if ready.done():
                return
            ready.set_result(connection)
            await _first_of(connection.closing, process.ended if process else None)
    except BaseException as error:
        if ready.done():
            logger.info("%s: the connection broke off: %s", config.name, reason_of(error))
        elif not isinstance(error, asyncio.CancelledError):
            ready.set_exception(_single(error))
        if not isinstance(error, Exception):
            raise


async def _first_of(*events: asyncio.Event | None) -> None:
    waits = [asyncio.create_task(event.wait()) for event in events if event is not None]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await asyncio.gather(task, return_exceptions=True)


def _single(error: BaseException) -> BaseException:
    """Return the one error that task groups have wrapped, a failure of ours when there are several kinds."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return error


def reason_of(error: BaseException | None) -> str:
    """Return an error as the end of a sentence."""
    if error is None:
        return "it does not answer"
    single = _single(error)
    return (str(single) or type(single).__name__)[:MAX_REASON]
