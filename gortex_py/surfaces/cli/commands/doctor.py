"""``gortex doctor``."""

from __future__ import annotations

from dataclasses import asdict

import click

from gortex_py.surfaces.cli import exits
from gortex_py.surfaces.cli.options import json_option
from gortex_py.surfaces.cli.session import Session


@click.command("doctor", short_help="Check what gortex needs of this machine.")
@json_option
@click.pass_obj
def command(session: Session, *, as_json: bool) -> int:
    """Check what gortex needs of this machine, one line each.

    Exits 2 when something does not work.
    """
    from gortex_py.surfaces.cli.checks import run_checks

    checks = run_checks(session)
    if as_json:
        session.console.results_json({"checks": [asdict(check) for check in checks]})
    else:
        for check in checks:
            mark = session.console.style("good", "ok ") if check.is_ok else session.console.style("bad", "bad")
            session.console.result(f"{mark}  {check.name:<10}  {check.detail}")
            if check.advice:
                session.console.result(f"{'':15}  {check.advice}")
    return exits.FOUND if all(check.is_ok for check in checks) else exits.TROUBLE
