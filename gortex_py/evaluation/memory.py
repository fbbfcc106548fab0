"""Watch how much memory this process and its workers hold."""

from __future__ import annotations

import os
import resource
import sys
import threading
from pathlib import Path
from types import TracebackType

INTERVAL_S = 0.05
"""Short enough for the peak of a one-second index, long enough to cost under 1 % of a core."""

PROC = Path("/proc")


class PeakMemory:
    """Records the largest resident sum of this process and its descendants while it is entered.

    Where /proc is missing, the sum of the kernel's own peaks stands in for it: that of this
    process since its start and that of its largest ended child.
    """

    def __init__(self) -> None:
        self.peak_bytes = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="gortex-peak-memory", daemon=True)

    def __enter__(self) -> PeakMemory:
        self.sample()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._ended.set()
        self._thread.join()
        self.sample()

    def _watch(self) -> None:
        while not self._ended.wait(INTERVAL_S):
            self.sample()

    def sample(self) -> None:
        """Look now, beside the regular looks."""
        self.peak_bytes = max(self.peak_bytes, resident_bytes(os.getpid()) or _peak_of_kernel())


def resident_bytes(pid: int) -> int:
    """Return the resident bytes of a process and its descendants; 0 where the system does not tell.

    Pages shared between them are counted for each, so this is an upper bound.
    """
    pages = [_read(PROC / str(member) / "statm").split() for member in _family(pid)]
    return resource.getpagesize() * sum(int(fields[1]) for fields in pages if fields)


def cpu_seconds(pid: int) -> float:
    """Return the processor seconds of a process, its descendants, and what they have waited for; 0 without /proc."""
    ticks = 0
    for member in _family(pid):
        # The second field is the command in parentheses and may hold anything, so count from its end.
        fields = _read(PROC / str(member) / "stat").rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _family(pid: int) -> list[int]:
    found = [pid]
    for member in found:  # grows while it is walked
        for task in (PROC / str(member) / "task").glob("*/children"):
            found.extend(map(int, _read(task).split()))
    return found


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # the process ended while we looked, or there is no /proc
        return ""


def _peak_of_kernel() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
