"""Decide what a pass has to do: compare the files there are with the files that are indexed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from gortex_py.source.walk import SourceTree, WalkResult, why_empty
from gortex_py.types import FileStat, Problem, Skipped, SourceFile


@dataclass(frozen=True, slots=True)
class Survey:
    """What a pass will do."""

    known: Mapping[str, SourceFile]  # what is indexed, by path
    to_read: tuple[FileStat, ...]  # new, or of another size or time than when they were indexed
    gone: tuple[str, ...]  # indexed, and there no more
    skipped: tuple[Skipped, ...]  # known not to be indexed without reading them
    unchanged: int
    problems: tuple[Problem, ...]


def survey(
    tree: SourceTree,
    known: Mapping[str, SourceFile],
    known_skipped: Sequence[Skipped],
    changed: Collection[str] | None,
    *,
    reread: bool = False,
) -> Survey:
    """Return what a pass over a tree has to do.

    :param changed: relative paths of files or folders to look at, None for the whole tree
    :param reread: read every file again, also those that have not changed
    """
    found = tree.walk() if changed is None else _look_at(tree, changed)
    within = None if changed is None else _Within(changed)
    indexed = known if within is None else {path: file for path, file in known.items() if path in within}
    kept_skipped = () if within is None else tuple(s for s in known_skipped if s.path not in within)
    was_skipped = {s.path: s for s in known_skipped}
    to_read: list[FileStat] = []
    still_skipped: list[Skipped] = []
    for stat in found.files:
        skipped = was_skipped.get(stat.path)
        if not reread and _is_same(stat, indexed.get(stat.path)):
            continue
        if skipped is not None and _is_same(stat, skipped):
            still_skipped.append(skipped)
        else:
            to_read.append(stat)
    there = {stat.path for stat in found.files}
    return Survey(
        known=known,
        to_read=tuple(to_read),
        gone=tuple(path for path in indexed if path not in there),
        skipped=(*kept_skipped, *found.skipped, *still_skipped),
        unchanged=len(found.files) - len(to_read) - len(still_skipped),
        problems=(*found.problems, *_emptiness(found, changed)),
    )


def _is_same(stat: FileStat, recorded: SourceFile | Skipped | None) -> bool:
    return (
        recorded is not None and stat.size_bytes == recorded.size_bytes and stat.mtime_ns == recorded.mtime_ns
    )


def _emptiness(found: WalkResult, changed: Collection[str] | None) -> tuple[Problem, ...]:
    """A repository that ends with no files says so, and why."""
    if changed is not None or found.files:
        return ()
    return (Problem(".", why_empty(found)),)


def _look_at(tree: SourceTree, changed: Collection[str]) -> WalkResult:
    files: dict[str, FileStat] = {}
    skipped: dict[str, Skipped] = {}
    problems: list[Problem] = []
    for path in sorted(changed):
        judged = tree.admit(path)
        if isinstance(judged, FileStat):
            files[path] = judged
        elif isinstance(judged, Skipped):
            skipped[path] = judged
        elif (tree.root / path).is_dir():
            below = tree.walk(path)
            files.update((stat.path, stat) for stat in below.files)
            skipped.update((entry.path, entry) for entry in below.skipped)
            problems.extend(below.problems)
    return WalkResult(
        files=tuple(files[path] for path in sorted(files)),
        skipped=tuple(skipped[path] for path in sorted(skipped)),
        hidden=(),
        problems=tuple(problems),
    )


class _Within:
    """Tells whether a path is one of some paths, or lies below one."""

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = frozenset(path.strip("/") for path in paths)

    def __contains__(self, path: str) -> bool:
        if path in self._paths or "" in self._paths:
            return True
        at = path.rfind("/")
        while at > 0:
            if path[:at] in self._paths:
                return True
            at = path.rfind("/", 0, at)
        return False
