"""Write the parts of the docs that the code knows best; run by cog (`make docs`)."""

from __future__ import annotations

import importlib
import io
import json
import pkgutil
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

import gortex_py
from gortex_py.errors import GortexError
from gortex_py.surfaces.cli.exits import MEANINGS, exit_code
from gortex_py.surfaces.cli.group import cli

if TYPE_CHECKING:
    from gortex_py.service.service import Service
    from gortex_py.settings.schema import Setting

DOCS = Path(__file__).resolve().parent
SHOWN_LINES = 5  # of each snippet in the sample of a search


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


# --- a search -----------------------------------------------------------------------------------


def search_example(question: str, limit: int) -> str:
    """Return what `gortex search` shows for a question to the small corpus of tests/golden."""
    import tempfile
    from contextlib import closing

    from gortex_py.evaluation.pipeline import LocalPipeline
    from gortex_py.search.options import SearchOptions
    from gortex_py.service.compose import build_embedder
    from gortex_py.settings.load import load_settings
    from gortex_py.surfaces.cli.console import Console
    from gortex_py.surfaces.cli.hits import Layout, show_hit
    from gortex_py.surfaces.render import hit_json
    from gortex_py.types import Query

    shown = io.StringIO()
    console = Console(shown, shown, {}, "never")
    shown.write(f"$ gortex search {question!r} -k {limit} -n {SHOWN_LINES}\n".replace("'", '"'))
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(
            LocalPipeline(
                build_embedder(load_settings([]).settings),
                search_options=SearchOptions(git_history=False),  # the corpus lies in this project's own work tree
            )
        ) as pipeline,
    ):
        index = Path(folder)
        pipeline.index(DOCS.parent / "tests" / "golden" / "corpus", index)
        with pipeline.open("corpus", index) as engine:
            for number, hit in enumerate(engine.search(Query(question, limit=limit)).hits):
                shown.write("\n" if number else "")
                show_hit(console, hit_json(hit, explain=False), Layout(SHOWN_LINES, {}, Path("/")))
    return f"```\n{shown.getvalue().rstrip()}\n```"


def numbers() -> str:
    """Return our newest kept figures in one sentence; a link alone while none are kept."""
    link = "[docs/evaluation.md](docs/evaluation.md)"
    results = [json.loads(path.read_text()) for path in (DOCS.parent / "data" / "eval" / "results").glob("*.json")]
    ours = [
        raw for raw in results if raw.get("manifest") == "manifest.json" and str(raw.get("method")).startswith("gortex")
    ]
    if not ours:
        return f"How good and how fast, against what, and how to measure it again: {link}."
    newest = max(ours, key=lambda raw: (raw["measured"], raw["revision"]))
    summary = newest["summary"]
    commit, machine = newest["revision"] or "unknown", newest["machine"]
    return (
        f"On {len(newest['corpora'])} open-source projects, NDCG@10 is {summary['overall']['ndcg']:.3f}, a query takes "
        f"{summary['query_p50_ms']:.0f} ms (p95 {summary['query_p95_ms']:.0f} ms), and a first index of all of them "
        f"{summary['index_s']:.0f} s (commit {commit}, {machine}). Against what, and how to measure it again: {link}."
    )


def tool_recall() -> str:
    """Return how often a search for tools finds what a task needs, as a table."""
    kept = json.loads((DOCS.parent / "data" / "eval" / "tool-discovery" / "results.json").read_text())
    head = ("Options", "recall@1", "recall@5", "recall@8", "activated")
    rows = ((name, *(f"{row[key]:g}" for key in head[1:])) for name, row in kept["ways"].items())
    return f"{kept['tasks']} tasks, {kept['tools']} tools of {kept['servers']} servers:\n\n{_table(head, rows)}"


def tool_speed() -> str:
    """Return what tool discovery costs by the number of tools, as a table."""
    kept = json.loads((DOCS.parent / "data" / "eval" / "tool-discovery" / "speed.json").read_text())
    head = ("Tools", "Index s", "New session ms", "Search p50 ms", "Search p95 ms", "Index MB")
    rows = (tuple(f"{value:,}" for value in row.values()) for row in kept["sizes"])
    growth = kept["growth_exponents"]
    return (
        f"{_table(head, rows)}\n\nThe index grows with the number of tools to the power of {growth['index_s']}, "
        f"its memory {growth['index_mb']}, the 95th percentile of a search {growth['search_p95_ms']}."
    )


# --- HTTP -------------------------------------------------------------------------------------


def openapi() -> dict[str, Any]:
    """Return the OpenAPI document; the routes are described without a service behind them."""
    from gortex_py.surfaces.http.app import make_api

    return make_api(cast("Service", None)).openapi()


def routes() -> list[tuple[str, str]]:
    """Return (method, path) of every route, in the order of the document."""
    return [(method.upper(), path) for path, methods in openapi()["paths"].items() for method in methods]


