"""``gortex service``."""

from __future__ import annotations

import shlex

import click

from gortex_py.errors import UsageError
from gortex_py.surfaces.cli import exits
from gortex_py.surfaces.cli.options import json_option
from gortex_py.surfaces.cli.session import Session
from gortex_py.surfaces.unit import ServiceManager, ServiceReport


@click.group("service", short_help="Run the daemon at login.")
def command() -> None:
    """Run the daemon at login: a systemd user unit, or a launchd agent on macOS."""


@command.command("install", short_help="Install the service and start it.")
@json_option
@click.pass_obj
def install_command(session: Session, *, as_json: bool) -> int:
    """Write the unit and start the daemon through the service manager.

    PATH, GORTEX_HOME and the XDG folders of this shell are written into it. A daemon that runs
    already is stopped first. Doing it again changes nothing.
    """
    from gortex_py.surfaces.launch import foreground_command, is_managed, stop
    from gortex_py.surfaces.unit import ServiceSpec, captured_environment, install

    manager = _manager(session)
    address = session.address()
    if (
        address is not None
        and manager.is_available()
        and not (is_managed(manager) and manager.main_pid() == address.pid)
    ):
        stop(session.paths, token=session.token)
        session.console.note("stopped the daemon that was running; the service takes over")
    spec = ServiceSpec(foreground_command(), captured_environment(session.environ), session.paths.log)
    report = install(manager, spec)
    _show(session, manager, report, "installed" if report.changed else "already installed", as_json=as_json)
    if report.managed and manager.name == "systemd":
        session.console.note("it stops when you log out; to keep it running: loginctl enable-linger")
    return exits.FOUND


@command.command("uninstall", short_help="Stop the service and remove it.")
@json_option
@click.pass_obj
def uninstall_command(session: Session, *, as_json: bool) -> int:
    """Stop the service and remove its unit; the indexes stay."""
    from gortex_py.surfaces.unit import uninstall

    manager = _manager(session)
    report = uninstall(manager)
    _show(session, manager, report, "removed" if report.changed else "not installed", as_json=as_json)
    return exits.FOUND


@command.command("status", short_help="Show whether the service runs.")
@json_option
@click.pass_obj
def status_command(session: Session, *, as_json: bool) -> int:
    """Show where the unit lies and whether its manager runs it; exits 1 when it does not run."""
    manager = _manager(session)
    installed = manager.unit_path.is_file()
    available = manager.is_available()
    pid = manager.main_pid() if installed and available else None
    if as_json:
        session.console.results_json(
            {
                "manager": manager.name,
                "path": str(manager.unit_path),
                "installed": installed,
                "available": available,
                "pid": pid,
            }
        )
    else:
        state = f"running, pid {pid}" if pid else "not running"
        reached = state if available else f"{manager.name} cannot be reached from here"
        session.console.result(f"{manager.unit_path}: {f'installed, {reached}' if installed else 'not installed'}")
    return exits.FOUND if pid else exits.NOTHING


def _manager(session: Session) -> ServiceManager:
    if session.manager is None:
        raise UsageError("this platform has no supported service manager; run: gortex daemon start")
    return session.manager


def _show(session: Session, manager: ServiceManager, report: ServiceReport, what: str, *, as_json: bool) -> None:
    if as_json:
        session.console.results_json(
            {
                "manager": manager.name,
                "path": str(report.path),
                "changed": report.changed,
                "managed": report.managed,
                "to_run": [shlex.join(line) for line in report.to_run],
            }
        )
        return
    session.console.result(f"{what}: {report.path}")
    if report.to_run:
        session.console.note(f"{manager.name} cannot be reached from here; where it can, run:")
        for line in report.to_run:
            session.console.note(f"  {shlex.join(line)}")
