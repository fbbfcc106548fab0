"""The shape of the code: sizes, names, and where things may be done."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
PACKAGE = PROJECT / "gortex_py"
MODULES = sorted(PACKAGE.rglob("*.py"))

MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 60
MAX_POSITIONAL = 5
# A module that is a table is as long as what it lists.
DATA_MODULES: set[str] = {"parse/registry.py", "settings/schema.py", "source/languages.py"}
# Drawers: everything ends up in them and nobody can say what they are about.
BANNED_NAMES = {"utils", "util", "helpers", "helper", "manager", "common", "misc", "base", "core", "lib", "stuff"}
# How often a module may touch the environment, besides the settings.
ENVIRONMENT_USES = {
    "surfaces/cli/__init__.py": 1,  # hands it on to the settings
    "service/daemon.py": 1,  # bounds the threads of native libraries before they load
}
TOP_LEVEL = {
    *("gortex_py", "config", "data", "docs", "embeddings", "tests", ".ci"),
    *("LICENSE", "Makefile", "README.md", "pyproject.toml", ".gitignore"),
}


def relative(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def code_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count a function's lines without its signature and docstring, which may be as long as they need."""
    first = node.body[0]
    has_doc = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    begin = (first.end_lineno or first.lineno) + 1 if has_doc else first.lineno
    return (node.end_lineno or begin) - begin + 1


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_a_module_is_short_enough_to_read(path: Path) -> None:
    if relative(path) not in DATA_MODULES:
        assert len(path.read_text().splitlines()) <= MAX_MODULE_LINES


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_a_function_fits_a_screen(path: Path) -> None:
    long = [
        f"{f.name}: {code_lines(f)}"
        for f in functions(ast.parse(path.read_text()))
        if code_lines(f) > MAX_FUNCTION_LINES
    ]
    assert not long


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_a_call_can_be_read(path: Path) -> None:
    crowded = []
    for function in functions(ast.parse(path.read_text())):
        count = len(function.args.posonlyargs) + len(function.args.args)
        names = [argument.arg for argument in function.args.args[:1]]
        if count - (names in (["self"], ["cls"])) > MAX_POSITIONAL:
            crowded.append(function.name)
    assert not crowded, "pass a record, or make arguments keyword-only"


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_a_module_is_named_for_an_idea(path: Path) -> None:
    parts = set(Path(relative(path)).with_suffix("").parts)
    assert not parts & BANNED_NAMES


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_a_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text()))


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_the_environment_is_read_in_one_place(path: Path) -> None:
    if relative(path).startswith("settings/"):
        return
    uses = [
        node.lineno
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
        and node.attr in {"environ", "getenv", "environb", "putenv"}
    ]
    assert len(uses) <= ENVIRONMENT_USES.get(relative(path), 0), uses


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_an_error_is_never_dropped_unnamed(path: Path) -> None:
    wide = {"Exception", "BaseException"}
    dropped = []
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        is_wide = any(kind is None or (isinstance(kind, ast.Name) and kind.id in wide) for kind in caught)
        if is_wide and all(isinstance(statement, (ast.Pass, ast.Continue)) for statement in node.body):
            dropped.append(node.lineno)
    assert not dropped


def test_nothing_is_left_for_later() -> None:
    marks = ("TO" + "DO", "FIX" + "ME", "X" * 3)
    found = [
        f"{path.relative_to(PROJECT)}: {mark}"
        for path in (*MODULES, *sorted((PROJECT / "docs").rglob("*.md")), PROJECT / "README.md")
        for mark in marks
        if mark in path.read_text()
    ]
    assert not found


def test_the_top_level_stays_as_it_is() -> None:
    made = {".venv", ".git", "dist", ".coverage"}
    present = {path.name for path in PROJECT.iterdir()} - made
    stray = {name for name in present - TOP_LEVEL if not name.endswith("_cache") and name != ".hypothesis"}
    assert not stray


def test_layers_hold() -> None:
    """The contracts of pyproject.toml are run by `make lint`; here they must only all be there."""
    import tomllib

    contracts = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    protected = {module for contract in contracts for module in contract.get("protected_modules", [])}
    assert {"sqlite3", "sqlite_utils", "tree_sitter", "watchdog", "fastapi", "click", "yaml"} <= protected
    assert any(contract["type"] == "layers" and contract.get("exhaustive") for contract in contracts)
