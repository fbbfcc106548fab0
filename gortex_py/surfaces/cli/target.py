"""Which folder a command means: the tracked repository, the git root, or the folder itself."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gortex_py.errors import Conflict, NotFound, UsageError


@dataclass(frozen=True, slots=True)
class Target:
    """A repository to search, and the part of it that was named."""

    root: Path  # absolute
    name: str | None  # None while it is not tracked
    inside: str  # the named part, relative to root with forward slashes; "" is all of it
    is_file: bool = False  # the named part is one file


def resolve(path: Path, repos: Iterable[Mapping[str, Any]], home: Path, *, narrow: bool) -> Target:
    """Return what a path means.

    :param repos: rows of ``GET /v1/repos``; the innermost that holds the path wins.
    :param narrow: the path was named, so a sub-folder means just that sub-folder.
    :raises NotFound: when there is no such path.
    :raises UsageError: when an untracked path is the file system's root or the home folder.
    """
    try:
        real = path.resolve(strict=True)
    except OSError as error:
        raise NotFound(f"{path}: {error.strerror or 'no such file or folder'}", code="no-such-path") from error
    except RuntimeError as error:  # a loop of links, before Python 3.13
        raise NotFound(f"{path}: a loop of links", code="no-such-path") from error
    folder = real if real.is_dir() else real.parent
    row = _innermost(folder, repos)
    root = Path(str(row["path"])) if row else checked_root(find_root(folder, home), home)
    inside = ""
    if narrow and real != root.resolve():
        inside = real.relative_to(root.resolve()).as_posix()
    return Target(root, str(row["name"]) if row else None, inside, is_file=narrow and not real.is_dir())


def find_root(folder: Path, home: Path) -> Path:
    """Return the git root that holds a folder, the folder itself outside of git.

    Settings kept in a repository at the home folder do not make everything below it one project.
    """
    for candidate in (folder, *folder.parents):
        if _is_everything(candidate, home):
            break
        # A file in worktrees and submodules.
        if (candidate / ".git").exists():
            return candidate
    return folder


def checked_root(root: Path, home: Path) -> Path:
    """Return the root unless indexing it would take in everything the user has.

    :raises UsageError: for the root of the file system, the home folder and what holds it.
    """
    if _is_everything(root, home):
        what = "your home folder" if root == home.resolve() else "a folder that holds your home folder"
        what = "the whole file system" if root == Path(root.anchor) else what
        raise UsageError(
            f"{root} is {what}: it is not indexed; name a project's folder as PATH, or run this inside one",
            code="refused-root",
        )
    return root


def check_name(asked: str | None, known: str, root: Path) -> None:
    """See that a repository has the name that was asked for.

    :raises Conflict: when it was tracked under another one before.
    """
    if asked not in (None, known):
        raise Conflict(
            f"{root} is tracked as {known!r} already; to call it {asked!r}, forget it first: "
            f"gortex untrack {shlex.quote(known)}",
            code="already-tracked",
        )


def path_globs(target: Target, globs: Iterable[str]) -> list[str]:
    """Return path filters relative to the repository, from filters relative to the named part.

    >>> path_globs(Target(Path("/r"), "r", "src"), ["*.py", "lib/*.c"])
    ['src/**/*.py', 'src/lib/*.c']
    >>> path_globs(Target(Path("/r"), "r", "src"), [])
    ['src/**']
    """
    if not target.inside:
        return list(globs)
    prefix = escaped(target.inside)
    if target.is_file:
        return [prefix]
    below = [f"{prefix}/{glob.lstrip('/')}" if "/" in glob.rstrip("/") else f"{prefix}/**/{glob}" for glob in globs]
    return below or [f"{prefix}/**"]


def escaped(path: str) -> str:
    """Return a glob that matches just this path.

    >>> escaped("app/[id]/page.tsx")
    'app/[[]id]/page.tsx'
    """
    return "".join(f"[{c}]" if c in "*?[" else c for c in path)


def _is_everything(folder: Path, home: Path) -> bool:
    return folder == Path(folder.anchor) or home.resolve().is_relative_to(folder)


def _innermost(folder: Path, repos: Iterable[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    holding = [row for row in repos if "path" in row and "name" in row and _holds(Path(str(row["path"])), folder)]
    return max(holding, key=lambda row: len(str(row["path"])), default=None)


def _holds(root: Path, folder: Path) -> bool:
    return folder.is_relative_to(root) or folder.is_relative_to(root.resolve())
