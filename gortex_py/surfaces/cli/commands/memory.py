"""``gortex memory``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

import click

from gortex_py.surfaces.cli import exits
from gortex_py.surfaces.cli.console import printable
from gortex_py.surfaces.cli.options import json_option
from gortex_py.surfaces.cli.session import Session
from gortex_py.surfaces.client import Json

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def _scope_options(function: Decorated) -> Decorated:
    repo = click.option("--repo", metavar="NAME", help="Only what was learned in this repository.")
    query = click.option("--query", metavar="QUERY", help="Only what was learned of this query and of its keywords.")
    return repo(query(function))


@click.group("memory", short_help="See or delete what searches have learned.")
def command() -> None:
    """See or delete what was learned from what was opened after searches.

    It is kept on this machine alone, for seven days after the last use. The setting
    search.task_memory switches it off.
    """


@command.command("show", short_help="Show what was learned.")
@_scope_options
@click.option(
    "-k", "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="Show this many associations."
)
@json_option
@click.pass_obj
def show_command(session: Session, *, repo: str | None, query: str | None, limit: int, as_json: bool) -> int:
    """Show which places are associated with which queries and keywords, the last used first.

    Exits 1 when there is nothing.
    """
    answer = session.client().memory({"repo": repo, "query": query, "limit": limit})
    rows = [row for row in answer.get("associations") or [] if isinstance(row, dict)]
    if not answer.get("enabled", True):
        session.console.note("nothing is learned: search.task_memory is off")
    if as_json:
        session.console.results_json(answer)
    elif not rows:
        session.console.note(
            "nothing was learned yet" if repo is None and query is None else "nothing was learned there"
        )
    else:
        for row in rows:
            session.console.result(_line(row))
        left_out = int(answer.get("total") or 0) - len(rows)
        if left_out > 0:
            session.console.note(f"{left_out} more; show them with: --limit {min(1000, left_out + len(rows))}")
    return exits.FOUND if rows else exits.NOTHING


@command.command("clear", short_help="Delete what was learned.")
@_scope_options
@json_option
@click.pass_obj
def clear_command(session: Session, *, repo: str | None, query: str | None, as_json: bool) -> int:
    """Delete what was learned: of a repository, of a query with its keywords, or everything.

    Deleted rows are overwritten and the database is written anew.
    """
    answer = session.client().forget({"repo": repo, "query": query})
    if as_json:
        session.console.results_json(answer)
    else:
        removed = int(answer.get("removed") or 0)
        session.console.result(f"forgot {removed:,} association{'' if removed == 1 else 's'}")
    return exits.FOUND


def _line(row: Json) -> str:
    """Return one line: what was asked, what was opened, how often, what that is worth."""
    key = f'"{row.get("key")}"' if row.get("scope") == "query" else f"word {row.get('key')}"
    place = f"{row.get('path')} {row.get('symbol') or ''}".rstrip()
    used = datetime.fromtimestamp(float(row.get("last_used") or 0)).astimezone().strftime("%Y-%m-%d %H:%M")
    lift = f"lift {float(row.get('lift') or 0):.2f}"
    return printable(f"{row.get('repo')}  {key}  {place}  {row.get('selections')} times, last {used}  {lift}")
