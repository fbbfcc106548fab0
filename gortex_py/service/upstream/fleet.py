"""All MCP servers of the user, on one loop in a thread of its own that begins with the first start of a server."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from gortex_py.errors import GortexError, NotFound, NotReady
from gortex_py.service.upstream.server import ServerState, Upstream, UpstreamOptions
from gortex_py.settings.mcp_servers import ServerConfig, ServerList
from gortex_py.types import JsonObject, Problem

logger = logging.getLogger(__name__)
T = TypeVar("T")

STOP_S = 5.0


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """A server at one moment."""

    name: str
    kind: str  # "stdio" or "http"
    where: str  # program or address, nothing that may be secret
    state: ServerState
    error: str | None
    pid: int | None


class Fleet:
    """The servers. Every method may be called from any thread and returns at once, but for ``close``."""

    def __init__(
        self,
        load: Callable[[], ServerList],
        options: UpstreamOptions,
        *,
        on_listed: Callable[[ServerConfig, list[JsonObject]], None],
        on_state: Callable[[str], None],
        is_known: Callable[[str], bool],
    ) -> None:
        """Read nothing and start nothing yet.

        :param load: reads the user's servers; called at the first use, and by ``reload``.
        :param on_listed: takes the tools of a server, on a thread of ours.
        :param on_state: is told the name of a server whose state changed.
        :param is_known: says whether a server's tools are known from an earlier run.
        """
        self._load = load
        self._options = options
        self._on_listed = on_listed
        self._on_state = on_state
        self._is_known = is_known
        self._lock = threading.RLock()
        self._servers: dict[str, Upstream] | None = None
        self._problems: tuple[Problem, ...] = ()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def configs(self) -> list[ServerConfig]:
        """Return the servers as they are set up, by name."""
        with self._lock:
            return [server.config for server in self._all().values()]

    def problems(self) -> tuple[Problem, ...]:
        """Return what of the user's file could not be used."""
        with self._lock:
            self._all()
            return self._problems

    def statuses(self) -> list[ServerStatus]:
        """Return where each server stands, by name."""
        with self._lock:
            return [_status(server) for server in self._all().values()]

    def status(self, name: str) -> ServerStatus:
        """Return where a server stands.

        :raises NotFound: when there is none of that name.
        """
        with self._lock:
            return _status(self._server(name))

    def reload(self) -> None:
        """Read the user's file anew. Servers that are reached as before stay as they are, others are stopped."""
        listed = self._load()
        with self._lock:
            before = self._servers or {}
            self._problems = listed.problems
            self._servers = {}
            for config in listed.servers:
                kept = before.pop(config.name, None)
                if kept is not None and kept.config.digest == config.digest and kept.config.problem == config.problem:
                    kept.config = config
                    self._servers[config.name] = kept
                    continue
                if kept is not None:
                    self._stop(kept)
                self._servers[config.name] = self._made(config)
            for gone in before.values():
                self._stop(gone)

    def refresh(self, name: str) -> Future[None]:
        """List a server's tools anew; the future raises UpstreamFailed when it cannot be reached.

        :raises NotFound: when there is none of that name.
        """
        with self._lock:
            return self._run(self._server(name).refresh())

    def refresh_unknown(self) -> list[Future[None]]:
        """List the servers of whose tools nothing is known and that were not tried yet."""
        with self._lock:
            return [
                self._run(server.refresh())
                for server in self._all().values()
                if server.state is ServerState.CONFIGURED and server.config.problem is None
            ]

    def call(self, name: str, tool: str, arguments: JsonObject, *, may_repeat: bool) -> Future[JsonObject]:
        """Call a server's tool; the future raises UpstreamFailed when it cannot be reached or breaks off.

        :raises NotFound: when there is no server of that name.
        """
        with self._lock:
            return self._run(self._server(name).call(tool, arguments, may_repeat=may_repeat))

    def close(self) -> None:
        """Stop every server and the loop."""
        with self._lock:
            self._is_closed = True
            loop, thread = self._loop, self._thread
            servers = list((self._servers or {}).values())
            self._loop = self._thread = None
        if loop is None or thread is None:
            return

        async def stop_all() -> None:
            await asyncio.gather(*(server.stop() for server in servers), return_exceptions=True)

        try:
            asyncio.run_coroutine_threadsafe(stop_all(), loop).result(STOP_S)
        except TimeoutError:
            logger.warning("some MCP servers did not stop within %g s", STOP_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(STOP_S)

    # --- inside -----------------------------------------------------------------------------

    def _all(self) -> dict[str, Upstream]:
        if self._servers is None:
            self.reload()
        assert self._servers is not None
        return self._servers

    def _server(self, name: str) -> Upstream:
        found = self._all().get(name)
        if found is None:
            known = ", ".join(self._all()) or "none"
            raise NotFound(f"no MCP server named {name[:80]!r} is set up; there are: {known}", code="unknown-server")
        return found

    def _made(self, config: ServerConfig) -> Upstream:
        made = Upstream(
            config,
            self._options,
            on_listed=self._on_listed,
            on_state=self._on_state,
            is_known=self._is_known(config.name),
        )
        if config.problem:
            made.state, made.error = ServerState.FAILED, config.problem
        return made

    def _stop(self, server: Upstream) -> None:
        if self._loop is not None:
            self._run(server.stop())

    def _run(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        if self._is_closed:
            work.close()
            raise NotReady("the daemon is stopping", code="stopping")
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=_serve, args=(self._loop,), name="mcp-servers", daemon=True)
            self._thread.start()
        return asyncio.run_coroutine_threadsafe(work, self._loop)


def outcome(work: Future[None], timeout_s: float | None = None) -> str | None:
    """Wait for a refresh; returns what went wrong, None when nothing did."""
    try:
        work.result(timeout_s)
    except GortexError as error:
        return error.message
    except TimeoutError:
        return "it is not through yet"
    return None


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def _status(server: Upstream) -> ServerStatus:
    config = server.config
    return ServerStatus(config.name, config.kind, config.where, server.state, server.error, server.pid)
