"""What past commits said of the files: read from git once, and again when there are new ones."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from gortex_py.history.commits import HISTORY, History, build, carry_on, decode, encode
from gortex_py.history.log import Log, Repository, is_ancestor, read_log, resolve_head
from gortex_py.protocols import Enrichment, StoreReader
from gortex_py.source.git_layout import GitLayout, find_git_layout, head_commit, keeps_reftable
from gortex_py.types import Problem

NONE = build("", Log((), {}))
NO_HEAD = "git's HEAD does not name a commit"
NO_LAYOUT = "there is a .git here, but it is not a git repository"


class HistoryEnricher:
    """Keeps the subjects of the last commits, where a folder lies in a git work tree.

    An unchanged history costs the reading of two small files.
    """

    name = HISTORY

    def __init__(self, root: Path, *, home: Path | None = None, config_home: Path | None = None) -> None:
        self._root = root
        self._home = home
        self._config_home = config_home
        self._problems: tuple[Problem, ...] = ()

    @property
    def problems(self) -> Sequence[Problem]:
        """Why there is no history, or not all of it."""
        return self._problems

    def refresh(self, reader: StoreReader, before: Enrichment | None, *, thorough: bool) -> Enrichment | None:
        """Return the history where the newest commit is another one; trouble leaves what was known.

        Where git said nothing it is asked again when asked to be thorough.
        """
        root = self._root.resolve()
        layout = find_git_layout(root)
        if layout is None:
            self._tell(NO_LAYOUT if _is_broken(root / ".git") else None)
            return _nothing(before)
        prefix = "" if root == layout.top else root.relative_to(layout.top).as_posix()
        repository = Repository(layout.top, prefix, self._home, self._config_home)
        head = head_commit(layout)
        if head is None and keeps_reftable(layout):
            head = resolve_head(repository) or ""
        if not head:
            self._tell(None if head == "" else NO_HEAD)
            return _nothing(before)
        place = f"{_depth(layout)} {prefix}"
        known = _read_inputs(before)
        if before is not None and (known.head, known.place) == (head, place):
            self._tell(known.trouble or None)
            if not (thorough and known.trouble and _history(before).head != head):
                return None
        history, trouble = _read(repository, head, _history(before) if known.place == place else NONE)
        self._tell(trouble)
        made = Enrichment(f"{head}\n{place}\n{trouble or ''}", encode(history))
        return None if before is not None and (made.inputs, made.data) == (before.inputs, before.data) else made

    def _tell(self, trouble: str | None) -> None:
        self._problems = (Problem(HISTORY, trouble),) if trouble else ()


class _Inputs(NamedTuple):
    """What stored facts were made from."""

    head: str = ""
    place: str = ""
    trouble: str = ""  # met in the making


def _read_inputs(before: Enrichment | None) -> _Inputs:
    return _Inputs(*before.inputs.split("\n", 2)) if before is not None else _Inputs()


def _history(before: Enrichment | None) -> History:
    return (decode(before.data) if before is not None else None) or NONE


def _read(repository: Repository, head: str, before: History) -> tuple[History, str | None]:
    """Return the history up to a commit, and what went wrong; only what is new is read where that can be."""
    since = before.head if before.head and is_ancestor(repository, before.head, head) else None
    log = read_log(repository, head, since=since)
    if log.problem is not None and not log.commits:
        return before, log.problem
    return build(head, log) if since is None else carry_on(before, head, log), log.problem


def _nothing(before: Enrichment | None) -> Enrichment | None:
    """Return an empty history in place of one that was there."""
    return None if before is None or not before.inputs else Enrichment("", encode(NONE))


def _is_broken(git: Path) -> bool:
    """Say whether something lies there that was a repository; an empty folder only marks the top of a tree."""
    try:
        return os.path.lexists(git) and not (git.is_dir() and not any(git.iterdir()))
    except OSError:  # a folder that may not be listed
        return True


def _depth(layout: GitLayout) -> str:
    """Return what changes when a shallow clone is made deeper."""
    try:
        status = (layout.common_dir / "shallow").stat()
    except OSError:
        return "-"
    return f"{status.st_size}.{status.st_mtime_ns}"
