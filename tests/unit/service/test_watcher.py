"""The watcher with the real kernel where it matters and a stand-in where the kernel cannot be made to fail."""

from __future__ import annotations

import errno
import os
import queue
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from watchdog.observers.inotify_c import InotifyConstants, InotifyEvent, InotifyFD

from gortex_py.service.compose import TreeFilter
from gortex_py.service.kernel_watch import Observing
from gortex_py.service.settle import Batch, SettleOptions
from gortex_py.service.watch_plan import LARGE_IGNORED_DIRS, PlannedWatch, plan_watches
from gortex_py.service.watcher import Watcher, WatchOptions, WatchTarget
from gortex_py.source.walk import WalkOptions

LIMIT_S = 10.0
QUICK = WatchOptions(settle=SettleOptions(settle_ms=20), poll_interval_s=0.1, rescan_interval_s=3600.0)


class Watching:
    """A started watcher and what it gave."""

    def __init__(self, make_observer: Callable[[], Observing] | None = None, options: WatchOptions = QUICK) -> None:
        self.batches: queue.Queue[Batch] = queue.Queue()
        self.modes: queue.Queue[str | None] = queue.Queue()
        self.watcher = Watcher(
            options,
            on_batch=lambda _, batch: self.batches.put(batch),
            on_mode=lambda _, reason: self.modes.put(reason),
            make_observer=make_observer,
        )
        self.watcher.start()

    def add(self, root: Path) -> str | None:
        """Watch a tree; returns why it is polled."""
        self.watcher.add(WatchTarget("repo", root, lambda: TreeFilter(root, WalkOptions())))
        reason = self.modes.get(timeout=LIMIT_S)
        assert self.batches.get(timeout=LIMIT_S).census == "the first look"
        return reason

    def paths_until(self, wanted: str) -> set[str]:
        seen: set[str] = set()
        while wanted not in seen:
            seen |= self.batches.get(timeout=LIMIT_S).paths
        return seen


@pytest.fixture
def watching() -> Iterator[Watching]:
    made = Watching()
    yield made
    made.watcher.stop()


class RefusingObserver:
    """An observer for which the kernel has no watches left."""

    def __init__(self, number: int) -> None:
        self.number = number

    def schedule(self, *_: object, **__: object) -> object:
        raise OSError(self.number, os.strerror(self.number))

    def unschedule(self, _: object) -> None: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def join(self, timeout: float | None = None) -> None: ...


def test_files_are_followed_and_ignored_ones_are_not(watching: Watching, tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.log\nbuilt/\n")
    (tmp_path / "built").mkdir()
    assert watching.add(tmp_path) is None
    (tmp_path / "noise.log").write_text("x")
    (tmp_path / "built" / "x.py").write_text("x")
    (tmp_path / "a.py").write_text("x")
    assert watching.paths_until("a.py") == {"a.py"}
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    assert watching.paths_until("b.py") | watching_rest(watching) == {"a.py", "b.py"}
    (tmp_path / "b.py").unlink()
    assert watching.paths_until("b.py") == {"b.py"}


def watching_rest(watching: Watching) -> set[str]:
    found: set[str] = set()
    while not watching.batches.empty():
        found |= watching.batches.get().paths
    return found


def test_changed_rules_call_for_a_look_at_everything(watching: Watching, tmp_path: Path) -> None:
    watching.add(tmp_path)
    (tmp_path / ".gitignore").write_text("a.py\n")
    assert watching.batches.get(timeout=LIMIT_S).census == "the ignore rules changed"
    (tmp_path / "a.py").write_text("x")
    (tmp_path / "b.py").write_text("x")
    assert watching.paths_until("b.py") == {"b.py"}


def test_switched_branch_calls_for_a_look_at_everything(watching: Watching, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    watching.add(tmp_path)
    changed = tmp_path / ".git" / "HEAD.lock"
    while watching.batches.empty():  # the first state of HEAD is taken at the watcher's leisure
        changed.write_text(f"ref: refs/heads/other-{os.urandom(8).hex()}\n")
        changed.replace(tmp_path / ".git" / "HEAD")
    assert watching.batches.get(timeout=LIMIT_S).census


@pytest.mark.parametrize(
    ("number", "says"),
    [(errno.ENOSPC, "max_user_watches"), (errno.EMFILE, "max_user_instances"), (errno.EIO, "failed")],
)
def test_where_the_kernel_refuses_the_tree_is_polled_and_that_is_said(tmp_path: Path, number: int, says: str) -> None:
    watching = Watching(lambda: RefusingObserver(number))
    try:
        assert says in (watching.add(tmp_path) or "")
        assert watching.watcher.mode("repo").startswith("polling (")
        assert watching.batches.get(timeout=LIMIT_S).census == "a regular look"
        assert watching.batches.get(timeout=LIMIT_S).census == "a regular look"
    finally:
        watching.watcher.stop()


@pytest.mark.skipif(not hasattr(InotifyFD, "handle_event"), reason="needs inotify")
def test_lost_events_call_for_a_look_at_everything(watching: Watching, tmp_path: Path) -> None:
    watching.add(tmp_path)
    descriptor = InotifyFD()
    descriptor.handle_event(InotifyEvent(-1, InotifyConstants.IN_Q_OVERFLOW, 0, b""))
    descriptor.close()
    assert watching.batches.get(timeout=LIMIT_S).census == "file system events were lost"


def test_root_that_went_away_is_watched_again_when_it_is_back(watching: Watching, tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    watching.add(root)
    root.rmdir()
    assert watching.modes.get(timeout=LIMIT_S) == "the folder is not there"
    root.mkdir()
    assert watching.modes.get(timeout=LIMIT_S) is None
    (root / "a.py").write_text("x")
    watching.paths_until("a.py")


def make_dirs(root: Path, names: Iterable[str]) -> None:
    for name in names:
        (root / name).mkdir(parents=True)


def test_large_ignored_folders_get_no_watches(tmp_path: Path) -> None:
    make_dirs(tmp_path, ["src/deep", "web/ui", "small_ignored"])
    assert plan_watches(tmp_path, lambda path: "ignored" not in path) == {PlannedWatch("", recursive=True)}
    make_dirs(tmp_path / "web" / "large_ignored", (str(number) for number in range(LARGE_IGNORED_DIRS + 1)))
    assert plan_watches(tmp_path, lambda path: "ignored" not in path) == {
        PlannedWatch("", recursive=False),
        PlannedWatch("src", recursive=True),
        PlannedWatch("web", recursive=False),
        PlannedWatch("web/ui", recursive=True),
    }


def test_tree_with_an_unreadable_part_is_looked_at_often_and_then_watched_anew(tmp_path: Path) -> None:
    scheduled: list[str] = []

    class CountingObserver(RefusingObserver):
        def schedule(self, handler: object, path: str, **_: object) -> object:
            scheduled.append(path)
            return object()

    watching = Watching(lambda: CountingObserver(0))
    try:
        assert watching.add(tmp_path) is None
        watching.watcher.look_often("repo", True)
        assert watching.batches.get(timeout=LIMIT_S).census == "a regular look"
        assert watching.batches.get(timeout=LIMIT_S).census == "a regular look"
        assert scheduled.count(str(tmp_path)) == 1
        watching.watcher.look_often("repo", False)
        limit = time.monotonic() + LIMIT_S
        while scheduled.count(str(tmp_path)) < 2:
            assert time.monotonic() < limit
            watching.watcher.mode("repo")
    finally:
        watching.watcher.stop()