def http_reference() -> str:
    """Return one section a route: what it does, its parameters or body, what it answers."""
    document = openapi()
    schemas = document["components"]["schemas"]
    parts = []
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            parts += [f"### {method.upper()} {path}", route.get("description", "")]
            parts += [_parameters(route.get("parameters", ())), _body(route.get("requestBody"), schemas)]
            parts += [_answers(route["responses"], schemas)]
    return "\n\n".join(part for part in parts if part)


def http_codes() -> str:
    """Return the codes that only HTTP gives: trouble with a request before anything reads it."""
    given = re.compile(r"\bproblem\(\s*(\d{3}),\s*\"([a-z-]+)\"")
    found: dict[str, str] = {}
    for path in sorted((DOCS.parent / "gortex_py" / "surfaces" / "http").glob("*.py")):
        found.update({code: status for status, code in given.findall(path.read_text())})
    from gortex_py.surfaces.http import problems

    found.update({code: str(status) for status, code in problems._HTTP_CODES.items() if code not in found})
    return _table(("Status", "Code"), sorted((status, f"`{code}`") for code, status in found.items()))


def _parameters(parameters: Iterable[dict[str, Any]]) -> str:
    rows = []
    for parameter in parameters:
        default = parameter.get("schema", {}).get("default")
        shown = "needed" if parameter.get("required") else _setting_default(None if default in ([], "") else default)
        rows.append((f"`{parameter['name']}`", shown, parameter.get("description", "")))
    return _table(("Parameter", "Default", "What it is"), rows) if rows else ""


def _body(body: dict[str, Any] | None, schemas: dict[str, Any]) -> str:
    if body is None:
        return ""
    schema = _schema(body["content"]["application/json"]["schema"], schemas)
    return "Body, for example:\n\n" + _json_block(_example(schema))


def _answers(responses: dict[str, Any], schemas: dict[str, Any]) -> str:
    status = min(responses)
    content = responses[status].get("content", {})
    if "application/json" not in content:
        return f"Answers {status}, {', '.join(content)}."
    schema = content["application/json"].get("schema", {})
    example = _example(_schema(schema, schemas))
    if example:
        return f"Answers {status}, for example:\n\n{_json_block(example)}"
    return f"Answers {status} with these fields:\n\n{_json_block(_skeleton(schema, schemas))}"


def _skeleton(schema: dict[str, Any], schemas: dict[str, Any]) -> Any:
    """Return a value of the schema's form in which each leaf is the name of its type."""
    schema = _schema(schema, schemas)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            forms = [_skeleton(form, schemas) for form in schema[key]]
            leaves = [form for form in forms if isinstance(form, str)]
            return next((form for form in forms if not isinstance(form, str)), None) or " or ".join(leaves)
    if "properties" in schema:
        return {name: _skeleton(field, schemas) for name, field in schema["properties"].items()}
    if schema.get("type") == "array":
        items = schema.get("prefixItems", [schema.get("items", {})])
        return [_skeleton(item, schemas) for item in items]
    if isinstance(schema.get("additionalProperties"), dict):
        return {"...": _skeleton(schema["additionalProperties"], schemas)}
    if "enum" in schema or "const" in schema:
        return " | ".join(str(value) for value in schema.get("enum", [schema.get("const")]))
    return schema.get("type", "any")


def _schema(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref", "")
    return cast("dict[str, Any]", schemas[reference.rsplit("/", 1)[-1]]) if reference else schema


def _example(schema: dict[str, Any]) -> Any:
    examples = schema.get("examples") or [schema.get("example")]
    return examples[0]


def _json_block(value: Any) -> str:
    return f"```json\n{json.dumps(value, indent=2, ensure_ascii=False)}\n```"


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
    if value is None or value == ():
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


def signals() -> str:
    """Return the table of signals with what they weigh for code and for prose."""
    from gortex_py.rank.profiles import CODE, PROSE, Weight
    from gortex_py.rank.signals import SIGNALS

    def shown(weight: Weight | None) -> str:
        if weight is None:
            return "–"
        parts = [f"{weight.base:+g}", f"asking {weight.ask:+g}" if weight.ask else ""]
        parts += [f"telling {weight.tell:+g}" if weight.tell else "", "× √(Z / 12)" if weight.is_scaled else ""]
        return " ".join(filter(None, parts))

    rows = [
        (f"`{s.name}`", s.help, shown(CODE.get(s.name)), shown(PROSE.get(s.name)))
        for s in SIGNALS
        if s.name in {**CODE, **PROSE}
    ]
    return _table(("signal", "why it counts", "code", "prose"), rows)


def decision_index() -> str:
    """Return one line a decision record."""
    lines = []
    for path in sorted((DOCS / "decisions").glob("[0-9]*.md")):
        title = path.read_text().splitlines()[0].lstrip("# ").strip()
        lines.append(f"- [{title}]({path.name})")
    return "\n".join(lines)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)
