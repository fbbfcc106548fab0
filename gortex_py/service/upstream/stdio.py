"""Talk to an MCP server over the pipes of a process, with bounds on what it may print.

The SDK's own transport keeps a line that never ends in memory without bound and lets a flood run;
here either ends the process, and what it last wrote to stderr tells why.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gortex_py.errors import UpstreamFailed
from gortex_py.settings.mcp_servers import ServerConfig

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

logger = logging.getLogger(__name__)

FLOOD_S = 5.0
KEPT_ERROR_LINES = 5
MAX_SHOWN = 300
STOP_S = 1.5  # each: after stdin is closed, after SIGTERM


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server may send."""

    line_bytes: int = 32 * 1024 * 1024  # of one message
    stray_bytes: int = 1024 * 1024  # of output that is no message; some servers greet, none writes a book
    unasked: int = 5_000  # messages that answer nothing, within FLOOD_S


class ServerProcess:
    """A running server and why it ended."""

    def __init__(self, process: asyncio.subprocess.Process, limits: Limits) -> None:
        self.process = process
        self._limits = limits
        self.ended = asyncio.Event()
        self.trouble: str | None = None  # what it did that it should not
        self._errors: deque[str] = deque(maxlen=KEPT_ERROR_LINES)
        self._stray_bytes = 0
        self._stray = ""
        self._unasked: deque[float] = deque(maxlen=limits.unasked)

    def account(self) -> str:
        """Say why it ended, or what it does."""
        if self.trouble:
            return self.trouble
        status = self.process.returncode
        said = f"; it said: {' / '.join(self._errors)[:MAX_SHOWN]}" if self._errors else ""
        if status is None:
            stray = f"; it printed: {self._stray[:MAX_SHOWN]!r}" if self._stray else ""
            return f"it does not answer{stray}{said}"
        ended = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        return f"it {ended}{said}"

    async def read_messages(self, deliver: Any) -> None:
        """Pass on each message until the output ends or is not to be borne."""
        from mcp.shared.message import SessionMessage
        from mcp_types import jsonrpc_message_adapter

        assert self.process.stdout is not None
        while True:
            try:
                line = await self.process.stdout.readline()
            except ValueError:
                self.trouble = f"it printed a line of more than {self._limits.line_bytes} bytes"
                return
            if not line:
                return
            try:
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError:
                if self._is_too_much(line):
                    return
                continue
            if hasattr(message, "method") and self._is_flood():
                return
            await deliver.send(SessionMessage(message))

    async def read_errors(self) -> None:
        """Keep the last lines of stderr."""
        assert self.process.stderr is not None
        while True:
            try:
                line = await self.process.stderr.readline()
            except ValueError:
                continue  # a line beyond the buffer; its rest follows
            if not line:
                return
            shown = "".join(c for c in line.decode("utf-8", "replace").strip() if c.isprintable())
            if shown:
                self._errors.append(shown[:MAX_SHOWN])

    async def write_messages(self, outgoing: Any) -> None:
        """Write each message to the server's input."""
        assert self.process.stdin is not None
        with suppress(ConnectionError):  # it has ended; the reader says so
            async for item in outgoing:
                text: str = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                self.process.stdin.write(text.encode() + b"\n")
                await self.process.stdin.drain()

    async def stop(self) -> None:
        """End the process and what it started: close its input, then SIGTERM, then SIGKILL."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        # One that misbehaves is not asked: it may be stuck in what it writes.
        for number in (signal.SIGKILL,) if self.trouble else (None, signal.SIGTERM, signal.SIGKILL):
            if number is not None:
                self._signal(number)
            with suppress(TimeoutError):
                await asyncio.wait_for(self.process.wait(), STOP_S)
                break
        self._signal(signal.SIGKILL)  # children that outlived it

    def release(self) -> None:
        """Let go of the pipes; a child that outlived the server may hold their other ends open."""
        # Nothing public closes them before they are collected, which warns when the loop is gone by then.
        transport = getattr(self.process, "_transport", None)
        if transport is not None:
            transport.close()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

    def _is_too_much(self, line: bytes) -> bool:
        text = line.decode("utf-8", "replace").strip()
        self._stray = self._stray or "".join(c for c in text if c.isprintable())
        self._stray_bytes += len(line)
        if self._stray_bytes <= self._limits.stray_bytes:
            return False
        self.trouble = f"it prints what is not MCP, such as {self._stray[:MAX_SHOWN]!r}"
        return True

    def _is_flood(self) -> bool:
        now = asyncio.get_running_loop().time()
        is_flood = len(self._unasked) == self._limits.unasked and now - self._unasked[0] < FLOOD_S
        self._unasked.append(now)
        if is_flood:
            self.trouble = f"it sent {self._limits.unasked} messages within {FLOOD_S:g} s that nobody asked for"
        return is_flood


async def start_process(config: ServerConfig, limits: Limits) -> ServerProcess:
    """Start a server in a process group of its own.

    :raises UpstreamFailed: when it cannot be started.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *config.command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=dict(config.env),
            cwd=config.cwd,
            start_new_session=True,
            limit=limits.line_bytes,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UpstreamFailed(f"{config.command[0]!r} cannot be started: {reason.lower()}") from error
    return ServerProcess(process, limits)


@asynccontextmanager
async def process_streams(server: ServerProcess) -> AsyncIterator[TransportStreams]:
    """Yield the streams of messages from and to a process; it is ended with them."""
    import anyio

    incoming, read = anyio.create_memory_object_stream[Any](0)
    write, outgoing = anyio.create_memory_object_stream[Any](0)

    async def pass_on() -> None:
        try:
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                await server.read_messages(incoming)
        finally:
            await incoming.aclose()
            # The status is known a moment after the pipe has closed.
            with suppress(TimeoutError):
                await asyncio.wait_for(server.process.wait(), 0.2)
            server.ended.set()

    tasks = [asyncio.create_task(work) for work in (pass_on(), server.read_errors(), server.write_messages(outgoing))]
    try:
        yield read, write
    finally:
        stopping = asyncio.ensure_future(server.stop())
        try:
            await asyncio.shield(stopping)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            server.release()
            for stream in (incoming, read, write, outgoing):
                stream.close()
