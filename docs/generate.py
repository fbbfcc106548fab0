"""Write the parts of the docs that the code knows best; run by cog (`make docs`)."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

import gortex_py
from gortex_py.errors import GortexError
from gortex_py.surfaces.cli.exits import MEANINGS, exit_code
from gortex_py.surfaces.cli.group import cli

if TYPE_CHECKING:
    from gortex_py.settings.schema import Setting

DOCS = Path(__file__).resolve().parent


# --- the command line ---------------------------------------------------------------------


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield every command with its full name, groups before what is in them."""
    context = click.Context(cli, info_name="gortex")
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        yield f"gortex {name}", command
        if isinstance(command, click.Group):
            for sub_name, sub_command in command.commands.items():
                yield f"gortex {name} {sub_name}", sub_command


def cli_reference() -> str:
    """Return one section a command: what it does, its arguments, its options."""
    return "\n\n".join(_command_section(name, command) for name, command in commands())


def exit_codes() -> str:
    """Return the exit codes as a table."""
    return _table(("Code", "Meaning"), ((str(code), meaning) for code, meaning in MEANINGS.items()))


def _command_section(name: str, command: click.Command) -> str:
    level = "###" if name.count(" ") > 1 else "##"
    arguments = [parameter for parameter in command.params if isinstance(parameter, click.Argument)]
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    metavars = [a.human_readable_name if a.required else f"[{a.human_readable_name}]" for a in arguments]
    usage = " ".join([name, *(["[OPTIONS]"] if options else []), *metavars])
    parts = [
        f"{level} {name}",
        f"`{usage}`" if not isinstance(command, click.Group) else "",
        _prose(command.help or ""),
    ]
    if options:
        parts.append("\n".join(_option_line(option) for option in options))
    return "\n\n".join(part for part in parts if part)


def _option_line(option: click.Option) -> str:
    spelled = ", ".join(option.opts)
    takes = "" if option.is_flag else f" {_value_name(option)}"
    default = ""
    if option.show_default and not option.is_flag:
        default = f" Default: {option.default}."
    help_text = re.sub(r"\s*\[default: (.*?)\]", r" Default: \1.", option.help or "")
    return f"- `{spelled}{takes}`: {help_text}{default}"


def _value_name(option: click.Option) -> str:
    if isinstance(option.type, click.Choice):
        return "|".join(str(choice) for choice in option.type.choices)
    return option.metavar or option.type.name.upper().replace(" RANGE", "")


def _prose(help_text: str) -> str:
    """Return click's help as Markdown; a paragraph after \\b keeps its lines."""
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", help_text.strip()):
        lines = [line.strip() for line in paragraph.splitlines()]
        if lines[0] == "\b":
            paragraphs.append("```\n" + "\n".join(lines[1:]) + "\n```")
        else:
            paragraphs.append(" ".join(lines))
    return "\n\n".join(paragraphs)


# --- errors ---------------------------------------------------------------------------------


def error_classes() -> list[type[GortexError]]:
    """Return the exception tree, every class after its parent."""
    for module in pkgutil.walk_packages(gortex_py.__path__, "gortex_py."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)

    def below(parent: type[GortexError]) -> Iterator[type[GortexError]]:
        for child in sorted(parent.__subclasses__(), key=lambda kind: kind.__name__):
            if child.__module__.startswith("gortex_py."):
                yield child
                yield from below(child)

    return [GortexError, *below(GortexError)]


def error_codes() -> dict[str, str]:
    """Return every code an error of this package can carry, with the name of its class."""
    codes = {kind.code: kind.__name__ for kind in error_classes()}
    raised = re.compile(r"\b([A-Z]\w+)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*?\bcode=\"([a-z-]+)\"", re.DOTALL)
    for path in sorted((DOCS.parent / "gortex_py").rglob("*.py")):
        for name, code in raised.findall(path.read_text()):
            codes.setdefault(code, name)
    return codes


def error_tree() -> str:
    """Return the exception classes as a table."""
    rows = []
    for kind in error_classes():
        depth = len(kind.__mro__) - len(GortexError.__mro__)
        meaning = (kind.__doc__ or "").strip().splitlines()[0]
        sample = exit_code(kind("", code=kind.code))
        rows.append((f"{'&nbsp;&nbsp;' * depth}`{kind.__name__}`", f"`{kind.code}`", meaning, str(sample)))
    return _table(("Class", "Code", "Meaning", "Exit"), rows)


def code_list() -> str:
    """Return the codes besides those that name a class."""
    named = {kind.code for kind in error_classes()}
    rows = sorted((f"`{code}`", f"`{name}`") for code, name in error_codes().items() if code not in named)
    return _table(("Code", "Class"), rows)


# --- settings ---------------------------------------------------------------------------------


def settings_reference() -> str:
    """Return a table a section of settings."""
    from gortex_py.settings.schema import SECTIONS, SETTINGS

    parts = []
    for section in SECTIONS:
        rows = [
            (f"`{setting.key}`", f"`{setting.env}`", _setting_default(setting.default), _setting_help(setting))
            for setting in SETTINGS
            if setting.section == section
        ]
        parts.append(f"### {section}\n\n" + _table(("Key", "Variable", "Default", "What it is"), rows))
    return "\n\n".join(parts)


def _setting_default(value: object) -> str:
    if value is None:
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _setting_help(setting: Setting) -> str:
    parts = [f"{setting.help[0].upper()}{setting.help[1:]}."]
    if setting.choices:
        parts.append(f"One of {', '.join(f'`{choice}`' for choice in setting.choices)}.")
    if setting.override_env:
        parts.append(f"`{setting.override_env}` wins over everything but the flag.")
    if setting.flag:
        parts.append(f"Flag `{setting.flag}`.")
    if setting.stales_index:
        parts.append("Another value makes the index be built again.")
    if not setting.per_repo:
        parts.append("Not from a repository's file.")
    return " ".join(parts)


# --- decisions --------------------------------------------------------------------------------


def decision_index() -> str:
    """Return one line a decision record."""
    lines = []
    for path in sorted((DOCS / "decisions").glob("[0-9]*.md")):
        title = path.read_text().splitlines()[0].lstrip("# ").strip()
        lines.append(f"- [{title}]({path.name})")
    return "\n".join(lines)


def _table(head: tuple[str, ...], rows: object) -> str:
    assert hasattr(rows, "__iter__")
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)
