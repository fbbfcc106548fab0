"""``gortex completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from gortex_py.surfaces.cli import exits
from gortex_py.surfaces.cli.session import Session

VARIABLE = "_GORTEX_COMPLETE"  # the name click's own completion answers to


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, *, shell: str) -> int:
    """Print a completion script for SHELL.

    To have it in every shell, put the line into the file that is named.

    \b
    ~/.bashrc:                   eval "$(gortex completion bash)"
    ~/.zshrc, after compinit:    eval "$(gortex completion zsh)"
    ~/.config/fish/config.fish:  gortex completion fish | source
    """
    kind = get_completion_class(shell)
    assert kind is not None
    session = ctx.find_object(Session)
    assert session is not None
    session.console.result(kind(ctx.find_root().command, {}, "gortex", VARIABLE).source())
    return exits.FOUND
