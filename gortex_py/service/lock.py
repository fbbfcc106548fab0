"""One daemon a state folder: a lock that the kernel releases when its holder dies."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from types import TracebackType

from gortex_py.errors import Conflict, StoreFailed
from gortex_py.service.address import LOCK_NAME, recorded_address

# A client that looks whether a daemon runs holds the lock for microseconds; a start outwaits it.
_RETRY_S = 0.3


class DaemonLock:
    """Hold the lock of a state folder for as long as the context lasts."""

    def __init__(self, state_dir: Path) -> None:
        self._state_dir = state_dir
        self._descriptor: int | None = None

    def __enter__(self) -> DaemonLock:
        """Take the lock.

        :raises Conflict: when a daemon runs on this state; the message has its address and pid.
        """
        path = self._state_dir / LOCK_NAME
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreFailed(f"the lock {path} cannot be opened: {error.strerror}") from error
        limit = time.monotonic() + _RETRY_S
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                if time.monotonic() > limit:
                    os.close(descriptor)
                    raise self._taken() from None
                time.sleep(0.02)
            else:
                self._descriptor = descriptor
                return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _taken(self) -> Conflict:
        address = recorded_address(self._state_dir)
        where = f"at {address.url} (pid {address.pid})" if address else "and is still starting"
        return Conflict(
            f"a daemon already runs on {self._state_dir} {where}; use it, or stop it with: gortex daemon stop",
            code="already-running",
        )
