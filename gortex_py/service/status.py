"""What the daemon can say of itself and of each repository."""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from gortex_py.protocols import StoreStats
from gortex_py.service.readiness import Health, age_s
from gortex_py.service.repositories import Repository
from gortex_py.types import IndexState, Skipped

SKIPPED_EXAMPLES = 5  # enough to recognise a pattern, short enough to read


@dataclass(frozen=True, slots=True)
class SkippedGroup:
    """Files left out for one reason."""

    reason: str
    count: int
    examples: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class RepositoryStatus:
    """One repository's account."""

    name: str
    path: str
    added: float  # seconds since the epoch
    health: Health
    age_s: float | None
    is_busy: bool  # a pass is running or waiting
    watch: str
    stats: StoreStats | None = None
    skipped: tuple[SkippedGroup, ...] = ()

    @property
    def state(self) -> IndexState:
        """Return what the index is worth."""
        return self.health.state

    def with_index(self, stats: StoreStats, skipped: Sequence[Skipped]) -> RepositoryStatus:
        """Return the account with what only the index can tell."""
        return replace(self, stats=stats, skipped=group_skipped(skipped))


def repository_status(repository: Repository, health: Health, *, is_busy: bool, watch: str) -> RepositoryStatus:
    """Return a repository's account without its index."""
    return RepositoryStatus(
        name=repository.name,
        path=repository.path,
        added=repository.added,
        health=health,
        age_s=age_s(health),
        is_busy=is_busy,
        watch=watch,
    )


def group_skipped(skipped: Sequence[Skipped]) -> tuple[SkippedGroup, ...]:
    """Return the files left out by reason, most first."""
    groups: dict[str, list[Skipped]] = {}
    for entry in skipped:
        groups.setdefault(entry.reason.value, []).append(entry)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(
        SkippedGroup(reason, len(entries), tuple(sorted(entries, key=lambda entry: entry.path)[:SKIPPED_EXAMPLES]))
        for reason, entries in ordered
    )


def release_memory() -> None:
    """Give freed memory back to the system, where its allocator keeps it unless asked (glibc)."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def resident_bytes() -> int:
    """Return this process's resident memory in bytes; its peak where the system does not tell more."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
