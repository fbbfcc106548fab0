"""``gortex track``."""

from __future__ import annotations

from pathlib import Path

import click

from gortex_py.errors import NotFound
from gortex_py.surfaces.cli import exits
from gortex_py.surfaces.cli.options import json_option
from gortex_py.surfaces.cli.session import Session
from gortex_py.surfaces.cli.target import check_name, checked_root


@click.command("track", short_help="Keep a folder indexed from now on.")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--name", metavar="NAME", help="Call the repository NAME; its folder's name otherwise.")
@json_option
@click.pass_obj
def command(session: Session, *, path: Path | None, name: str | None, as_json: bool) -> int:
    """Keep the folder PATH (here by default) indexed from now on; returns at once.

    Unlike `gortex search` and `gortex index`, this takes just the folder that is named, even
    when it lies inside a git repository.
    """
    folder = (path or session.cwd).resolve()
    if not folder.is_dir():
        raise NotFound(f"there is no folder {folder}", code="no-such-path")
    checked_root(folder, session.home)
    row = session.started_client().track(str(folder), name)
    check_name(name, str(row.get("name", name)), folder)
    if as_json:
        session.console.results_json(row)
    else:
        session.console.result(f"tracking {row.get('path', folder)} as {row.get('name', folder.name)}")
    return exits.FOUND
