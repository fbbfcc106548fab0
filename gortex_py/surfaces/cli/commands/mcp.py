"""``gortex mcp``."""

from __future__ import annotations

import click

from gortex_py.surfaces.cli import exits
from gortex_py.surfaces.cli.session import Session

MODES = ("auto", "off", "mcp-only", "all")


@click.command("mcp", short_help="Serve an MCP client over stdin and stdout.")
@click.option("--tools", is_flag=True, help="Serve the tools of the MCP servers that are set up.")
@click.option("--mode", type=click.Choice(MODES), help="What is hidden, in place of tools.discovery_mode.")
@click.pass_obj
def command(session: Session, *, tools: bool, mode: str | None) -> int:
    """Serve an MCP client over stdin and stdout; the client starts this itself.

    The tools of all MCP servers that are set up (see `gortex tools import`) are offered as those of one
    server. Most stay hidden until `search_tool_bm25` finds them. The daemon is started when none runs.
    """
    if not tools:
        raise click.UsageError("say what to serve: gortex mcp --tools")
    from gortex_py.surfaces.mcp.backend import RemoteTools
    from gortex_py.surfaces.mcp.stdio import run_stdio

    session.started_client()  # what is wrong is said before the client waits for an answer
    run_stdio(RemoteTools(session.started_client), mode)
    return exits.FOUND
