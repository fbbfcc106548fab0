"""``gortex untrack``."""

from __future__ import annotations

from pathlib import Path

import click

from gortex_py.errors import NotFound
from gortex_py.surfaces.cli import exits
from gortex_py.surfaces.cli.options import json_option
from gortex_py.surfaces.cli.session import Session
from gortex_py.surfaces.client import Json


@click.command("untrack", short_help="Forget a repository and delete its index.")
@click.argument("name_or_path", required=False)
@json_option
@click.pass_obj
def command(session: Session, *, name_or_path: str | None, as_json: bool) -> int:
    """Forget a repository, by name or by path (here by default), and delete its index.

    The repository's own files are not touched.
    """
    client = session.client()
    name = _name(client.repos(), name_or_path, session.cwd)
    answer = client.untrack(name)
    if as_json:
        session.console.results_json(answer)
    else:
        session.console.result(f"forgot {name} and deleted its index")
    return exits.FOUND


def _name(rows: list[Json], given: str | None, cwd: Path) -> str:
    names = [str(row.get("name")) for row in rows]
    if given in names:
        return str(given)
    folder = (cwd / (given or ".")).resolve()
    for row in rows:
        # As written, too: the folder may be gone.
        if row.get("path") in {str(folder), given}:
            return str(row.get("name"))
    tracked = f"tracked are: {', '.join(names)}" if names else "nothing is tracked"
    raise NotFound(f"{given or folder} is not tracked; {tracked}", code="unknown-repository")
