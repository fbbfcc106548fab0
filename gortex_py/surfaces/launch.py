"""Start and stop the daemon's process; used by every surface that needs one running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gortex_py.errors import GortexError, NotReady
from gortex_py.service.address import LOCK_NAME, DaemonAddress, is_locked, read_address
from gortex_py.surfaces.client import DaemonClient, ForeignListener, Unreachable
from gortex_py.surfaces.unit import THREAD_LIMITS, ServiceManager

if TYPE_CHECKING:
    from gortex_py.settings.paths import Paths

START_TIMEOUT_S = 30.0  # a cold start imports for under a second; a loaded machine may need twenty times that
STOP_TIMEOUT_S = 20.0  # the writer finishes its batch first
KILL_TIMEOUT_S = 5.0
POLL_S = 0.03
FOREIGN_STATUS = 3  # what the daemon exits with when another program holds the port
LOG_TAIL_LINES = 12
LOG_TAIL_BYTES = 65536


class StartFailed(NotReady):
    """The daemon did not come up; the message holds the end of its log."""

    code = "start-failed"


class StopFailed(GortexError):
    """The daemon's process is still there after everything was tried."""

    code = "stop-failed"


@dataclass(frozen=True, slots=True)
class Started:
    """A daemon that answers."""

    address: DaemonAddress
    already: bool  # it ran before this call
    by: str  # "process", or the name of the service manager


@dataclass(frozen=True, slots=True)
class Stopped:
    """How a daemon was stopped."""

    pid: int | None  # None when none was running
    by: str  # "nothing", "service manager", "request", "signal" or "kill"


def start(
    paths: Paths,
    environ: Mapping[str, str],
    *,
    host: str | None = None,
    port: int | None = None,
    manager: ServiceManager | None = None,
) -> Started:
    """Make sure that a daemon answers; where the service is installed its manager starts it.

    :param host: passed on only when given, so that the settings decide otherwise.
    :raises ForeignListener: when another program holds the address.
    :raises StartFailed: when the process ended or stayed silent.
    """
    address = read_address(paths)
    if address is not None:
        return Started(_await_answer(paths, lambda: None), already=True, by="process")
    if manager is not None and host is None and port is None and is_managed(manager):
        ran = manager.run(manager.start_command)
        if ran.status != 0:
            raise StartFailed(f"`{' '.join(manager.start_command)}` failed ({ran.status}): {ran.output}")
        return Started(_await_answer(paths, lambda: None), already=False, by=manager.name)
    logged = _size(paths.log)
    process = _spawn(paths, environ, host, port)
    return Started(_await_answer(paths, process.poll, logged), already=False, by="process")


def stop(paths: Paths, *, manager: ServiceManager | None = None, token: str | None = None) -> Stopped:
    """Stop the daemon: through its service manager, by request, by signal, in that order.

    :raises StopFailed: when the process is still there afterwards.
    """
    address = _settled_address(paths)
    if manager is not None and is_managed(manager):
        pid = manager.main_pid()
        if pid is not None and (address is None or address.pid == pid):
            ran = manager.run(manager.stop_command)
            if ran.status == 0 and _wait(lambda: not is_alive(pid), STOP_TIMEOUT_S):
                return Stopped(pid, "service manager")
    if address is None:
        return Stopped(None, "nothing")
    if _ask_to_stop(address, token) and _wait(lambda: not is_running(paths), STOP_TIMEOUT_S):
        return Stopped(address.pid, "request")
    for number, by, patience_s in (
        (signal.SIGTERM, "signal", STOP_TIMEOUT_S),
        (signal.SIGKILL, "kill", KILL_TIMEOUT_S),
    ):
        # The lock says that a daemon lives; only a process that looks like one is signalled,
        # since the recorded number may have been given to something else after a crash.
        if not is_daemon(address.pid):
            break
        os.kill(address.pid, number)
        if _wait(lambda: not is_alive(address.pid), patience_s):
            return Stopped(address.pid, by)
    if not is_running(paths):
        return Stopped(address.pid, "request")
    raise StopFailed(f"the daemon (pid {address.pid}) at {address.url} does not stop; end that process yourself")


def is_running(paths: Paths) -> bool:
    """Say whether a daemon lives on this state, answering or not."""
    return is_locked(paths.state / LOCK_NAME)


