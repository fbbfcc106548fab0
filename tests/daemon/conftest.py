"""A daemon as a real process on a free port."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlencode

import pytest

from gortex_py.service.address import read_address
from gortex_py.settings.paths import Paths

ROOT = Path(__file__).parents[2]
LIMIT_S = 30.0


def wait_for(condition: Callable[[], Any], limit_s: float = LIMIT_S) -> Any:
    """Poll until a condition holds; returns what it gave."""
    limit = time.monotonic() + limit_s
    while not (value := condition()):
        assert time.monotonic() < limit, "waited in vain"
        time.sleep(0.02)
    return value


class Daemon:
    """One state folder and the process on it."""

    def __init__(self, home: Path, *, workers: int = 1) -> None:
        self.home = home
        self.workers = workers  # 0 is one a core, as by default
        self.within: tuple[str, ...] = ()  # a command that runs it
        self.paths = Paths.from_environment({"GORTEX_HOME": str(home / "gortex")}, home)
        self.process: subprocess.Popen[bytes] | None = None
        self.started_in_s = 0.0

    def spawn(self, port: int = 0, errors: int | IO[bytes] = subprocess.PIPE) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*self.within, sys.executable, str(ROOT / "tests" / "daemon" / "run_daemon.py"), str(self.home), str(port)],
            env={**os.environ, "PYTHONPATH": str(ROOT), "GORTEX_INDEX_WORKERS": str(self.workers)},
            stdout=subprocess.DEVNULL,
            stderr=errors,
            cwd=self.home,
        )

    def start(self) -> Daemon:
        began = time.monotonic()
        with (self.home / "errors").open("ab") as errors:  # a pipe that nobody reads would fill up and stop it
            self.process = self.spawn(errors=errors)
        wait_for(self.answers)
        self.started_in_s = time.monotonic() - began
        return self

    def answers(self) -> bool:
        assert self.process is not None and self.process.poll() is None, self.log()
        try:
            return read_address(self.paths) is not None and self.get("/healthz")["status"] == "ok"
        except OSError:
            return False

    def ask(self, method: str, target: str, body: object = None) -> tuple[int, Any]:
        address = read_address(self.paths)
        assert address is not None
        connection = HTTPConnection(address.host, address.port, timeout=10)
        try:
            content = None if body is None else json.dumps(body)
            connection.request(method, target, content, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def get(self, target: str, **parameters: object) -> Any:
        status, body = self.ask("GET", f"{target}?{urlencode(parameters)}" if parameters else target)
        assert status == 200, body
        return body

    def track(self, root: Path) -> None:
        assert self.ask("POST", "/v1/repos", {"path": str(root)})[0] == 202
        wait_for(lambda: self.is_settled(root.name))

    def repo(self, name: str) -> Any:
        return next(row for row in self.get("/v1/repos")["repos"] if row["name"] == name)

    def wait_until_quiet(self, name: str, *, quiet_s: float = 2.0, limit_s: float = 300.0) -> None:
        """Wait until a repository has been settled for longer than events and checks of HEAD take to arrive."""
        limit = time.monotonic() + limit_s
        settled_s = time.monotonic()
        while time.monotonic() - settled_s < quiet_s:
            assert time.monotonic() < limit, f"not settled: {self.repo(name)}"
            time.sleep(0.05)
            if not self.is_settled(name):
                settled_s = time.monotonic()

    def account(self, name: str, queries: Iterable[str]) -> dict[str, Any]:
        """Return a repository's counts, and its answers to some queries."""
        row = self.repo(name)
        answers: dict[str, Any] = {"files": row["files"], "symbols": row["symbols"]}
        for query in queries:
            hits = self.get("/v1/search", q=query, repo=name, corpus="all", limit=20)["results"]
            answers[query] = [(hit["path"], hit["start_line"], hit["symbol"], round(hit["score"], 5)) for hit in hits]
        return answers

    def is_settled(self, name: str) -> bool:
        row = self.repo(name)
        return row["state"] in ("ready", "empty") and not row["busy"]

    def symbols(self, query: str) -> set[str]:
        return {hit["symbol"] for hit in self.get("/v1/search", q=query)["results"]}

    def files(self, symbol: str) -> set[str]:
        """Return the files that define a symbol; the vector channel finds its neighbours as well."""
        hits = self.get("/v1/search", q=symbol)["results"]
        return {hit["path"] for hit in hits if hit["symbol"] == symbol}

    def stop(self) -> float:
        """Stop by signal; returns the seconds it took."""
        assert self.process is not None
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=LIMIT_S)
        assert self.process.returncode == 0, self.log()[-2000:]
        self.process = None
        return time.monotonic() - began

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait(timeout=LIMIT_S)
        self.process = None

    def processes(self) -> dict[int, int]:
        """Return the resident bytes of the daemon and of each process below it, by pid."""
        assert self.process is not None
        parents: dict[int, list[int]] = {}
        for entry in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                parents.setdefault(int(entry.read_text().rpartition(")")[2].split()[1]), []).append(
                    int(entry.parent.name)
                )
        found, pending = {}, [self.process.pid]
        while pending:
            pid = pending.pop()
            with suppress(OSError):
                found[pid] = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            pending += parents.get(pid, [])
        return found

    def log(self) -> str:
        return self.paths.log.read_text(errors="replace") if self.paths.log.exists() else ""


@pytest.fixture(scope="module")
def module_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    yield from _daemon(tmp_path_factory.mktemp("daemon") / "home")


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    yield from _daemon(tmp_path / "home")


def _daemon(home: Path) -> Iterator[Daemon]:
    home.mkdir()
    made = Daemon(home)
    yield made
    if made.process is not None:
        made.kill()
