"""Decide what a pass has to do: compare the files there are with the files that are indexed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from gortex_py.source.census import census
from gortex_py.source.walk import SourceTree, WalkResult, why_empty
from gortex_py.types import FileStat, Problem, Skipped, SourceFile


@dataclass(frozen=True, slots=True)
class Survey:
    """What a pass will do."""

    known: Mapping[str, SourceFile]  # what is indexed, by path
    to_read: tuple[FileStat, ...]  # new, or perhaps changed: of another size or time, or too fresh to tell
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
    verified_at_ns: int = 0,
    reread: bool = False,
) -> Survey:
    """Return what a pass over a tree has to do.

    :param changed: relative paths of files or folders to look at, None for the whole tree
    :param verified_at_ns: when the last pass over the whole tree began
    :param reread: read every file again, also those that have not changed
    """
    found = tree.walk() if changed is None else _look_at(tree, changed)
    within = None if changed is None else _Within(changed)
    indexed = known if within is None else {path: file for path, file in known.items() if path in within}
    kept_skipped = () if within is None else tuple(s for s in known_skipped if s.path not in within)
    # A path that was reported as changed is read whatever its time stamp says.
    result = census(found.files, indexed, verified_at_ns=verified_at_ns if changed is None else 0)
    was_skipped = {entry.path: entry for entry in known_skipped if entry.mtime_ns}
    still_skipped = [was_skipped[s.path] for s in result.added if _is_same(s, was_skipped.get(s.path))]
    left_out = {entry.path for entry in still_skipped}
    wanted = (*result.added, *result.candidates_changed, *(result.unchanged if reread else ()))
    to_read = sorted((stat for stat in wanted if stat.path not in left_out), key=lambda stat: stat.path)
    return Survey(
        known=known,
        to_read=tuple(to_read),
        gone=result.deleted,
        skipped=(*kept_skipped, *found.skipped, *still_skipped),
        unchanged=len(found.files) - len(to_read) - len(still_skipped),
        problems=(*found.problems, *_emptiness(found, changed)),
    )


def _is_same(stat: FileStat, recorded: Skipped | None) -> bool:
    return recorded is not None and stat.size_bytes == recorded.size_bytes and stat.mtime_ns == recorded.mtime_ns


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
