"""``gortex tools``."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from gortex_py.errors import GortexError, NotFound
from gortex_py.surfaces.cli import exits
from gortex_py.surfaces.cli.console import printable
from gortex_py.surfaces.cli.options import json_option
from gortex_py.surfaces.cli.session import Session

MODES = ("auto", "off", "mcp-only", "all")
START_TIMEOUT_S = 3600.0  # the daemon knows when a server takes too long


@click.group("tools", short_help="Find tools of MCP servers and hide the rest.")
def command() -> None:
    """Import MCP servers, and find the few of their tools that a task needs."""


@command.command("search", short_help="Find tools by what they do.")
@click.argument("query")
@click.option("-k", "--limit", type=int, help="Find this many tools; 8 when not given.")
@click.option("--session", "session_id", metavar="ID", help="Search a session and switch on what is found.")
@click.option("--catalogue", metavar="NAME", help="Search this catalogue alone.")
@click.option("--rank-only", is_flag=True, help="Switch nothing on.")
@click.option("--expanded", is_flag=True, help="Show every tool that was found.")
@json_option
@click.pass_obj
def search_command(
    session: Session,
    query: str,
    *,
    limit: int | None,
    session_id: str | None,
    catalogue: str | None,
    rank_only: bool,
    expanded: bool,
    as_json: bool,
) -> int:
    """Find tools by what they do; without a session nothing is switched on."""
    client = session.started_client()
    body = {
        "query": query,
        "limit": limit,
        "session_id": session_id,
        "catalogue": catalogue,
        "activate": False if rank_only else None,
    }
    answer = client.request("POST", "/v1/tools/search", body=body)
    if as_json:
        session.console.results_json(answer)
    else:
        shown = client.request("POST", "/v1/tools/render", body={"details": answer, "expanded": expanded})
        session.console.result(shown["text"])
        for server in answer.get("servers") or ():
            reason = server["error"] or "its tools were never listed"
            session.console.note(f"not searched: {server['name']} ({printable(str(reason))})")
    return exits.FOUND if answer["tools"] else exits.NOTHING


@command.command("list", short_help="List the tools that can be used.")
@click.option("--session", "session_id", metavar="ID", help="List the tools of a session.")
@click.option(
    "--state",
    type=click.Choice(["active", "discoverable", "selected"]),
    default="active",
    show_default=True,
    help="Which tools of the session.",
)
@json_option
@click.pass_obj
def list_command(session: Session, *, session_id: str | None, state: str, as_json: bool) -> int:
    """List the tools that can be used, one a line."""
    client = session.started_client()
    if session_id is None:
        answer = client.request("GET", "/v1/tools")
    else:
        path = f"/v1/tools/sessions/{quote(session_id, safe='')}/tools"
        answer = client.request("GET", path, parameters={"state": state, "form": "compact"})
    if as_json:
        session.console.results_json(answer)
        return exits.FOUND
    for tool in answer["tools"]:
        name = session.console.style("name", printable(tool["name"]))
        session.console.result(f"{name}  {_line(tool['description'])}".rstrip())
    if session_id is None and answer["tools"]:
        tokens = sum(tool["tokens"] for tool in answer["tools"])
        session.console.note(f"{_count(len(answer['tools']), 'tool')}, about {tokens:,} tokens")
    elif not answer["tools"]:
        session.console.note("no tools; begin with: gortex tools import FILE")
    return exits.FOUND


@command.command("import", short_help="Take over the MCP servers of another client.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--only", metavar="NAME", multiple=True, help="Take this server alone; repeatable.")
@click.option("--dry-run", is_flag=True, help="Show what would be taken over and change nothing.")
@click.option("--no-start", is_flag=True, help="Do not start the servers to list their tools.")
@json_option
@click.pass_obj
def import_command(
    session: Session, file: Path, *, only: tuple[str, ...], dry_run: bool, no_start: bool, as_json: bool
) -> int:
    """Take over the MCP servers that FILE sets up for another client.

    Taken are the files of Claude, Cursor, VS Code, Windsurf, Cline, Gemini, Codex, Zed, opencode, Goose and
    whatever else has `mcpServers`. Each server is started once to list its tools.
    """
    from gortex_py.settings.mcp_import import add_servers, read_client_file

    imported = read_client_file(session.cwd / file.expanduser())
    unknown = [name for name in only if name not in imported.servers]
    if unknown:
        known = ", ".join(imported.servers) or "none"
        raise NotFound(f"{file} has no server {unknown[0]!r}; there are: {known}", code="unknown-server")
    servers = {name: entry for name, entry in imported.servers.items() if not only or name in only}
    for note in imported.notes:
        session.console.note(f"note: {printable(note)}")
    if dry_run:
        for name, entry in servers.items():
            session.console.result(f"{name}  {printable(str(entry.get('command') or entry.get('url')))}")
        return exits.FOUND
    new, replaced = add_servers(session.paths.servers_file, servers)
    session.console.note(
        f"{_count(len(new), 'server')} added, {len(replaced)} replaced in {session.paths.servers_file}"
    )
    client = session.started_client()
    client.request("POST", "/v1/tools/servers/reload")
    active = [name for name, entry in servers.items() if not entry.get("disabled")]
    failed = 0 if no_start else sum(not _refreshed(session, name) for name in active)
    return max(_show_servers(session, as_json=as_json), exits.TROUBLE if failed else exits.FOUND)


@command.command("servers", short_help="Show the MCP servers that are set up.")
@click.option("--refresh", metavar="NAME", multiple=True, help="Start this server and list its tools; repeatable.")
@click.option("--approve", metavar="NAME", multiple=True, help="Approve its changed definitions; repeatable.")
@click.option("--reload", "reloads", is_flag=True, help="Read the file of servers anew.")
@json_option
@click.pass_obj
def servers_command(
    session: Session, *, refresh: tuple[str, ...], approve: tuple[str, ...], reloads: bool, as_json: bool
) -> int:
    """Show the MCP servers that are set up, where each stands, and what their tools would cost a model."""
    client = session.started_client()
    if reloads:
        client.request("POST", "/v1/tools/servers/reload")
    failed = sum(not _refreshed(session, name) for name in refresh)
    for name in approve:
        client.request("POST", f"/v1/tools/servers/{quote(name, safe='')}/approve", body={})
    return max(_show_servers(session, as_json=as_json), exits.TROUBLE if failed else exits.FOUND)


@command.command("sessions", short_help="Show and begin tool sessions.")
@click.option("--new", is_flag=True, help="Begin a session and print its id.")
@click.option("--mode", type=click.Choice(MODES), help="What the new session hides.")
@click.option("--close", "closes", metavar="ID", multiple=True, help="Forget this session; repeatable.")
@json_option
@click.pass_obj
def sessions_command(session: Session, *, new: bool, mode: str | None, closes: tuple[str, ...], as_json: bool) -> int:
    """Show the tool sessions, the one used last first."""
    client = session.started_client()
    for session_id in closes:
        client.request("DELETE", f"/v1/tools/sessions/{quote(session_id, safe='')}")
    if new:
        opened = client.request("POST", "/v1/tools/sessions", body={} if mode is None else {"mode": mode})
        if as_json:
            session.console.results_json(opened)
        else:
            session.console.result(opened["id"])
        return exits.FOUND
    answer = client.request("GET", "/v1/tools/sessions")
    if as_json:
        session.console.results_json(answer)
        return exits.FOUND
    for row in answer["sessions"]:
        hidden = f"{len(row['active'])} active, {row['discoverable']} hidden"
        session.console.result(f"{row['id']}  {row['mode']}  {hidden}")
    if not answer["sessions"] and not closes:
        session.console.note("no tool sessions")
    return exits.FOUND


def _refreshed(session: Session, name: str) -> bool:
    """List a server's tools; says so when that fails."""
    session.console.note(f"listing the tools of {name}")
    path = f"/v1/tools/servers/{quote(name, safe='')}/refresh"
    try:
        session.client().request("POST", path, timeout_s=START_TIMEOUT_S)
    except NotFound:
        raise
    except GortexError as error:
        session.console.note(f"error: {printable(error.message)}")
        return False
    return True


