"""Serve the application on a socket until a signal or a request ends it."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from gortex_py.service.daemon import run_daemon

if TYPE_CHECKING:
    from gortex_py.service.service import Service
    from gortex_py.settings.mcp_servers import ServerList
    from gortex_py.settings.paths import Paths
    from gortex_py.settings.schema import Settings
    from gortex_py.surfaces.http.guard import GuardOptions

logger = logging.getLogger(__name__)

TOKEN_NAME = "token"  # in the state folder
GRACE_S = 1  # for answers under way; event streams end by themselves


def run_foreground(
    paths: Paths,
    settings: Settings,
    host: str | None = None,
    port: int | None = None,
    *,
    home: Path | None = None,
    for_repository: Callable[[Path], Settings] | None = None,
    load_servers: Callable[[], ServerList] | None = None,
) -> int:
    """Run the daemon in this process until it is told to stop; returns the exit status.

    :param host: and ``port``: in place of the settings'.
    :param home: the user's home folder, which is never indexed and holds git's settings.
    :param for_repository: settings of a root, where its own file may differ.
    :param load_servers: reads the MCP servers that the user has set up.
    """
    host = settings.daemon.host if host is None else host
    token = settings.daemon.http_token

    def make_service() -> Service:
        from gortex_py.service.compose import Places, compose
        from gortex_py.surfaces.http.guard import check_bind

        check_bind(guard_options(paths, host, token))
        from gortex_py.settings.mcp_servers import ServerList

        servers = load_servers or ServerList
        return compose(paths, settings, Places(home), for_repository=for_repository, load_servers=servers)

    def serve_guarded(service: Service, listener: socket.socket, bound: str) -> None:
        from gortex_py.surfaces.http.app import make_app

        serve(make_app(service, guard_options(paths, bound, token)), service, listener)

    bound_port = settings.daemon.port if port is None else port
    return run_daemon(paths, host, bound_port, make_service=make_service, serve=serve_guarded)


def guard_options(paths: Paths, host: str, token: str | None) -> GuardOptions:
    """Return what the guard asks for.

    A token that was set is asked for everywhere; else, beyond this machine, the state folder's ``token`` file counts.
    """
    from gortex_py.surfaces.http.guard import GuardOptions, is_loopback

    if token or is_loopback(host):
        return GuardOptions(host, lambda: token or None)
    return GuardOptions(host, lambda: read_token(paths.state / TOKEN_NAME))


def read_token(path: Path) -> str | None:
    """Return the token of a file, or None. Read at each request, so that it can be renewed."""
    try:
        return path.read_text(encoding="utf-8").strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def serve(app: object, service: Service, listener: socket.socket) -> None:
    """Start a service and answer on a socket until asked to stop."""
    import uvicorn

    from gortex_py.surfaces.http.protocol import Protocol

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            """End the running pass and the event streams at once, then what uvicorn does."""
            logger.info("asked to stop by signal %d", sig)
            service.begin_stop()
            super().handle_exit(sig, frame)

    config = uvicorn.Config(
        app,  # type: ignore[arg-type]
        http=Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
    )
    server = Server(config)

    def stop() -> None:
        logger.info("asked to stop by request")
        service.begin_stop()
        server.should_exit = True

    service.on_stop_requested = stop
    # From now on, not only while uvicorn serves: it puts these back and raises the signal again at its end.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, server.handle_exit)
    service.start()
    with suppress(KeyboardInterrupt):
        asyncio.run(server.serve(sockets=[listener]))
