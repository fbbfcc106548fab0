"""Where the running daemon can be reached: a small file that the daemon writes and clients read.

Standard library only: a command that talks to the daemon imports this before anything else.
The file alone proves nothing (a crash leaves it behind); the lock beside it does, since the
kernel lets go of a lock when its holder dies.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gortex_py.settings.paths import Paths

ADDRESS_NAME = "daemon.json"
LOCK_NAME = "daemon.lock"


@dataclass(frozen=True, slots=True)
class DaemonAddress:
    """What the daemon says about itself on disk."""

    host: str
    port: int
    pid: int
    version: str
    started_at: float  # seconds since the epoch
    state_dir: str

    @property
    def url(self) -> str:
        """Return the address as a URL without a trailing slash."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


def read_address(paths: Paths) -> DaemonAddress | None:
    """Return where the daemon of this state can be reached, or None when none is running."""
    return recorded_address(paths.state) if is_running(paths) else None


def is_running(paths: Paths) -> bool:
    """Say whether a daemon holds this state; it may still be starting and have no address yet."""
    return is_locked(paths.state / LOCK_NAME)


def recorded_address(state_dir: Path) -> DaemonAddress | None:
    """Return what the file says, whether or not that daemon is still alive; None when unreadable."""
    try:
        fields = json.loads((state_dir / ADDRESS_NAME).read_bytes())
        return DaemonAddress(
            host=str(fields["host"]),
            port=int(fields["port"]),
            pid=int(fields["pid"]),
            # Absent in a file of another version, which must not keep `daemon stop` from working.
            version=str(fields.get("version", "unknown")),
            started_at=float(fields.get("started_at", 0.0)),
            state_dir=str(fields.get("state_dir", state_dir)),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def write_address(state_dir: Path, address: DaemonAddress) -> None:
    """Write the file in one step, readable by its owner only."""
    write_private(state_dir / ADDRESS_NAME, json.dumps(asdict(address)).encode() + b"\n")


def remove_address(state_dir: Path) -> None:
    """Remove the file; its absence at the next start says that the daemon stopped in order."""
    with contextlib.suppress(FileNotFoundError):
        (state_dir / ADDRESS_NAME).unlink()


def is_locked(lock_path: Path) -> bool:
    """Say whether a live process holds the lock."""
    try:
        descriptor = os.open(lock_path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        # Shared, so that two probes do not see each other as a daemon.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def write_private(path: Path, content: bytes) -> None:
    """Replace a file in one step with mode 0600; a reader sees the old or the new content."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
