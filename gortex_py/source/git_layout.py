"""Where git keeps things: a folder's work tree, ``info/exclude``, global excludes, the newest commit's id.

Only files are read; git itself is not run and no environment variable is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_MAX_INCLUDE_DEPTH = 5  # git's own limit is 10; a cycle must end
_SECTION = re.compile(r'\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_COMMIT = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
_MAX_REF_DEPTH = 5
_ENTRY = re.compile(r"([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$")


@dataclass(frozen=True, slots=True)
class GitLayout:
    """A git work tree and the folder that holds what its work trees share."""

    top: Path  # the work tree's root
    common_dir: Path  # has ``info/exclude``, ``config`` and the branches
    git_dir: Path  # has this work tree's own ``HEAD``


def find_git_layout(folder: Path) -> GitLayout | None:
    """Return the work tree that holds a folder (or is it); None outside of git."""
    for candidate in (folder, *folder.parents):
        git_dir = _git_dir(candidate / ".git")
        if git_dir is not None:
            return GitLayout(candidate, _common_dir(git_dir), git_dir)
    return None


def _git_dir(dot_git: Path) -> Path | None:
    """Follow ``.git``: a folder, or in linked work trees and submodules a file naming one."""
    if dot_git.is_file():
        pointer = _read_text(dot_git).strip()
        if not pointer.startswith("gitdir:"):
            return None
        dot_git = dot_git.parent / pointer.removeprefix("gitdir:").strip()
    return dot_git if (dot_git / "HEAD").is_file() else None


def _common_dir(git_dir: Path) -> Path:
    common = _read_text(git_dir / "commondir").strip()
    return git_dir / common if common else git_dir


def head_commit(layout: GitLayout) -> str | None:
    """Return the id of the newest commit; empty where there is none yet, None where the files do not say."""
    text = _read_text(layout.git_dir / "HEAD").strip()
    for _ in range(_MAX_REF_DEPTH):
        if not text.startswith("ref: refs/") or ".." in text or keeps_reftable(layout):
            break
        text = _read_ref(layout, text.removeprefix("ref: "))
        if not text:
            return ""
    return text if _COMMIT.fullmatch(text) else None


def keeps_reftable(layout: GitLayout) -> bool:
    """Say whether branches are kept in a table that git alone reads."""
    return (layout.common_dir / "reftable").is_dir()


def head_files(layout: GitLayout) -> tuple[Path, ...]:
    """Return the files of which one changes whenever the newest commit does; they need not exist."""
    head = layout.git_dir / "HEAD"
    text = _read_text(head).strip()
    branch = (_ref_file(layout, text.removeprefix("ref: ")),) if text.startswith("ref: refs/") else ()
    return (head, *branch, layout.common_dir / "packed-refs", layout.common_dir / "reftable" / "tables.list")


def _ref_file(layout: GitLayout, ref: str) -> Path:
    is_own = ref.startswith(("refs/bisect/", "refs/worktree/", "refs/rewritten/"))
    return (layout.git_dir if is_own else layout.common_dir) / ref


def _read_ref(layout: GitLayout, ref: str) -> str:
    """Return what a branch holds, in a file of its own or among the packed ones; empty when there is none."""
    loose = _read_text(_ref_file(layout, ref)).strip()
    if loose:
        return loose
    for line in _read_text(layout.common_dir / "packed-refs").splitlines():
        commit, _, name = line.partition(" ")
        if name == ref:
            return commit
    return ""


def global_excludes(layout: GitLayout | None, *, home: Path | None, config_home: Path | None) -> Path | None:
    """Return the user's global ignore file, whether or not it exists.

    ``core.excludesFile`` of the repository wins over ``~/.gitconfig``, that over the one in
    ``config_home`` (by default ``~/.config``); without any it is ``git/ignore`` there.
    """
    if config_home is None and home is not None:
        config_home = home / ".config"
    configs = [config_home / "git" / "config"] if config_home else []
    configs += [home / ".gitconfig"] if home else []
    configs += [layout.common_dir / "config"] if layout else []
    named: str | None = None
    for config in configs:
        for key, value in _read_config(config, home):
            if key == "core.excludesfile":
                named = value
    if named is None:
        return config_home / "git" / "ignore" if config_home else None
    if not named:
        return None
    path = _expand_home(named, home)
    return layout.top / path if layout else path


def _read_config(path: Path, home: Path | None, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield (section.key in lower case, value) of a git configuration file and its includes."""
    section = ""
    for raw in _read_text(path).splitlines():
        line = raw.strip()
        heading = _SECTION.match(line)
        if heading:
            section = heading[1].lower() + (f".{heading[2]}" if heading[2] is not None else "")
            line = line[heading.end() :].strip()
        entry = _ENTRY.match(line)
        if entry is None:
            continue
        key, value = f"{section}.{entry[1].lower()}", _unquote(entry[2] or "")
        if key == "include.path" and depth < _MAX_INCLUDE_DEPTH:
            yield from _read_config(path.parent / _expand_home(value, home), home, depth + 1)
        yield key, value


def _unquote(value: str) -> str:
    """Return a configuration value without quotes, escapes and its comment.

    >>> _unquote('"a # b" ; why'), _unquote("x # y")
    ('a # b', 'x')
    """
    out: list[str] = []
    kept = 0  # characters that trailing white space must not be cut from
    quoted = False
    chars = iter(value)
    for char in chars:
        if char == "\\":
            out.append(next(chars, ""))
        elif char == '"':
            quoted = not quoted
        elif char in "#;" and not quoted:
            break
        else:
            out.append(char)
            if char.isspace() and not quoted:
                continue
        kept = len(out)
    return "".join(out[:kept])


def _expand_home(value: str, home: Path | None) -> Path:
    return home / value[2:] if value.startswith("~/") and home else Path(value)


def _read_text(path: Path) -> str:
    """Return a small text file's content; empty when there is none or it cannot be read."""
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return ""
