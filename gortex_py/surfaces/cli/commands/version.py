"""``gortex version``."""

from __future__ import annotations

import platform

import click

from gortex_py import __version__
from gortex_py.surfaces.cli import exits
from gortex_py.surfaces.cli.options import json_option
from gortex_py.surfaces.cli.session import Session


@click.command("version", short_help="Show the versions of command and daemon.")
@json_option
@click.pass_obj
def command(session: Session, *, as_json: bool) -> int:
    """Show the versions of this command and of the running daemon."""
    address = session.address()
    running = address.version if address else None
    if as_json:
        session.console.results_json({"gortex": __version__, "daemon": running, "python": platform.python_version()})
    else:
        session.console.result(f"gortex {__version__} (Python {platform.python_version()})")
        session.console.result(f"daemon {running}" if running else "no daemon is running")
    return exits.FOUND
