"""Run one pass over one repository and tell everyone what came of it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from gortex_py.errors import GortexError
from gortex_py.history.commits import HISTORY
from gortex_py.service.events import EventBus
from gortex_py.service.readiness import PassProgress, Readiness
from gortex_py.service.repositories import Registry
from gortex_py.service.tracked import Progress, Tracked, root_trouble
from gortex_py.types import IndexReport, IndexState

logger = logging.getLogger(__name__)

PROGRESS_INTERVAL_S = 0.2  # a listener sees movement, not every batch
MAX_LOGGED_PROBLEMS = 20


class Passes:
    """Looks at files for the writer thread and keeps readiness, markers and listeners informed."""

    def __init__(self, registry: Registry, readiness: Readiness, events: EventBus) -> None:
        self._registry = registry
        self._readiness = readiness
        self._events = events
        self._next_progress_s = 0.0

    def run(self, tracked: Tracked, paths: frozenset[str] | None, cancelled: Callable[[], bool]) -> bool:
        """Look at some paths, or at everything (None); returns whether the pass came to its end."""
        marker = self._registry.marker(tracked.repository)
        trouble = root_trouble(tracked.repository.root, marker)
        if trouble is not None:
            self.fail(tracked.name, trouble)
            return False
        asked = _Asked(cancelled)
        try:
            report = tracked.indexer().run(
                paths, progress=lambda progress: self._note_progress(tracked.name, progress), cancelled=asked
            )
        except GortexError as error:
            logger.error("the pass over %s failed: %s", tracked.name, error.message)
            self.fail(tracked.name, error.message)
            return False
        finally:
            self._readiness.update(tracked.name, progress=None)
        self._after(tracked, report, is_whole=paths is None, is_finished=not asked.answer)
        return not asked.answer

    def fail(self, name: str, reason: str) -> None:
        """Record that a repository cannot be kept up to date; its old index goes on answering."""
        if self._readiness.get(name).reason != reason:
            logger.warning("%s: %s", name, reason)
        self._readiness.update(name, progress=None, reason=reason)
        self._set_state(name, IndexState.FAILED)

    def refresh(self, tracked: Tracked) -> None:
        """Read the counts of what is committed."""
        stats = tracked.stats()
        self._readiness.update(tracked.name, files=stats.files, symbols=stats.symbols, generation=stats.generation)

    def _after(self, tracked: Tracked, report: IndexReport, *, is_whole: bool, is_finished: bool) -> None:
        before = self._readiness.get(tracked.name)
        self.refresh(tracked)
        self._log(tracked.name, report, is_whole=is_whole, is_finished=is_finished)
        self._readiness.update(tracked.name, last_pass=report)
        if is_finished:
            self._finish(tracked, report, is_whole=is_whole)
        after = self._readiness.get(tracked.name)
        if after.generation != before.generation:
            self._events.publish(
                "index",
                repo=tracked.name,
                generation=after.generation,
                files=after.files,
                symbols=after.symbols,
                added=report.added,
                changed=report.changed,
                deleted=report.deleted,
            )

    def _finish(self, tracked: Tracked, report: IndexReport, *, is_whole: bool) -> None:
        name = tracked.name
        health = self._readiness.get(name)
        marker = self._registry.marker(tracked.repository)
        status = tracked.repository.root.stat()
        now = time.time()
        if is_whole or not marker.complete or now - marker.finished_at > 60:
            self._registry.write_marker(
                tracked.repository,
                replace(
                    marker,
                    complete=marker.complete or is_whole,
                    finished_at=now,
                    device=status.st_dev,
                    inode=status.st_ino,
                ),
            )
        self._readiness.update(name, finished_at=now)
        if report.dropped_vectors:
            dropped = f"{report.dropped_vectors} vectors were malformed and dropped"
            self._readiness.degrade(name, "vectors", dropped)
        elif is_whole:
            self._readiness.degrade(name, "vectors", None)
        if is_whole:
            self._readiness.degrade(name, "folders", unread_parts(report))
            self._readiness.degrade(name, HISTORY, history_trouble(report))
        if is_whole or health.state is IndexState.READY or health.state is IndexState.EMPTY:
            reason = next((problem.what for problem in report.problems if problem.where == "."), None)
            is_empty = health.files == 0
            if is_empty and is_whole:
                logger.warning("%s: nothing is indexed: %s", name, reason or "no file to index")
            kept = health.reason if is_empty and not is_whole else reason
            self._readiness.update(name, reason=kept if is_empty else None)
            self._set_state(name, IndexState.EMPTY if is_empty else IndexState.READY)

    def _set_state(self, name: str, state: IndexState) -> None:
        if self._readiness.get(name).state is not state:
            self._readiness.update(name, state=state)
            self._events.publish("state", repo=name, state=state.value)

    def _note_progress(self, name: str, progress: Progress) -> None:
        self._readiness.update(name, progress=PassProgress(progress.stage, progress.done, progress.total))
        now_s = time.monotonic()
        if now_s >= self._next_progress_s or (progress.total and progress.done >= progress.total):
            self._next_progress_s = now_s + PROGRESS_INTERVAL_S
            self._events.publish("progress", repo=name, stage=progress.stage, done=progress.done, total=progress.total)

    def _log(self, name: str, report: IndexReport, *, is_whole: bool, is_finished: bool) -> None:
        touched = report.added + report.changed + report.deleted
        logger.log(
            logging.INFO if is_whole or touched else logging.DEBUG,
            "index pass %s: repo: %s, %s, added %d, changed %d, deleted %d, unchanged %d, degraded %d, embedded %d, "
            "in %.0f ms",
            "finished" if is_finished else "interrupted",
            name,
            "whole" if is_whole else "part",
            report.added,
            report.changed,
            report.deleted,
            report.unchanged,
            report.degraded,
            report.embedded,
            report.elapsed_ms,
        )
        for problem in report.problems[:MAX_LOGGED_PROBLEMS]:
            logger.warning("%s: %s: %s", name, problem.where, problem.what)
        if report.dropped_vectors:
            logger.warning("dropped invalid embedding vectors: repo: %s, dropped: %d", name, report.dropped_vectors)


def unread_parts(report: IndexReport) -> str | None:
    """Say what of a tree could not be read, or None."""
    problems = [problem for problem in report.problems if problem.where not in (".", "embedding", HISTORY)]
    if not problems:
        return None
    others = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
    return f"{problems[0].where}: {problems[0].what}{others}"


def history_trouble(report: IndexReport) -> str | None:
    """Say why there is no history, or not all of it, or None."""
    return next((problem.what for problem in report.problems if problem.where == HISTORY), None)


class _Asked:
    """Remember whether a pass was told to end early."""

    def __init__(self, cancelled: Callable[[], bool]) -> None:
        self._cancelled = cancelled
        self._lock = threading.Lock()
        self.answer = False

    def __call__(self) -> bool:
        with self._lock:
            self.answer = self.answer or self._cancelled()
            return self.answer
