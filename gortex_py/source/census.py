"""Compare what lies on the disk with what is indexed, without reading a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gortex_py.types import FileStat, SourceFile

# Coarsest time stamp in use (FAT, some network mounts): an edit this shortly after a read can
# leave size and time as they were.
RACY_NS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Census:
    """What to do about each path; every tuple is sorted by path."""

    unchanged: tuple[FileStat, ...]
    candidates_changed: tuple[FileStat, ...]  # size or time differ, or are too fresh: the digest decides
    added: tuple[FileStat, ...]
    deleted: tuple[str, ...]


def census(found: Iterable[FileStat], known: Mapping[str, SourceFile], *, verified_at_ns: int) -> Census:
    """Sort found files by what is known of them.

    ``verified_at_ns`` is the wall-clock time at which the last pass over ``known`` began. A file
    whose time stamp is not clearly older could have been edited after it was read without its
    stamp showing it, so it is a candidate; so is one dated in the future. As each pass verifies
    again what was too fresh for the one before, no edit stays unseen. 0 makes every known file
    a candidate.
    """
    unchanged: list[FileStat] = []
    candidates: list[FileStat] = []
    added: list[FileStat] = []
    seen: set[str] = set()
    for stat in sorted(found, key=lambda stat: stat.path):
        seen.add(stat.path)
        before = known.get(stat.path)
        if before is None:
            added.append(stat)
        elif _is_same(stat, before) and stat.mtime_ns < verified_at_ns - RACY_NS:
            unchanged.append(stat)
        else:
            candidates.append(stat)
    deleted = tuple(sorted(known.keys() - seen))
    return Census(tuple(unchanged), tuple(candidates), tuple(added), deleted)


def _is_same(stat: FileStat, before: SourceFile) -> bool:
    # Without a digest its rows are of another analysis, and are wanted anew whatever the time.
    return bool(before.digest) and stat.size_bytes == before.size_bytes and stat.mtime_ns == before.mtime_ns
