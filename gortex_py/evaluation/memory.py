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
    total = 0
    waiting = [pid]
    while waiting:
        current = waiting.pop()
        try:
            pages = int((PROC / str(current) / "statm").read_text().split()[1])
            children = [task.read_text().split() for task in (PROC / str(current) / "task").glob("*/children")]
        except (OSError, IndexError):  # it ended while we looked, or there is no /proc
            continue
        total += pages * resource.getpagesize()
        waiting.extend(int(child) for listed in children for child in listed)
    return total


def _peak_of_kernel() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
