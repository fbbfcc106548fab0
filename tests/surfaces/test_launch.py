"""Starting and stopping the process, with daemons that misbehave."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gortex_py.settings.paths import Paths
from gortex_py.surfaces.launch import is_alive, is_daemon, log_tail, stop
from gortex_py.surfaces.unit import Command, Ran, Systemd
from tests.surfaces.conftest import PROJECT, CommandLine

# A process that looks like a daemon from outside: it holds the lock, has an address, and answers
# every request with the same bytes. Its name is on the command line, as a real one's is.
PRETENDER = """
import sys, threading, signal, time
from pathlib import Path
from tests.surfaces.stub_daemon import running_stub
state, raw, heeds = Path(sys.argv[2]), sys.argv[3], sys.argv[4]
if heeds != "signal":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
with running_stub(state) as stub:
    stub.raw = raw.encode() if raw else None
    print("up", flush=True)
    if heeds == "request":
        stub.shutdown_asked.wait(30)
    else:
        time.sleep(30)
"""


@contextmanager
def pretender(state: Path, *, raw: str = "", heeds: str = "request") -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-c", PRETENDER, "gortex_py", str(state), raw, heeds]
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(PROJECT)}, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture
def paths(gortex: CommandLine) -> Paths:
    return gortex.paths


def test_stop_asks_first(paths: Paths) -> None:
    with pretender(paths.state) as process:
        stopped = stop(paths)
        assert (stopped.by, stopped.pid) == ("request", process.pid)
        assert process.wait(5) == 0


@pytest.mark.parametrize("raw", ["{}", "garbage"])
def test_stop_works_on_a_daemon_that_answers_nonsense(gortex: CommandLine, paths: Paths, raw: str) -> None:
    with pretender(paths.state, raw=raw, heeds="signal") as process:
        # An empty object looks like a yes, so the wait for it comes first; that is 20 s in life.
        if raw == "{}":
            gortex.environ["GORTEX_HOME"] = str(paths.state.parent)
            process.terminate()
        ran = gortex("daemon", "stop")
        assert ran.returncode == 0, ran.stderr
        process.wait(5)


def test_a_daemon_that_ignores_the_signal_is_killed(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gortex_py.surfaces.launch.STOP_TIMEOUT_S", 0.1)
    with pretender(paths.state, raw="{}", heeds="nothing") as process:
        assert stop(paths).by == "kill"
        assert process.wait(5) < 0


def test_stop_without_a_daemon_says_so(gortex: CommandLine) -> None:
    ran = gortex("daemon", "stop")
    assert (ran.returncode, ran.stdout) == (0, "no daemon was running\n")


def test_stop_goes_through_the_manager_that_would_restart_it(paths: Paths, tmp_path: Path) -> None:
    told = []
    with pretender(paths.state, heeds="signal") as process:

        def systemctl(command: Command) -> Ran:
            told.append(command[2])
            if command[2] == "show":
                return Ran(0, str(process.pid))
            if command[2] == "stop":
                process.terminate()
                process.wait(5)
            return Ran(0, "")

        manager = Systemd(b"", {}, tmp_path, systemctl)
        manager.unit_path.parent.mkdir(parents=True)
        manager.unit_path.touch()
        assert stop(paths, manager=manager).by == "service manager"
    assert told[-1] == "stop"


def test_a_daemon_that_the_manager_does_not_run_is_stopped_directly(paths: Paths, tmp_path: Path) -> None:
    def systemctl(command: Command) -> Ran:
        assert command[2] != "stop"
        return Ran(0, "1" if command[2] == "show" else "")

    manager = Systemd(b"", {}, tmp_path, systemctl)
    manager.unit_path.parent.mkdir(parents=True)
    manager.unit_path.touch()
    with pretender(paths.state):
        assert stop(paths, manager=manager).by == "request"


def test_a_process_that_is_no_daemon_is_not_taken_for_one() -> None:
    with subprocess.Popen(["sleep", "30"]) as process:
        assert is_alive(process.pid)
        assert not is_daemon(process.pid)
        process.kill()
    assert not is_alive(process.pid)


def test_the_log_is_read_from_its_end(tmp_path: Path) -> None:
    log = tmp_path / "daemon.log"
    assert log_tail(log) == []
    log.write_text("".join(f"line {i}\n" for i in range(50_000)))
    assert log_tail(log, 2) == ["line 49998", "line 49999"]
    assert log_tail(log, 2, since=log.stat().st_size - len("line 49999\n")) == ["line 49999"]
    assert log_tail(log, 1, since=log.stat().st_size + 1) == ["line 49999"], "a log that was begun anew"
    assert len(log_tail(log, 20_000)) == 20_000
