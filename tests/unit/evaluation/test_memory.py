"""The memory of this process and of its workers is seen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gortex_py.evaluation import memory
from gortex_py.evaluation.memory import PeakMemory, cpu_seconds, resident_bytes

HOLD = "import sys; held = bytearray(80_000_000); print('held', flush=True); sys.stdin.read()"

needs_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system has no /proc")


@needs_proc
def test_a_worker_counts() -> None:
    with PeakMemory() as before:
        pass
    with (
        PeakMemory() as peak,
        subprocess.Popen([sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker,
    ):
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"held\n"
        peak.sample()
        worker.communicate()
    assert peak.peak_bytes - before.peak_bytes > 75_000_000


@needs_proc
def test_processor_time_of_a_worker_counts_while_it_runs_and_after() -> None:
    burn = "import sys, time; t = time.process_time()\nwhile time.process_time() - t < 0.1: pass\n"
    before = cpu_seconds(os.getpid())
    with subprocess.Popen(
        [sys.executable, "-c", f"{burn}print('burnt', flush=True); sys.stdin.read()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"burnt\n"
        running = cpu_seconds(os.getpid())
        worker.communicate()
    assert running - before >= 0.08
    assert cpu_seconds(os.getpid()) - before >= 0.08


@needs_proc
def test_an_ended_process_holds_nothing() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert resident_bytes(ended.pid) == 0


def test_without_proc_the_kernels_own_peak_stands_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "PROC", tmp_path)
    with PeakMemory() as peak:
        pass
    assert peak.peak_bytes > 5_000_000
