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

    \b
    bash:  gortex completion bash > ~/.local/share/bash-completion/completions/gortex
    zsh:   gortex completion zsh > "${fpath[1]}/_gortex"
    fish:  gortex completion fish > ~/.config/fish/completions/gortex.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    session = ctx.find_object(Session)
    assert session is not None
    session.console.result(kind(ctx.find_root().command, {}, "gortex", VARIABLE).source())
    return exits.FOUND
