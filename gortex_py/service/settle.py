"""Turn a stream of file events into settled batches of paths: events and a clock in, batches out.

A path is acted on when it has been quiet for a moment. Few paths settle one by one, so that a
log file that never rests does not hold back an edit; many paths at once are a storm (a branch
switch, an installation) and wait for the whole tree to fall quiet, so that they make one batch.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SettleOptions:
    """Bounds of the aggregation."""

    settle_ms: int = 150  # an editor's write, rename and chmod fall well within it
    max_wait_ms: int = 600  # a path that is written all the time is still seen within a second
    storm_paths: int = 50  # more pending paths than a person edits
    storm_wait_ms: int = 5_000  # a storm that does not end is acted on in slices of this length
    max_files_per_dir: int = 200  # above it the directory stands for its files
    max_paths: int = 5_000  # above it a walk of the whole tree is cheaper than the list


@dataclass(frozen=True, slots=True)
class Batch:
    """Settled work of one repository."""

    paths: frozenset[str]  # relative; files or directories; empty when census is set
    census: str | None = None  # why the whole tree has to be looked at, else None


@dataclass(slots=True)
class _Pending:
    first_s: float
    last_s: float


class Settler:
    """Collect events of one repository. Times are seconds of any one clock that never goes back."""

    def __init__(self, options: SettleOptions = SettleOptions()) -> None:
        self._options = options
        self._paths: dict[str, _Pending] = {}
        self._per_dir: dict[str, set[str]] = {}
        self._collapsed: set[str] = set()
        self._census: str | None = None
        self._first_s = 0.0
        self._last_s = 0.0

    def add(self, path: str, now_s: float) -> None:
        """Note that something happened to a path."""
        self._touch(now_s)
        if self._census is not None:
            return
        path = self._collapsed_ancestor(path) or path
        pending = self._paths.get(path)
        if pending is not None:
            pending.last_s = now_s
            return
        self._paths[path] = _Pending(now_s, now_s)
        self._count(path, now_s)
        if len(self._paths) > self._options.max_paths:
            self.add_census("too many changes to list", now_s)

    def add_census(self, reason: str, now_s: float) -> None:
        """Note that single paths are not enough: the whole tree has to be looked at."""
        self._touch(now_s)
        self._census = self._census or reason
        self._forget_paths()

    def due_s(self) -> float | None:
        """Return when ``take`` will have something if nothing more happens; None when idle."""
        if self._is_storm:
            quiet_s = self._last_s + self._options.settle_ms / 1000
            return min(quiet_s, self._first_s + self._options.storm_wait_ms / 1000)
        return min((self._ready_s(pending) for pending in self._paths.values()), default=None)

    def take(self, now_s: float) -> Batch | None:
        """Return what has settled by now and forget it, or None."""
        due_s = self.due_s()
        if due_s is None or now_s < due_s:
            return None
        if self._is_storm:
            batch = Batch(frozenset(self._paths), self._census)
            self._census = None
            self._forget_paths()
            return batch
        # What is about to settle comes along: the events of one rename stand microseconds apart.
        soon_s = now_s + self._options.settle_ms / 5000
        ready = [path for path, pending in self._paths.items() if self._ready_s(pending) <= soon_s]
        for path in ready:
            self._uncount(path)
        self._first_s = min((pending.first_s for pending in self._paths.values()), default=now_s)
        return Batch(frozenset(ready))

    @property
    def _is_storm(self) -> bool:
        return self._census is not None or len(self._paths) + len(self._collapsed) > self._options.storm_paths

    def _ready_s(self, pending: _Pending) -> float:
        quiet_s = pending.last_s + self._options.settle_ms / 1000
        return min(quiet_s, pending.first_s + self._options.max_wait_ms / 1000)

    def _touch(self, now_s: float) -> None:
        if not self._paths and self._census is None:
            self._first_s = now_s
        self._last_s = now_s

    def _collapsed_ancestor(self, path: str) -> str | None:
        if not self._collapsed:
            return None
        return next((parent for parent in _ancestors(path) if parent in self._collapsed), None)

    def _count(self, path: str, now_s: float) -> None:
        directory = path.rpartition("/")[0]
        siblings = self._per_dir.setdefault(directory, set())
        siblings.add(path)
        if len(siblings) <= self._options.max_files_per_dir:
            return
        if not directory:
            self.add_census("too many changes in the root", now_s)
            return
        first_s = min(self._paths[sibling].first_s for sibling in siblings)
        for covered in [known for known in self._paths if known.startswith(directory + "/")]:
            self._uncount(covered)
        self._collapsed.add(directory)
        self._paths[directory] = _Pending(first_s, now_s)

    def _uncount(self, path: str) -> None:
        del self._paths[path]
        self._collapsed.discard(path)
        directory = path.rpartition("/")[0]
        siblings = self._per_dir.get(directory)
        if siblings is not None:
            siblings.discard(path)
            if not siblings:
                del self._per_dir[directory]

    def _forget_paths(self) -> None:
        self._paths.clear()
        self._per_dir.clear()
        self._collapsed.clear()


def _ancestors(path: str) -> Iterable[str]:
    """Yield the path and the directories above it, nearest first.

    >>> list(_ancestors("a/b/c.py"))
    ['a/b/c.py', 'a/b', 'a']
    """
    while path:
        yield path
        path = path.rpartition("/")[0]