def _show_servers(session: Session, *, as_json: bool) -> int:
    answer = session.client().request("GET", "/v1/tools/servers")
    if as_json:
        session.console.results_json(answer)
        return exits.FOUND
    width = max((len(row["name"]) for row in answer["servers"]), default=0)
    for row in answer["servers"]:
        session.console.result(f"{_server_line(session, row, width)}")
    for trouble in answer["problems"]:
        session.console.note(f"warning: {printable(trouble)}")
    if not answer["servers"]:
        session.console.note("no MCP servers are set up; begin with: gortex tools import FILE")
        return exits.FOUND
    session.console.result(_cost_line(answer["servers"]))
    return exits.FOUND


def _server_line(session: Session, row: dict[str, Any], width: int) -> str:
    state = session.console.style("bad" if row["state"] == "failed" else "good", row["state"])
    withheld = f", {row['withheld']} withheld" if row["withheld"] else ""
    line = f"{row['name']:<{width}}  {state}  {_count(row['tools'], 'tool')}{withheld}, about {row['tokens']:,} tokens"
    if row["error"]:
        line += f"\n{'':<{width}}  {_line(row['error'])}"
    if row["changed"]:
        line += f"\n{'':<{width}}  changed since approved: {_line(', '.join(row['changed']))}"
    return line


def _cost_line(rows: list[dict[str, Any]]) -> str:
    """Say what a model is spared when these tools are hidden."""
    from gortex_py.surfaces.mcp.meta_tools import meta_tokens

    tools, tokens = sum(row["tools"] for row in rows), sum(row["tokens"] for row in rows)
    kept = meta_tokens()
    saved = f"{1 - kept / tokens:.0%}" if tokens > kept else "0%"
    return (
        f"all {_count(tools, 'tool')} in the context: about {tokens:,} tokens; "
        f"hidden behind search_tool_bm25: about {kept:,} ({saved} saved)"
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _line(text: str) -> str:
    return printable(" ".join(text.split()))
