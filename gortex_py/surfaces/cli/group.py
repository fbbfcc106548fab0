"""The root command and the list of its sub-commands, each imported when it is asked for."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from shlex import quote

import click

from gortex_py import __version__

# In the order in which a newcomer meets them; each is a module of `commands` with one `command`.
COMMANDS = {
    "search": "search",
    "index": "index",
    "track": "track",
    "untrack": "untrack",
    "repos": "repos",
    "status": "status",
    "tools": "tools",
    "mcp": "mcp",
    "daemon": "daemon",
    "service": "service",
    "memory": "memory",
    "doctor": "doctor",
    "eval": "evaluate",
    "completion": "completion",
    "version": "version",
}


class LazyGroup(click.Group):
    """A group that imports a sub-command's module only when that command is looked at."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"gortex_py.surfaces.cli.commands.{COMMANDS[cmd_name]}")
        command = module.command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, and where there is none say what may have been meant."""
        name = args[0]
        if name in COMMANDS or name.startswith("-"):
            return super().resolve_command(ctx, args)
        near = get_close_matches(name, COMMANDS, n=1)
        meant = near[0] if near else f"search {quote(' '.join(args))}"
        raise click.UsageError(f"there is no command {name!r}; did you mean: gortex {meant}", ctx)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 hits or done, 1 no hits, 2 error, 3 another program holds the port, 130 interrupted.",
)
@click.version_option(__version__, "--version", message="gortex %(version)s")
def cli() -> None:
    """Search code and prose of local repositories by words and by meaning.

    A search starts the daemon when none runs, and indexes the repository when it is new.
    """
