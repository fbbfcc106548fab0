"""``gortex index``."""

from __future__ import annotations

import shlex
from pathlib import Path
from urllib.parse import urlencode

import click

from gortex_py.surfaces.cli import exits
from gortex_py.surfaces.cli.options import json_option
from gortex_py.surfaces.cli.progress import wait_for_pass
from gortex_py.surfaces.cli.rows import degraded, problems, repo_line
from gortex_py.surfaces.cli.session import Session
from gortex_py.surfaces.cli.target import check_name, resolve
from gortex_py.surfaces.client import DaemonClient, Json

TRIED_HITS = 3


@click.command("index", short_help="Index a repository and wait until it is done.")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--name", metavar="NAME", help="Call the repository NAME; its folder's name otherwise.")
@click.option("--try", "question", metavar="QUERY", help="Then show a curl command that asks QUERY, and its answer.")
@json_option
@click.pass_obj
def command(session: Session, *, path: Path | None, name: str | None, question: str | None, as_json: bool) -> int:
    """Index the repository that holds PATH (here by default), and wait until it is done.

    The daemon is started when none runs. Exits 0 when all went well and 2 when the pass ended
    with problems, which are listed.
    """
    client = session.started_client()
    row = _index(session, client, path or session.cwd, name)
    found = problems(row)
    for sentence in found:
        session.console.note(f"problem: {sentence}")
    for sentence in degraded(row):
        session.console.note(f"degraded: {sentence}")
    if as_json:
        session.console.results_json(row)
    else:
        session.console.result(repo_line(row))
    if question is not None:
        _try(session, client, row, question)
    return exits.TROUBLE if found else exits.FOUND


def _index(session: Session, client: DaemonClient, path: Path, name: str | None) -> Json:
    """Ask for a whole pass, wait for its end, and return the repository's row with all its details."""
    target = resolve(path, client.repos(), session.home, narrow=False)
    if target.name is None:
        known = str(client.track(str(target.root), name).get("name") or target.root.name)
    else:
        known = target.name
        check_name(name, known, target.root)
        client.reindex(known)
    row = wait_for_pass(client, session.console, known, limit_s=None)
    return next((detail for detail in client.status_rows() if detail.get("name") == known), row)


def _try(session: Session, client: DaemonClient, row: Json, question: str) -> None:
    parameters = {"q": question, "limit": TRIED_HITS, "repo": row.get("name")}
    answer = client.search(parameters)
    say = session.console.result
    say(f"\nthe daemon answers at {client.url} (stop it with: {session.program} daemon stop); ask it:\n")
    say(f"  curl -s {shlex.quote(f'{client.url}/v1/search?{urlencode(parameters)}')}\n")
    session.console.results_json(answer)
