"""What each repository's index is worth right now: the state that probes, status and answers report."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from gortex_py.types import IndexReport, IndexState


@dataclass(frozen=True, slots=True)
class PassProgress:
    """How far the running pass is."""

    stage: str
    done: int
    total: int  # 0 while it is not known yet


@dataclass(frozen=True, slots=True)
class Health:
    """A repository's condition at one moment."""

    state: IndexState = IndexState.INDEXING
    reason: str | None = None  # why it failed or is empty, as a sentence
    progress: PassProgress | None = None  # of the running pass
    generation: int = 0
    files: int = 0
    symbols: int = 0
    finished_at: float | None = None  # seconds since the epoch; end of the last pass, of an earlier run too
    last_pass: IndexReport | None = None  # of this run
    degraded: tuple[tuple[str, str], ...] = ()  # (part, sentence), by part


Degraded: TypeAlias = "dict[str, str]"


@dataclass(slots=True)
class _Entry:
    health: Health = field(default_factory=Health)
    degraded: Degraded = field(default_factory=dict)


class Readiness:
    """The condition of every repository; written by the service's threads, read by anyone."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: dict[str, _Entry] = {}

    def add(self, name: str, health: Health) -> None:
        """Begin to report on a repository."""
        with self._lock:
            self._entries[name] = _Entry(health)

    def remove(self, name: str) -> None:
        """Stop reporting on a repository."""
        with self._lock:
            self._entries.pop(name, None)

    def get(self, name: str) -> Health:
        """Return a repository's condition; a fresh one when it is not known."""
        with self._lock:
            entry = self._entries.get(name)
            if entry is None:
                return Health()
            return replace(entry.health, degraded=tuple(sorted(entry.degraded.items())))

    def update(self, name: str, **changes: object) -> None:
        """Change fields of a repository's condition; without effect once it was removed."""
        with self._lock:
            entry = self._entries.get(name)
            if entry is not None:
                entry.health = replace(entry.health, **changes)  # type: ignore[arg-type]

    def degrade(self, name: str, part: str, sentence: str | None) -> None:
        """Say that a part works less well than it should, or (None) that it is well again."""
        with self._lock:
            entry = self._entries.get(name)
            if entry is None:
                return
            if sentence is None:
                entry.degraded.pop(part, None)
            else:
                entry.degraded[part] = sentence

    def unready(self) -> list[str]:
        """Return the repositories that cannot be answered from a whole index yet."""
        with self._lock:
            return sorted(name for name, entry in self._entries.items() if entry.health.state is IndexState.INDEXING)


def age_s(health: Health, now_s: float | None = None) -> float | None:
    """Return the seconds since the index last agreed with the disk; None before the first pass ended.

    :param now_s: seconds since the epoch; the clock's when left out.
    """
    if health.finished_at is None:
        return None
    return max(0.0, (time.time() if now_s is None else now_s) - health.finished_at)
