"""The gateway at a path of the daemon, made when the first client comes: its library takes long to load."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from gortex_py.service.events import Event
from gortex_py.service.service import Service
from gortex_py.surfaces.mcp.backend import LocalTools

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from starlette.types import Receive, Scope, Send

logger = logging.getLogger(__name__)

MCP_PATH = "/mcp"
MAX_CLIENTS = 100  # each has a tool session; half of those that are kept


class McpMount:
    """An ASGI application. Who may ask was decided before."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._starting: asyncio.Task[StreamableHTTPSessionManager] | None = None
        self._running: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
        manager = await asyncio.shield(self._starting)
        await manager.handle_request(scope, receive, send)

    async def _start(self) -> StreamableHTTPSessionManager:
        # On another thread, so that the daemon answers meanwhile.
        manager_type, gateway_type = await asyncio.to_thread(_load)
        gateway = gateway_type(LocalTools(self._service))
        manager: StreamableHTTPSessionManager = manager_type(gateway.server(), max_sessions=MAX_CLIENTS)
        is_up, is_over = asyncio.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def heed(event: Event) -> None:
            if event.name == "stopping":
                loop.call_soon_threadsafe(is_over.set)

        async def run() -> None:
            unsubscribe = self._service.events.subscribe(heed)
            try:
                async with manager.run():
                    is_up.set()
                    await is_over.wait()
            finally:
                unsubscribe()
                gateway.close()

        self._running = asyncio.create_task(run())
        await is_up.wait()
        return manager


def _load() -> tuple[type, type]:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from gortex_py.surfaces.mcp.gateway import Gateway

    return StreamableHTTPSessionManager, Gateway
