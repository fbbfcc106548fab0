"""The command line: ``gortex``."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import click

from gortex_py.errors import GortexError
from gortex_py.surfaces.cli import exits
from gortex_py.surfaces.cli.console import Console, printable
from gortex_py.surfaces.cli.session import Session


def main() -> NoReturn:
    """Run the command line of this process."""
    sys.exit(run(sys.argv[1:], os.environ))


def run(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run one command and return its exit code; errors become one line on stderr."""
    for stream in (sys.stdout, sys.stderr):
        # A locale without the character must not turn an answer into a crash.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    console = Console(sys.stdout, sys.stderr, environ)
    try:
        code = _dispatch(arguments, environ, console)
        console.flush()
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else exits.TROUBLE
    return code


def _dispatch(arguments: Sequence[str], environ: Mapping[str, str], console: Console) -> int:
    from gortex_py.surfaces.cli.group import cli

    try:
        session = Session(environ, home_folder(environ), working_folder(), console, sys.argv[0])
        code = cli.main(list(arguments), prog_name="gortex", standalone_mode=False, obj=session)
        return code if isinstance(code, int) else exits.FOUND
    except (click.Abort, KeyboardInterrupt):
        return exits.INTERRUPTED
    except click.ClickException as error:
        _show_usage(error, console)
        return exits.TROUBLE
    except GortexError as error:
        console.note(f"error: {error.message}")
        return exits.exit_code(error)
    except OSError as error:
        where = "" if error.filename is None else f"{printable(str(error.filename))}: "
        console.note(f"error: {where}{error.strerror or error}")
        return exits.TROUBLE
    except Exception:  # noqa: BLE001 (the outermost frame: an uncaught error would exit 1, which means "no hits")
        import traceback

        console.note(traceback.format_exc() + "this is a defect in gortex; the lines above say where")
        return exits.TROUBLE


def _show_usage(error: click.ClickException, console: Console) -> None:
    """Say what is wrong with a command line in the form of every other error, below how it is used."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show(sys.stderr)  # the help, which is no complaint
        return
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is not None:
        console.note(f"{context.get_usage()}\nhelp:  {context.command_path} --help")
    console.note(f"error: {error.format_message()}")


def home_folder(environ: Mapping[str, str]) -> Path:
    """Return the user's home folder: HOME, or the account's when it is not set."""
    home = environ.get("HOME")
    return Path(home) if home else Path("~").expanduser()


def working_folder() -> Path:
    """Return the folder the command was typed in, spelled as the shell spells it."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise GortexError("the current folder does not exist any more; go to one that does", code="no-cwd") from None
