"""What exists is documented, and what is documented exists."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click
import pytest

import gortex_py
from gortex_py.embed.variants import VARIANTS, table_file
from gortex_py.surfaces.cli.exits import MEANINGS

PROJECT = Path(__file__).resolve().parents[2]
DOCS = PROJECT / "docs"
PAGES = sorted([PROJECT / "README.md", *DOCS.rglob("*.md"), *(PROJECT / "tests").glob("*.md")])
PAGES += sorted((PROJECT / "embeddings").glob("*.md"))

sys.path.insert(0, str(DOCS))
import generate  # noqa: E402 (lies beside the pages it fills)


def page(name: str) -> str:
    return (DOCS / name).read_text()


def named(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


def source_text() -> str:
    """Return the package's source with the pieces of split strings joined."""
    text = "\n".join(path.read_text() for path in sorted((PROJECT / "gortex_py").rglob("*.py")))
    return re.sub(r"\"\s*\n\s*f?\"", "", text)


def test_every_command_is_documented_and_every_documented_one_exists() -> None:
    documented = set(re.findall(r"^#{2,3} (gortex [a-z -]+)$", page("cli.md"), re.MULTILINE))
    assert documented == {name for name, _ in generate.commands()}


def test_every_option_is_documented() -> None:
    sections = re.split(r"^#{2,3} ", page("cli.md"), flags=re.MULTILINE)
    by_command = {section.splitlines()[0]: section for section in sections if section}
    for name, command in generate.commands():
        for option in command.params:
            if isinstance(option, click.Option):
                assert f"`{', '.join(option.opts)}" in by_command[name], f"{name} {option.opts}"


def test_every_command_and_option_says_what_it_does() -> None:
    for name, command in generate.commands():
        assert command.help, name
        for option in command.params:
            if isinstance(option, click.Option):
                assert (option.help or "").rstrip("]").endswith((".", "default: auto", "default: code")), (
                    f"{name} {option.opts}"
                )


def test_commands_are_listed_by_a_short_line() -> None:
    # Completion cuts at 45 characters, and fish at a comma.
    for name, command in generate.commands():
        line = command.get_short_help_str()
        assert "..." not in line and "," not in line, (name, line)


def test_every_exit_code_is_documented() -> None:
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", page("cli.md"), re.MULTILINE)}
    assert documented == set(MEANINGS)


def test_every_error_code_is_documented_and_every_documented_one_exists() -> None:
    documented = set(re.findall(r"^\|[^|]*?`([a-z]+(?:-[a-z]+)*)` \|", page("errors.md"), re.MULTILINE))
    documented |= set(re.findall(r"^\| [^|]* \| `([a-z-]+)` \|", page("errors.md"), re.MULTILINE))
    assert documented == set(generate.error_codes())


def test_every_quoted_message_exists() -> None:
    source = source_text()
    quoted = re.findall(r"^## \"(.+)\"$", page("troubleshooting.md"), re.MULTILINE)
    assert quoted
    assert [message for message in quoted if message not in source] == []


def test_every_package_has_its_place_in_the_architecture() -> None:
    text = page("architecture.md")
    packages = {path.parent.name for path in (PROJECT / "gortex_py").glob("*/__init__.py")}
    modules = {path.stem for path in (PROJECT / "gortex_py").glob("*.py")} - {"__init__", "__main__"}
    missing = [name for name in sorted(packages | modules) if f"](../gortex_py/{name}" not in text]
    assert not missing


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    broken = [
        target
        for target in targets
        if not target.startswith(("http://", "https://", "#")) and not (path.parent / target.split("#")[0]).exists()
    ]
    assert not broken


def test_decisions_are_short_numbered_and_listed() -> None:
    records = sorted((DOCS / "decisions").glob("[0-9]*.md"))
    numbers = [record.name[:4] for record in records]
    assert len(numbers) == len(set(numbers))
    index = page("decisions/README.md")
    for record in records:
        assert len(record.read_text().splitlines()) <= 40, record.name
        assert f"({record.name})" in index, record.name
        assert re.match(rf"# 0*{int(record.name[:4])}\b", record.read_text()), record.name


def test_the_changelog_begins_with_this_version() -> None:
    newest = re.search(r"^## (\S+)", page("changelog.md"), re.MULTILINE)
    assert newest is not None
    assert newest.group(1) == gortex_py.__version__


def test_the_readme_begins_with_one_sentence_and_two_commands() -> None:
    paragraphs = (PROJECT / "README.md").read_text().split("\n\n")
    assert paragraphs[0].startswith("# ")
    assert paragraphs[1].count(". ") == 0
    assert paragraphs[1].endswith(".")
    commands = [line.split("#")[0].strip() for line in paragraphs[2].strip("`\n").splitlines()]
    assert commands == ["make run REPO=/path/to/repo", "make test"]


def test_the_readme_gives_the_size_of_the_word_table() -> None:
    stated = re.search(r"table of ([\d.]+) MB", (PROJECT / "README.md").read_text())
    assert stated is not None
    assert f"{(PROJECT / 'embeddings' / table_file(VARIANTS[0])).stat().st_size / 1e6:.1f}" == stated.group(1)


def test_every_make_target_of_the_docs_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (PROJECT / "Makefile").read_text(), re.MULTILINE))
    asked = {
        target
        for path in PAGES
        for target in re.findall(r"\bmake ([a-z-]+)\b(?=[^a-z]*`|\s+[A-Z]+=)", path.read_text())
    }
    assert asked <= targets


def test_every_folder_of_tests_is_explained() -> None:
    text = (PROJECT / "tests" / "README.md").read_text()
    folders = {
        path.parent.relative_to(PROJECT / "tests").parts[0] for path in (PROJECT / "tests").glob("*/**/test_*.py")
    }
    assert [folder for folder in sorted(folders) if f"`{folder}/" not in text] == []


def test_every_setting_is_documented_and_every_documented_one_exists() -> None:
    from gortex_py.settings.schema import SETTINGS

    rows = re.findall(r"^\| `([a-z_]+\.[a-z_]+)` \| `(GORTEX_[A-Z_]+)` \|", page("configuration.md"), re.MULTILINE)
    assert dict(rows) == {setting.key: setting.env for setting in SETTINGS}


def test_every_route_is_documented_and_every_documented_one_exists() -> None:
    documented = re.findall(r"^### (GET|POST|DELETE|PUT|PATCH) (\S+)$", page("http-api.md"), re.MULTILINE)
    assert sorted(documented) == sorted(generate.routes())
