"""The daemon's process: lock, log, address file, serve, drain.

Only the standard library is imported at the top: numpy's threads have to be bounded before
numpy is loaded, and a start that is refused should say so at once.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from urllib.request import ProxyHandler, build_opener

from gortex_py import __version__
from gortex_py.errors import Conflict, GortexError, UsageError
from gortex_py.service.address import DaemonAddress, recorded_address, remove_address, write_address
from gortex_py.service.lock import DaemonLock

if TYPE_CHECKING:
    from gortex_py.service.service import Service
    from gortex_py.settings.paths import Paths

logger = logging.getLogger(__name__)

LOG_BYTES = 5 * 1024 * 1024
LOG_FILES = 3
LOG_LINE_CHARS = 8_000  # of one record; a library's warning was seen to name every folder of a tree
EXIT_OK = 0
EXIT_FAILED = 2
EXIT_PORT_TAKEN = 3
_PROBE_S = 2.0
# A search gives the interpreter up at every step in the database, and while a pass runs it waits so long to
# get it back. With Python's 5 ms searches during a pass took half as long again at the median and the tail.
SWITCH_INTERVAL_S = 0.0005
# With two threads and a busy core a matrix product of 0.7 ms takes ten times as long.
_THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")

Serve: TypeAlias = "Callable[[Service, socket.socket, str], None]"
"""(service, listening socket, host): start the service and answer until asked to stop; stopping it is not its work."""


class PortInUse(Conflict):
    """Another program listens where the daemon should."""

    code = "port-in-use"


def run_daemon(paths: Paths, host: str, port: int, *, make_service: Callable[[], Service], serve: Serve) -> int:
    """Run the daemon until it is told to stop; returns the exit status.

    :param make_service: called once the lock is held.
    """
    _bound_native_threads()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    try:
        paths.ensure()
        with DaemonLock(paths.state):
            _open_log(paths.log)
            return _run_locked(paths, host, port, make_service, serve)
    except GortexError as error:
        _complain(error.message)
        return EXIT_PORT_TAKEN if isinstance(error, PortInUse) else EXIT_FAILED
    except OSError as error:
        _complain(f"the daemon cannot go on: {error}")
        return EXIT_FAILED


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket.

    :raises PortInUse: when something listens there; says whether it is a gortex daemon.
    :raises UsageError: when the host is not an address of this machine.
    """
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise UsageError(f"the host {host!r} cannot be resolved: {error}", code="bad-host") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(where)
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise PortInUse(_who_listens(host, port)) from error
        raise UsageError(f"cannot listen on {host}:{port}: {(error.strerror or str(error)).lower()}") from error
    return listener


def _run_locked(paths: Paths, host: str, port: int, make_service: Callable[[], Service], serve: Serve) -> int:
    listener = listen(host, port)
    started_at = time.time()
    before = recorded_address(paths.state)
    if before is not None:
        logger.warning(
            "the last daemon (pid %d) ended without stopping; going on from what it had committed", before.pid
        )
    bound_port = int(listener.getsockname()[1])
    address = DaemonAddress(host, bound_port, os.getpid(), __version__, started_at, str(paths.state))
    ended = False
    try:
        service = make_service()
        try:
            write_address(paths.state, address)
            logger.info("gortex %s listens on %s (pid %d)", __version__, address.url, address.pid)
            serve(service, listener, host)
        finally:
            ended = service.stop()
    finally:
        listener.close()
        remove_address(paths.state)
    logger.info("stopped")
    if not ended:
        # A thread is stuck in a batch: its transaction is rolled back by the next opening, and
        # waiting for it at interpreter exit would break the promise that stop always works.
        logging.shutdown()
        os._exit(EXIT_OK)
    return EXIT_OK


def _open_log(path: Path) -> None:
    """Log to a file that rotates, and to the terminal unless that is the same file."""
    root = logging.getLogger()
    formatter = BoundedFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    handlers: list[logging.Handler] = [
        RotatingFileHandler(
            path, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8", errors="backslashreplace"
        )
    ]
    path.chmod(0o600)
    if not _is_same_file(path):
        handlers.append(logging.StreamHandler(sys.stderr))
    for handler in handlers:
        handler.setFormatter(formatter)
        root.addHandler(handler)
    root.setLevel(logging.INFO)
    logging.captureWarnings(True)


class BoundedFormatter(logging.Formatter):
    """Keep the head and the tail of a record that is too long."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text of bounded length."""
        text = super().format(record)
        left_out = len(text) - LOG_LINE_CHARS
        if left_out <= 0:
            return text
        half = LOG_LINE_CHARS // 2
        return f"{text[:half]} [{left_out} characters left out] {text[-half:]}"


def _is_same_file(path: Path) -> bool:
    with suppress(OSError, ValueError, AttributeError):
        theirs, ours = os.fstat(sys.stderr.fileno()), path.stat()
        return (theirs.st_dev, theirs.st_ino) == (ours.st_dev, ours.st_ino)
    return False


def _complain(message: str) -> None:
    if logging.getLogger().handlers:
        logger.error("%s", message)
    else:
        sys.stderr.write(f"gortex: {message}\n")


def _bound_native_threads() -> None:
    if "numpy" not in sys.modules:
        for variable in _THREAD_VARIABLES:
            os.environ.setdefault(variable, "1")


def _who_listens(host: str, port: int) -> str:
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    advice = "stop it, or take another port, as with: gortex daemon start --port 0"
    try:
        # Without a proxy: the environment's would be asked for a local address.
        with build_opener(ProxyHandler({})).open(f"http://{where}/healthz", timeout=_PROBE_S) as answer:
            body = json.loads(answer.read(65536))
            if isinstance(body, dict) and body.get("service") == "gortex":
                return f"a gortex daemon with another state (pid {body.get('pid')}) listens on {where}; {advice}"
    except (OSError, ValueError, RecursionError):
        pass
    except Exception as error:  # noqa: BLE001 - http.client raises a family of its own at strangers
        logger.debug("the listener on %s: %s", where, error)
    return f"another program listens on {where}; {advice}"
