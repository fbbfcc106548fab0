"""``gortex search``."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

import click

from gortex_py.errors import NotFound
from gortex_py.surfaces.cli import exits, hits
from gortex_py.surfaces.cli.options import color_option, json_option
from gortex_py.surfaces.cli.progress import find_row, wait_for_pass
from gortex_py.surfaces.cli.session import Session
from gortex_py.surfaces.cli.target import Target, path_globs, resolve
from gortex_py.surfaces.client import DaemonClient, Json

DEFAULT_WAIT_S = 10  # a repository of some thousand files is whole by then; a larger one answers in part


@dataclass(frozen=True, slots=True)
class _Scope:
    """What is searched."""

    repos: tuple[str, ...]  # empty is every repository
    globs: tuple[str, ...]
    rows: tuple[Json, ...]


@click.command(
    "search", short_help="Search a repository by words and meaning.", context_settings={"allow_extra_args": True}
)
@click.argument("query")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option(
    "-k", "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="Show this many files."
)
@click.option("--offset", type=click.IntRange(0), default=0, help="Leave out this many files first.")
@click.option("--repo", "repos", multiple=True, metavar="NAME", help="Search a tracked repository by name; repeatable.")
@click.option("--all", "everywhere", is_flag=True, help="Search every tracked repository.")
@click.option("--path", "globs", multiple=True, metavar="GLOB", help="Only files that match, below PATH; repeatable.")
@click.option("--lang", "languages", multiple=True, metavar="NAME", help="Only this language; repeatable.")
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only this kind of symbol; repeatable.")
@click.option(
    "--corpus",
    type=click.Choice(["code", "docs", "all"]),
    help="Code, prose (Markdown, reStructuredText, text), or both.  [default: code]",
)
@click.option("-l", "--files", "files_only", is_flag=True, help="Show only the paths of the files, one a line.")
@click.option("-n", "--lines", type=click.IntRange(0), default=8, show_default=True, help="Lines of each snippet.")
@click.option("--explain", is_flag=True, help="Show what each signal added to a score.")
@click.option(
    "--wait",
    "wait_s",
    type=click.FloatRange(0),
    default=DEFAULT_WAIT_S,
    show_default=True,
    metavar="SECONDS",
    help="Wait this long for the first index of a repository, then answer from what is there.",
)
@color_option
@json_option
@click.pass_obj
def command(
    session: Session,
    *,
    query: str,
    path: Path | None,
    limit: int,
    offset: int,
    repos: tuple[str, ...],
    everywhere: bool,
    globs: tuple[str, ...],
    languages: tuple[str, ...],
    kinds: tuple[str, ...],
    corpus: str | None,
    files_only: bool,
    lines: int,
    explain: bool,
    wait_s: float,
    color: str,
    as_json: bool,
) -> int:
    """Search for QUERY in the repository that holds PATH (here, when no PATH is given).

    The daemon is started when none runs, and a repository that is not tracked yet is tracked.
    PATH may be a folder in it or a file; only that part is searched then. Put `--` before a
    query that begins with a dash.
    """
    session.console.set_color(color)
    _check(query, path, click.get_current_context().args)
    if path is not None and (repos or everywhere):
        raise click.UsageError("PATH names the repository to search; leave out --repo and --all")
    client = session.started_client()
    scope = _scope(session, client, path, repos, everywhere=everywhere, globs=globs, wait_s=wait_s)
    answer = client.search(
        {
            "q": query,
            "limit": limit,
            "offset": offset,
            "repo": scope.repos,
            "path": scope.globs,
            "lang": languages,
            "kind": kinds,
            "corpus": corpus,
            "explain": True if explain else None,
        }
    )
    results = [hit for hit in answer.get("results") or [] if isinstance(hit, dict)]
    _say(session, answer, scope, explain=explain)
    if not results:
        session.console.note(_nothing(query, scope, offset, is_filtered=bool(globs or languages or kinds)))
    if as_json:
        session.console.results_json(answer)
    else:
        _show(session, results, scope, files_only=files_only, lines=lines)
    return exits.FOUND if results else exits.NOTHING


def _check(query: str, path: Path | None, surplus: list[str]) -> None:
    """Look at the words of the command line before anything is started for them.

    :raises UsageError: when nothing is asked, or when the words of the query are not held together.
    :raises NotFound: when there is no such path.
    """
    if not query.strip():
        raise click.UsageError("QUERY is empty; say what to look for")
    if path is None or (os.path.lexists(path) and not surplus):
        return
    words = shlex.quote(" ".join([query, str(path), *surplus]))
    if surplus:
        raise click.UsageError(
            f"QUERY and PATH are one word each, and {len(surplus) + 2} were given; a query of several words needs "
            f"quotes, as in: gortex search {words}"
        )
    advice = f"; if it belongs to the query, use quotes: gortex search {words}" if " " not in query else ""
    raise NotFound(f"{path}: No such file or folder to search in{advice}", code="no-such-path")


def _scope(
    session: Session,
    client: DaemonClient,
    path: Path | None,
    repos: tuple[str, ...],
    *,
    everywhere: bool,
    globs: tuple[str, ...],
    wait_s: float,
) -> _Scope:
    rows = client.repos()
    if everywhere or repos:
        return _Scope(repos, globs, tuple(rows))
    target = resolve(path or session.cwd, rows, session.home, narrow=path is not None)
    name = target.name or _track(session, client, target)
    row = find_row(client, name)
    if row.get("state") == "indexing" and not row.get("files"):
        row = wait_for_pass(client, session.console, name, limit_s=wait_s)
    return _Scope((name,), tuple(path_globs(target, globs)), (*(r for r in rows if r.get("name") != name), row))


def _track(session: Session, client: DaemonClient, target: Target) -> str:
    # The daemon names it: another repository may have the folder's name.
    name = str(client.track(str(target.root)).get("name", target.root.name))
    session.console.note(f"tracking {target.root} (forget it with: gortex untrack {shlex.quote(name)})")
    return name


def _show(session: Session, results: list[Json], scope: _Scope, *, files_only: bool, lines: int) -> None:
    roots = {str(row["name"]): Path(str(row["path"])) for row in scope.rows if "name" in row and "path" in row}
    layout = hits.Layout(lines, roots, session.cwd)
    for number, hit in enumerate(results):
        if files_only:
            # As it is on disk, since the next program in the pipe opens it.
            session.console.result(hits.shown_path(hit, layout))
            continue
        if number and lines:
            session.console.result("")
        hits.show_hit(session.console, hit, layout)


def _nothing(query: str, scope: _Scope, offset: int, *, is_filtered: bool) -> str:
    """Return a sentence for an answer without hits: where was looked, and what held them back, if anything."""
    where = ", ".join(scope.repos) or "any repository"
    filters = " that pass the filters" if is_filtered else ""
    after = f" after the first {offset}" if offset else ""
    return f"no hits for {query!r} in {where}{filters}{after}"


def _say(session: Session, answer: Json, scope: _Scope, *, explain: bool) -> None:
    note = session.console.note
    remarks = hits.remarks(answer)
    for remark in remarks:
        note(remark)
    if explain:
        note(hits.shape_line(answer))
    for row in scope.rows:
        # What the daemon has warned of needs no second sentence.
        is_said = any(remark.startswith(f"warning: {row.get('name')} ") for remark in remarks)
        if not is_said and (row.get("name") in scope.repos or not scope.repos):
            for sentence in _unfinished(row):
                note(sentence)


def _unfinished(row: Json) -> list[str]:
    """Return what to say of a repository that is not all there."""
    state, name = row.get("state"), row.get("name")
    if state == "indexing":
        return [
            f"{name} is still being indexed; this answer is from the {row.get('files', 0)} files that are in so far"
        ]
    if state == "empty":
        return [f"nothing in {row.get('path')} was indexed; see: gortex status"]
    if state == "failed":
        return [f"indexing {name} failed: {row.get('error') or 'see: gortex daemon logs'}"]
    return []
