"""A real daemon in a process of its own, spoken to over HTTP."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

POLL_S = 0.005
READY_LIMIT_S = 120.0


class Client:
    """One kept-open connection to a daemon."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def get(self, path: str, **parameters: str) -> tuple[int, Any]:
        """Return status and decoded body."""
        return self._ask("GET", f"{path}?{urlencode(parameters)}" if parameters else path, None)

    def post(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Return status and decoded body."""
        return self._ask("POST", path, json.dumps(body))

    def paths(self, text: str) -> list[str]:
        """Return the paths of a search's results, best first."""
        status, answer = self.get("/v1/search", q=text, corpus="all")
        if status != 200:
            raise RuntimeError(f"the search answered {status}: {answer}")
        return [result["path"] for result in answer["results"]]

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _ask(self, method: str, path: str, body: str | None) -> tuple[int, Any]:
        self._connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
        response = self._connection.getresponse()
        raw = response.read()
        return response.status, json.loads(raw) if raw else None


@contextmanager
def running_daemon(home: Path) -> Iterator[Client]:
    """Start a daemon whose state lies in ``home``, wait until it answers, and stop it at the end."""
    port = free_port()
    command = [sys.executable, "-m", "gortex_py", "daemon", "start", "--foreground", "--port", str(port)]
    with (home / "daemon.out").open("wb") as log:
        process = subprocess.Popen(command, env=os.environ | {"GORTEX_HOME": str(home)}, stdout=log, stderr=log)
        try:
            yield _connect(process, port, home / "daemon.out")
        finally:
            process.terminate()
            process.wait(timeout=30)


def wait_until_ready(client: Client, name: str) -> None:
    """Wait until the named repository is indexed.

    :raises RuntimeError: when its index failed or takes longer than two minutes.
    """
    limit = time.monotonic() + READY_LIMIT_S
    while time.monotonic() < limit:
        _, answer = client.get("/v1/repos")
        states = {repo["name"]: repo["state"] for repo in answer["repos"]}
        if states.get(name) == "ready":
            return
        if states.get(name) in ("failed", "empty"):
            raise RuntimeError(f"the repository {name} is {states[name]}")
        time.sleep(POLL_S * 10)
    raise RuntimeError(f"the repository {name} is not ready after {READY_LIMIT_S:.0f} s")


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _connect(process: subprocess.Popen[bytes], port: int, log: Path) -> Client:
    limit = time.monotonic() + READY_LIMIT_S
    while time.monotonic() < limit:
        if process.poll() is not None:
            raise RuntimeError(f"the daemon ended with {process.returncode}: {log.read_text()[-600:]}")
        client = Client(port)
        try:
            if client.get("/healthz")[0] == 200:
                return client
        except OSError:  # it does not listen yet
            client.close()
        time.sleep(POLL_S * 4)
    raise RuntimeError(f"the daemon does not answer after {READY_LIMIT_S:.0f} s: {log.read_text()[-600:]}")
