"""``gortex status``."""

from __future__ import annotations

from collections.abc import Mapping

import click

from gortex_py.surfaces.cli import exits
from gortex_py.surfaces.cli.options import json_option
from gortex_py.surfaces.cli.rows import degraded, problems, repo_line, skipped_line
from gortex_py.surfaces.cli.session import Session
from gortex_py.surfaces.client import Json, rows_of


@click.command("status", short_help="Show the daemon and what is indexed.")
@json_option
@click.pass_obj
def command(session: Session, *, as_json: bool) -> int:
    """Show the daemon and what is indexed: counts, skipped files by reason, what is degraded.

    Exits 1 when no daemon is running.
    """
    return show_status(session, as_json=as_json, repositories=True)


def show_status(session: Session, *, as_json: bool, repositories: bool) -> int:
    """Write the daemon's account of itself."""
    address = session.address()
    if address is None:
        if as_json:
            session.console.results_json({"running": False})
        else:
            session.console.result("no daemon is running; start it with: gortex daemon start")
        return exits.NOTHING
    client = session.client()
    answer = client.status()
    if as_json:
        session.console.results_json({"running": True, "address": client.url, "pid": address.pid, **answer})
        return exits.FOUND
    say = session.console.result
    say(f"gortex {address.version} at {client.url}, pid {address.pid}{_memory(answer)}")
    say(f"  {_vectors(answer)}")
    for sentence in problems(answer):
        say(f"  problem: {sentence}")
    if repositories:
        for row in rows_of(answer) or client.repos():
            say(repo_line(row))
            for line in _details(row):
                say(f"  {line}")
    return exits.FOUND


def _details(row: Json) -> list[str]:
    lines = [f"problem: {sentence}" for sentence in problems(row)]
    lines += [f"degraded: {sentence}" for sentence in degraded(row)]
    skipped = skipped_line(row)
    return [*lines, skipped] if skipped else lines


def _vectors(answer: Json) -> str:
    made = answer.get("embeddings")
    if not isinstance(made, Mapping) or not made.get("provider"):
        return "vectors: off"
    variant = f" ({made['variant']})" if made.get("variant") else ""
    return f"vectors: {made['provider']}{variant}, {made.get('dim')} dimensions"


def _memory(answer: Json) -> str:
    memory = answer.get("memory")
    size = memory.get("rss_bytes") if isinstance(memory, Mapping) else answer.get("rss_bytes")
    return f", {size / 2**20:.0f} MB in memory" if isinstance(size, (int, float)) else ""
