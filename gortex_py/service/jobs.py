"""One writer thread for all repositories, fed by a queue that merges work on the same one.

The queue holds at most one entry a repository: a set of paths, or a whole census which swallows
them. Callers only ever leave a note here and never wait for a pass.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

logger = logging.getLogger(__name__)

MAX_PATHS = 5_000  # more are looked at faster by walking the tree
# A whole pass gives way to an edit elsewhere after this long, then after twice as long, and so on:
# every pass finishes in the end, whatever is edited meanwhile.
FIRST_SLICE_S = 2.0
IDLE_S = 30.0  # after so long without work what it needed is let go


@dataclass(slots=True)
class Work:
    """What is to be looked at in one repository."""

    paths: set[str] = field(default_factory=set)
    census: bool = False  # everything
    is_resumed: bool = False  # the census began and gave way: edits since then go before it

    def add(self, changed: Collection[str] | None) -> None:
        """Merge more work into this; None is everything."""
        if changed is None or len(self.paths) + len(changed) > MAX_PATHS:
            self.census = True
            self.is_resumed = False
            self.paths.clear()
        elif not self.census or self.is_resumed:
            self.paths.update(changed)


Pass: TypeAlias = Callable[[str, frozenset[str] | None, Callable[[], bool]], None]
"""(repository, changed paths or None, cancelled): look at them; must not raise for expected trouble."""
OnError: TypeAlias = Callable[[str, Exception], None]
"""(repository, what its pass or call raised): trouble nobody expected; it is logged already."""


@dataclass(slots=True)
class _Running:
    name: str
    is_census: bool
    started_s: float
    slice_s: float
    cancelled: bool = False
    gave_way: bool = False


class WriterThread:
    """Run passes one after the other on a thread of their own."""

    def __init__(
        self,
        run_pass: Pass,
        *,
        on_error: OnError = lambda name, error: None,
        on_idle: Callable[[], None] = lambda: None,
        idle_s: float = IDLE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._run_pass = run_pass
        self._on_error = on_error
        self._on_idle = on_idle
        self._idle_s = idle_s
        self._is_rested = True  # nothing was done since the last time it was idle
        self._clock = clock
        self._changed = threading.Condition()
        self._queue: dict[str, Work] = {}
        self._calls: deque[tuple[str, Callable[[], None]]] = deque()
        self._running: _Running | None = None
        self._slices: dict[str, float] = {}
        self._stopping = False
        # A daemon thread: a pass that is stuck in a system call must not keep the process alive.
        self._thread = threading.Thread(target=self._loop, name="writer", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def submit(self, name: str, changed: Collection[str] | None) -> None:
        """Ask for a pass over some paths, or over everything (None). Returns at once."""
        with self._changed:
            if self._stopping:
                return
            if changed is None or changed:
                self._queue.setdefault(name, Work()).add(changed)
            self._changed.notify_all()

    def call(self, name: str, action: Callable[[], None]) -> None:
        """Run something on the writer's thread between passes, before all queued passes. Returns at once."""
        with self._changed:
            if not self._stopping:
                self._calls.append((name, action))
                self._changed.notify_all()

    def forget(self, name: str) -> None:
        """Drop queued work of a repository and cancel its running pass at its next batch."""
        with self._changed:
            self._queue.pop(name, None)
            if self._running is not None and self._running.name == name:
                self._running.cancelled = True

    def is_busy(self, name: str) -> bool:
        """Say whether work of a repository is queued or running."""
        with self._changed:
            return name in self._queue or (self._running is not None and self._running.name == name)

    def begin_stop(self) -> None:
        """Cancel the running pass at its next batch and take no more work."""
        with self._changed:
            self._stopping = True
            self._queue.clear()
            if self._running is not None:
                self._running.cancelled = True
            self._changed.notify_all()

    def stop(self, timeout_s: float) -> bool:
        """Stop; True when the thread has ended within the time."""
        self.begin_stop()
        if self._thread.is_alive():
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _loop(self) -> None:
        while True:
            with self._changed:
                has_work = bool(
                    self._changed.wait_for(
                        lambda: self._queue or self._calls or self._stopping, None if self._is_rested else self._idle_s
                    )
                )
                if self._stopping:
                    return
                self._is_rested = not has_work
                call = self._calls.popleft() if self._calls else None
                if call is None and has_work:
                    name, paths = self._next()
                    running = _Running(name, paths is None, self._clock(), self._slices.get(name, FIRST_SLICE_S))
                    self._running = running
            if not has_work:
                self._on_idle()
            elif call is not None:
                self._guard(*call)
            else:
                self._guard(
                    running.name, partial(self._run_pass, running.name, paths, partial(self._is_cancelled, running))
                )
                with self._changed:
                    self._running = None
                    self._after(running)
                    self._changed.notify_all()

    def _next(self) -> tuple[str, frozenset[str] | None]:
        # Edits go before whole passes, otherwise first come first served.
        for name, work in self._queue.items():
            if work.paths:
                paths = frozenset(work.paths)
                work.paths.clear()
                if not work.census:
                    del self._queue[name]
                return name, paths
        name = next(iter(self._queue))
        del self._queue[name]
        return name, None

    def _guard(self, name: str, action: Callable[[], None]) -> None:
        try:
            action()
        except Exception as error:  # outermost frame of the thread: one pass must not end all others
            logger.exception("the pass over %s failed unexpectedly", name)
            self._on_error(name, error)

    def _after(self, running: _Running) -> None:
        if running.gave_way and not running.cancelled:
            self._slices[running.name] = running.slice_s * 2
            work = self._queue.setdefault(running.name, Work())
            work.census = work.is_resumed = True
        elif running.is_census:
            self._slices.pop(running.name, None)

    def _is_cancelled(self, running: _Running) -> bool:
        if running.cancelled or running.gave_way:
            return True
        if running.is_census and self._clock() - running.started_s >= running.slice_s:
            with self._changed:
                running.gave_way = bool(self._calls) or any(work.paths for work in self._queue.values())
        return running.gave_way
