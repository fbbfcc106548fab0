"""Watch the trees of all repositories: file system events in, settled batches out.

Knows nothing of indexing. Where the kernel cannot watch, the tree is looked at again in
intervals and the mode says why. A slow periodic look is kept up in any case.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeAlias, cast

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from gortex_py.errors import GortexError
from gortex_py.service.kernel_watch import EVENT_FILTER, LIMIT_ERRORS, Observing, OverflowListener, probe
from gortex_py.service.settle import Batch, SettleOptions, Settler
from gortex_py.service.watch_plan import PlannedWatch, plan_watches

logger = logging.getLogger(__name__)

_RULE_CHECK_S = 1.0  # how often the rule files and HEAD are looked at; some lie outside any watched folder
_LOST_ROOT_CHECK_S = 2.0


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """How trees are watched."""

    enabled: bool = True
    settle: SettleOptions = field(default_factory=SettleOptions)
    poll_interval_s: float = 15.0  # where the kernel cannot watch
    rescan_interval_s: float = 900.0  # the safety net where it can


class PathFilter(Protocol):
    """What of a tree the walk would look at."""

    def keeps(self, path: str, *, is_dir: bool) -> bool:
        """Say whether a path relative to the root may matter to the index."""

    def changes_rules(self, path: str) -> bool:
        """Say whether a change of this file may change what is kept."""

    def rule_files(self) -> Iterable[Path]:
        """Return files that no event tells of and whose change calls for a new look; they need not exist."""


@dataclass(frozen=True, slots=True)
class WatchTarget:
    """A tree to watch."""

    name: str
    root: Path
    make_filter: Callable[[], PathFilter]  # called again whenever the rules change


OnBatch: TypeAlias = Callable[[str, Batch], None]
OnMode: TypeAlias = Callable[[str, str | None], None]
"""(repository, why it is polled); None when the kernel watches."""


@dataclass(slots=True)
class _Watched:
    target: WatchTarget
    settler: Settler
    filter: PathFilter | None = None
    watches: dict[PlannedWatch, object] = field(default_factory=dict)
    polled_because: str | None = None
    is_lost: bool = False  # the root went away
    is_partly_unseen: bool = False  # something in it cannot be watched, so it is looked at more often
    needs_rewatch: bool = False  # watches that are set already may lack folders
    needs_plan: bool = True
    next_look_s: float = 0.0
    next_rule_check_s: float = 0.0
    rule_stamps: dict[Path, tuple[int, int, int]] = field(default_factory=dict)


class Watcher:
    """Watch any number of trees on one thread of its own, and one observer."""

    def __init__(
        self,
        options: WatchOptions,
        *,
        on_batch: OnBatch,
        on_mode: OnMode,
        make_observer: Callable[[], Observing] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._options = options
        self._on_batch = on_batch
        self._on_mode = on_mode
        self._make_observer = make_observer or cast("Callable[[], Observing]", Observer)
        self._clock = clock
        self._changed = threading.Condition()
        self._watched: dict[str, _Watched] = {}
        self._dropped: list[_Watched] = []
        self._observer: Observing | None = None
        self._stopping = False
        self._overflow = OverflowListener(self._after_overflow)
        self._thread = threading.Thread(target=self._loop, name="watcher", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._overflow.attach()
        self._thread.start()

    def add(self, target: WatchTarget) -> None:
        """Watch a tree, soon. Once it is watched, a first batch asks for a look at all of it."""
        with self._changed:
            settler = Settler(self._options.settle)
            self._watched[target.name] = _Watched(target, settler)
            self._changed.notify_all()

    def remove(self, name: str) -> None:
        """Stop watching a tree."""
        with self._changed:
            watched = self._watched.pop(name, None)
            if watched is not None:
                self._dropped.append(watched)
                self._changed.notify_all()

    def look_often(self, name: str, is_partly_unseen: bool) -> None:
        """Look at a tree in short intervals while parts of it cannot be read, and watch it anew when they can."""
        with self._changed:
            watched = self._watched.get(name)
            if watched is None or watched.is_partly_unseen == is_partly_unseen:
                return
            watched.is_partly_unseen = is_partly_unseen
            watched.next_look_s = self._clock() + self._look_interval_s(watched)
            if not is_partly_unseen:
                watched.needs_plan = watched.needs_rewatch = True
            self._changed.notify_all()

    def mode(self, name: str) -> str:
        """Return how a tree is watched: ``inotify`` (or the system's like), ``polling (why)`` or ``off``."""
        with self._changed:
            watched = self._watched.get(name)
            if not self._options.enabled or watched is None:
                return "off"
            if watched.polled_because is not None:
                return f"polling ({watched.polled_because})"
        return "inotify" if sys.platform == "linux" else "native"

    def stop(self, timeout_s: float = 2.0) -> None:
        """Stop watching everything."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        self._overflow.detach()
        if self._thread.is_alive():
            self._thread.join(timeout_s)
        if self._observer is not None:
            self._observer.stop()
            self._observer.join(timeout_s)

    # --- events, on the observer's threads ------------------------------------------------

    def note(self, name: str, path: str, *, is_dir: bool, is_gone: bool = False) -> None:
        """Take in an event on an absolute path."""
        with self._changed:
            watched = self._watched.get(name)
            if watched is None or watched.filter is None:
                return
            root = str(watched.target.root)
            if path == root:
                if is_gone:
                    watched.is_lost = watched.needs_plan = True
                    self._changed.notify_all()
                return
            if not path.startswith(root + os.sep):
                return
            relative = path[len(root) + 1 :].replace(os.sep, "/")
            if not is_dir and watched.filter.changes_rules(relative):
                self._rules_changed(watched)
            elif watched.filter.keeps(relative, is_dir=is_dir):
                if is_dir and not is_gone and self._is_beside_a_split(watched, relative):
                    watched.needs_plan = True
                watched.settler.add(relative, self._clock())
            else:
                return
            self._changed.notify_all()

    def _is_beside_a_split(self, watched: _Watched, relative: str) -> bool:
        return PlannedWatch(relative.rpartition("/")[0], recursive=False) in watched.watches

    def _rules_changed(self, watched: _Watched) -> None:
        watched.needs_plan = True
        watched.settler.add_census("the ignore rules changed", self._clock())

    def _after_overflow(self) -> None:
        with self._changed:
            for watched in self._watched.values():
                watched.settler.add_census("file system events were lost", self._clock())
            self._changed.notify_all()

    # --- the watcher's own thread ------------------------------------------------------------

    def _loop(self) -> None:
        while True:
            with self._changed:
                if self._stopping:
                    return
                now_s = self._clock()
                batches = self._due_batches(now_s)
                unplanned = [watched for watched in self._watched.values() if watched.needs_plan]
                dropped, self._dropped = self._dropped, []
                if not (batches or unplanned or dropped):
                    self._changed.wait(self._wait_s(now_s))
                    continue
            for watched in dropped:
                self._unwatch(watched)
            for watched in unplanned:
                self._plan(watched)
            for name, batch in batches:
                self._on_batch(name, batch)

    def _wait_s(self, now_s: float) -> float:
        times = [due_s for watched in self._watched.values() if (due_s := watched.settler.due_s()) is not None]
        times += [min(watched.next_look_s, watched.next_rule_check_s) for watched in self._watched.values()]
        return max(0.0, min(times, default=now_s + 3600.0) - now_s)

    def _due_batches(self, now_s: float) -> list[tuple[str, Batch]]:
        batches: list[tuple[str, Batch]] = []
        for name, watched in self._watched.items():
            if watched.needs_plan:
                continue  # what it gives may hang on rules that are about to be read again
            if now_s >= watched.next_rule_check_s:
                watched.next_rule_check_s = now_s + _RULE_CHECK_S
                self._check_rules(watched)
            batch = watched.settler.take(now_s)
            if batch is not None:
                batches.append((name, batch))
            elif self._options.enabled and now_s >= watched.next_look_s:
                watched.next_look_s = now_s + self._look_interval_s(watched)
                watched.needs_plan = watched.is_lost
                batches.append((name, Batch(frozenset(), "a regular look")))
        return batches

    def _look_interval_s(self, watched: _Watched) -> float:
        if watched.is_lost:
            return _LOST_ROOT_CHECK_S
        if watched.polled_because is not None or watched.is_partly_unseen:
            return self._options.poll_interval_s
        return self._options.rescan_interval_s

    def _check_rules(self, watched: _Watched) -> None:
        if watched.filter is None or not self._options.enabled:
            return
        stamps = {path: _stamp(path) for path in watched.filter.rule_files()}
        if watched.rule_stamps and stamps != watched.rule_stamps:
            self._rules_changed(watched)
        watched.rule_stamps = stamps

    def _plan(self, watched: _Watched) -> None:
        """Bring the watches of a tree in line with its folders and rules."""
        is_first = watched.filter is None
        try:
            path_filter = watched.target.make_filter()
            reason = self._watch(watched, path_filter) if self._options.enabled else None
        except (OSError, GortexError) as error:
            logger.warning("%s cannot be watched: %s", watched.target.root, error)
            path_filter, reason = watched.filter or KEEPS_ALL, "the folder cannot be read"
        with self._changed:
            now_s = self._clock()
            was_lost, watched.is_lost = watched.is_lost, not watched.target.root.is_dir()
            if watched.is_lost:
                reason = "the folder is not there"
            watched.filter = path_filter
            watched.needs_plan = False
            has_changed = is_first or reason != watched.polled_because
            watched.polled_because = reason
            watched.next_look_s = now_s + self._look_interval_s(watched)
            if is_first or (was_lost and not watched.is_lost):
                watched.settler.add_census("the first look", now_s - self._options.settle.settle_ms / 1000)
        if reason is not None:
            self._unwatch(watched)
        if has_changed:
            self._on_mode(watched.target.name, reason)

    def _watch(self, watched: _Watched, path_filter: PathFilter) -> str | None:
        """Set the watches of a tree; returns why it has to be polled instead, or None."""
        root = watched.target.root
        if not root.is_dir():
            return "the folder is not there"
        if watched.is_lost or watched.needs_rewatch:
            watched.needs_rewatch = False
            self._unwatch(watched)
        try:
            observer = self._started_observer()
            planned = self._planned(root, path_filter)
            for stale in watched.watches.keys() - planned:
                self._unschedule(watched.watches.pop(stale))
            for watch in planned - watched.watches.keys():
                handler = _Handler(self, watched.target.name)
                watched.watches[watch] = observer.schedule(
                    handler, str(root / watch.path), recursive=watch.recursive, event_filter=EVENT_FILTER
                )
            probe(observer)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR):
                return None  # a folder went away in between; its parent's event brings a new plan
            return LIMIT_ERRORS.get(error.errno or 0, f"watching failed: {error.strerror or error}")
        return None

    def _planned(self, root: Path, path_filter: PathFilter) -> frozenset[PlannedWatch]:
        if sys.platform != "linux":
            return frozenset({PlannedWatch("", recursive=True)})  # elsewhere a watch covers a tree at one price
        return plan_watches(root, lambda path: path_filter.keeps(path, is_dir=True))

    def _started_observer(self) -> Observing:
        if self._observer is None:
            observer = self._make_observer()
            observer.start()
            self._observer = observer
        return self._observer

    def _unwatch(self, watched: _Watched) -> None:
        while watched.watches:
            self._unschedule(watched.watches.popitem()[1])

    def _unschedule(self, watch: object) -> None:
        # KeyError: the observer dropped it by itself, for example because the folder was deleted.
        with contextlib.suppress(KeyError, OSError):
            if self._observer is not None:
                self._observer.unschedule(watch)


class _Handler(FileSystemEventHandler):
    """Pass watchdog's events on."""

    def __init__(self, watcher: Watcher, name: str) -> None:
        self._watcher = watcher
        self._name = name

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Note the path, and for a move both paths."""
        is_gone = event.event_type in ("deleted", "moved")
        self._watcher.note(self._name, os.fsdecode(event.src_path), is_dir=event.is_directory, is_gone=is_gone)
        if event.dest_path:
            self._watcher.note(self._name, os.fsdecode(event.dest_path), is_dir=event.is_directory)


class _KeepsAll:
    """The filter of a tree whose rules could not be read yet."""

    def keeps(self, path: str, *, is_dir: bool) -> bool:
        """Keep everything."""
        return True

    def changes_rules(self, path: str) -> bool:
        """Know of no rules."""
        return False

    def rule_files(self) -> Iterable[Path]:
        """Know of no rule files."""
        return ()


KEEPS_ALL: PathFilter = _KeepsAll()


def _stamp(path: Path) -> tuple[int, int, int]:
    try:
        status = path.stat()
    except OSError:
        return (0, 0, 0)
    return (status.st_mtime_ns, status.st_size, status.st_ino)