def is_managed(manager: ServiceManager) -> bool:
    """Say whether the service is installed and its manager can be reached."""
    return manager.unit_path.is_file() and manager.is_available()


def foreground_command(host: str | None = None, port: int | None = None) -> tuple[str, ...]:
    """Return the command line of a daemon in the foreground."""
    # -P: without it Python would import from the folder the command was typed in.
    command = [sys.executable, "-P", "-m", "gortex_py", "daemon", "start", "--foreground"]
    if host is not None:
        command += ["--host", host]
    if port is not None:
        command += ["--port", str(port)]
    return tuple(command)


def log_tail(path: Path, lines: int = LOG_TAIL_LINES, *, since: int = 0) -> list[str]:
    """Return the last lines of a log; empty when there is none.

    :param since: only what was written after this many bytes; a log that is shorter by now was begun anew.
    """
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(since if since <= size else 0, size - LOG_TAIL_BYTES * (1 + lines // 200)))
            return stream.read().decode("utf-8", "replace").splitlines()[-lines:]
    except OSError:
        return []


def is_alive(pid: int) -> bool:
    """Say whether a process exists and is not a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        # A child that nobody has waited for still exists, but runs no more.
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0] != "Z"
    except (OSError, IndexError):
        return True


def is_daemon(pid: int) -> bool:
    """Say whether a process runs this package, by its command line."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        listed = subprocess.run(("ps", "-p", str(pid), "-o", "command="), capture_output=True, check=False)
        words = listed.stdout
    return b"gortex" in words and is_alive(pid)


def _spawn(paths: Paths, environ: Mapping[str, str], host: str | None, port: int | None) -> subprocess.Popen[bytes]:
    paths.ensure()
    with paths.log.open("ab") as log:
        return subprocess.Popen(
            foreground_command(host, port),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",  # never keeps a folder of the user's busy
            env={**THREAD_LIMITS, **environ},
            start_new_session=True,  # Ctrl-C in the terminal does not reach it
        )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _await_answer(paths: Paths, ended: Callable[[], int | None], logged: int = 0) -> DaemonAddress:
    """Wait until the daemon of this state answers its liveness probe.

    :param logged: bytes the log held before the start.
    """
    limit = time.monotonic() + START_TIMEOUT_S
    trouble = "it did not write its address"
    while time.monotonic() < limit:
        status = ended()
        if status is not None:
            if (address := read_address(paths)) is not None:
                return address  # another start won the race; its daemon is as good
            raise _ended(paths, status, logged)
        address = read_address(paths)
        if address is not None:
            try:
                DaemonClient(address.host, address.port).health()
            except GortexError as error:
                trouble = error.message
                if not isinstance(error, Unreachable):
                    raise
            else:
                return address
        time.sleep(POLL_S)
    raise StartFailed(f"the daemon does not answer after {START_TIMEOUT_S:.0f} s: {trouble}; see: gortex daemon logs")


def _ended(paths: Paths, status: int, logged: int) -> GortexError:
    # What earlier daemons wrote has nothing to do with it.
    tail = "\n".join(f"  {line}" for line in log_tail(paths.log, since=logged))
    if status == FOREIGN_STATUS:
        return ForeignListener(f"the daemon could not start, another program holds its address:\n{tail}")
    return StartFailed(f"the daemon ended at once (status {status}); the end of {paths.log}:\n{tail}")


def _settled_address(paths: Paths) -> DaemonAddress | None:
    """Return the address of the daemon; one that is just starting is given time to write it."""
    _wait(lambda: read_address(paths) is not None or not is_running(paths), START_TIMEOUT_S)
    address = read_address(paths)
    if address is None and is_running(paths):
        raise StopFailed(f"a daemon holds {paths.state / LOCK_NAME} but never wrote its address; end it yourself")
    return address


def _ask_to_stop(address: DaemonAddress, token: str | None) -> bool:
    try:
        DaemonClient(address.host, address.port, token=token).shutdown()
    except GortexError:
        # Whatever it answered, and if it answered nothing: the signal comes next.
        return False
    return True


def _wait(condition: Callable[[], bool], patience_s: float) -> bool:
    limit = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > limit:
            return False
        time.sleep(POLL_S)
    return True
