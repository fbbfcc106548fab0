"""``gortex daemon``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gortex_py.surfaces.cli import exits
from gortex_py.surfaces.cli.commands.status import show_status
from gortex_py.surfaces.cli.options import json_option
from gortex_py.surfaces.cli.session import Session

if TYPE_CHECKING:
    from gortex_py.settings.schema import Settings

FOLLOW_S = 0.3


@click.group("daemon", short_help="Start and stop the background process.")
def command() -> None:
    """Start, stop and look at the background process."""


@command.command("start", short_help="Start the daemon and print its address.")
@click.option("--foreground", is_flag=True, help="Run in this terminal until Ctrl-C.")
@click.option("--host", metavar="HOST", help="Listen on HOST instead of the configured one.")
@click.option("--port", type=click.IntRange(0, 65535), help="Listen on this port; 0 takes a free one.")
@json_option
@click.pass_obj
def start_command(session: Session, *, foreground: bool, host: str | None, port: int | None, as_json: bool) -> int:
    """Start the daemon and print its address; when it runs already, just print that.

    Where the service is installed and no address is given, the service manager starts it.
    """
    if foreground:
        return _run_foreground(session, host, port)
    from gortex_py.surfaces.launch import start

    started = start(session.paths, session.environ, host=host, port=port, manager=session.manager)
    address = started.address
    if as_json:
        session.console.results_json(
            {"address": address.url, "pid": address.pid, "version": address.version, "already": started.already}
        )
        return exits.FOUND
    if started.already:
        session.console.note(f"the daemon runs already (pid {address.pid})")
    session.console.result(address.url)
    return exits.FOUND


@command.command("stop", short_help="Stop the daemon.")
@json_option
@click.pass_obj
def stop_command(session: Session, *, as_json: bool) -> int:
    """Stop the daemon: through its service manager, else by request, else by signal."""
    from gortex_py.surfaces.launch import is_managed, stop

    stopped = stop(session.paths, manager=session.manager, token=session.token)
    if as_json:
        session.console.results_json({"pid": stopped.pid, "by": stopped.by})
    elif stopped.pid is None:
        session.console.result("no daemon was running")
    else:
        session.console.result(f"stopped (pid {stopped.pid}, by {stopped.by})")
    if session.manager is not None and is_managed(session.manager):
        session.console.note(
            f"the {session.manager.name} service starts it again at the next login; to end that: "
            "gortex service uninstall"
        )
    return exits.FOUND


@command.command("restart", short_help="Stop the daemon and start it again.")
@json_option
@click.pass_context
def restart_command(ctx: click.Context, *, as_json: bool) -> int:
    """Stop the daemon and start it again at the same address."""
    session = ctx.ensure_object(Session)
    from gortex_py.surfaces.launch import is_managed, start, stop

    before = session.address()
    stop(session.paths, manager=session.manager, token=session.token)
    managed = session.manager is not None and is_managed(session.manager)
    keep = before if before is not None and not managed else None
    started = start(
        session.paths,
        session.environ,
        host=keep.host if keep else None,
        port=keep.port if keep else None,
        manager=session.manager,
    )
    if as_json:
        session.console.results_json({"address": started.address.url, "pid": started.address.pid})
    else:
        session.console.result(started.address.url)
    return exits.FOUND


@command.command("status", short_help="Show address and memory of the daemon.")
@json_option
@click.pass_obj
def status_command(session: Session, *, as_json: bool) -> int:
    """Show address, process and memory of the daemon; exits 1 when none is running."""
    return show_status(session, as_json=as_json, repositories=False)


@command.command("logs")
@click.option(
    "-n", "--lines", type=click.IntRange(0, 100_000), default=50, show_default=True, help="Last lines to show."
)
@click.option("-f", "--follow", is_flag=True, help="Go on with what is written from now on.")
@click.pass_obj
def logs_command(session: Session, *, lines: int, follow: bool) -> int:
    """Show the end of the daemon's log."""
    from gortex_py.surfaces.launch import log_tail

    path = session.paths.log
    for line in log_tail(path, lines) if lines else ():
        session.console.result(line)
    session.console.note(f"({path})")
    if follow:
        _follow(session)
    return exits.FOUND


def _follow(session: Session) -> None:
    path = session.paths.log
    at = path.stat().st_size if path.exists() else 0
    while True:
        session.console.flush()
        time.sleep(FOLLOW_S)
        size = path.stat().st_size if path.exists() else 0
        if size < at:
            at = 0  # rotated or emptied
        if size > at:
            with path.open("rb") as stream:
                stream.seek(at)
                content = stream.read(size - at)
            at = size
            session.console.result(content.decode("utf-8", "replace").rstrip("\n"))


def _run_foreground(session: Session, host: str | None, port: int | None) -> int:
    from gortex_py.settings.load import load
    from gortex_py.settings.mcp_servers import read_servers
    from gortex_py.surfaces.http.server import run_foreground

    loaded = load(session.paths, session.environ)
    for warning in loaded.warnings:
        session.console.note(f"warning: {warning.where}: {warning.what}")

    def for_repository(root: Path) -> Settings:
        return load(session.paths, session.environ, repo=root).settings

    return run_foreground(
        session.paths,
        loaded.settings,
        host,
        port,
        home=session.home,
        for_repository=for_repository,
        load_servers=lambda: read_servers(session.paths.servers_file, session.environ),
    )
