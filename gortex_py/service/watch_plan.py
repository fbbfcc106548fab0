"""Decide which folders get a watch: all that are kept, and no large ignored ones.

A recursive watch costs one kernel watch a folder below it, ignored or not. Where an ignored
folder is large (installed dependencies, build output), its parent is watched alone and the
kept folders beside it get watches of their own.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

# A folder of ignored things below this size costs less than the thread each further watch needs.
LARGE_IGNORED_DIRS = 300
MAX_WATCHES = 48  # each is a thread; beyond it one recursive watch is cheaper whatever it covers

KeepsDir: TypeAlias = Callable[[str], bool]
"""Say whether a folder, relative to the root, is one the walk enters."""


@dataclass(frozen=True, slots=True)
class PlannedWatch:
    """One folder to watch."""

    path: str  # relative to the root; "" is the root
    recursive: bool


def plan_watches(root: Path, keeps_dir: KeepsDir) -> frozenset[PlannedWatch]:
    """Return the watches that cover every kept folder of a tree."""
    whole = frozenset({PlannedWatch("", recursive=True)})
    split = _split_folders(root, keeps_dir)
    if not split:
        return whole
    planned = {PlannedWatch(path, recursive=False) for path in split}
    for path in split:
        for name in _sub_folders(root / path):
            child = f"{path}/{name}" if path else name
            if child not in split and keeps_dir(child):
                planned.add(PlannedWatch(child, recursive=True))
        if len(planned) > MAX_WATCHES:
            return whole
    return frozenset(planned)


def _split_folders(root: Path, keeps_dir: KeepsDir) -> set[str]:
    """Return the folders that have a large ignored folder somewhere below them."""
    split: set[str] = set()
    pending = [""]
    while pending:
        path = pending.pop()
        for name in _sub_folders(root / path):
            child = f"{path}/{name}" if path else name
            if keeps_dir(child):
                pending.append(child)
            elif path not in split and _is_large(root / child):
                split.update(_self_and_above(path))
    return split


def _is_large(folder: Path) -> bool:
    pending, seen = [folder], 0
    while pending:
        current = pending.pop()
        for name in _sub_folders(current):
            seen += 1
            if seen > LARGE_IGNORED_DIRS:
                return True
            pending.append(current / name)
    return False


def _sub_folders(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        # It vanished or cannot be read; the walk reports what matters of that.
        return []


def _self_and_above(path: str) -> list[str]:
    parts = path.split("/") if path else []
    return ["/".join(parts[:count]) for count in range(len(parts) + 1)]
