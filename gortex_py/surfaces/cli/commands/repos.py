"""``gortex repos``."""

from __future__ import annotations

import click

from gortex_py.surfaces.cli import exits
from gortex_py.surfaces.cli.options import json_option
from gortex_py.surfaces.cli.rows import repo_line
from gortex_py.surfaces.cli.session import Session


@click.command("repos")
@json_option
@click.pass_obj
def command(session: Session, *, as_json: bool) -> int:
    """List the tracked repositories."""
    rows = session.client().repos()
    if as_json:
        session.console.results_json({"repos": rows})
    elif not rows:
        session.console.note("nothing is tracked; begin with: gortex index PATH")
    else:
        for row in rows:
            session.console.result(repo_line(row))
    return exits.FOUND
