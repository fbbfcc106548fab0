"""The writer thread: what it merges, what goes first, what cancels. Events order the threads, never time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from gortex_py.service.jobs import FIRST_SLICE_S, MAX_PATHS, WriterThread

LIMIT_S = 5.0


class Recorder:
    """Passes that stop where the test wants them to."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.passes: list[tuple[str, frozenset[str] | None]] = []
        self.errors: list[str] = []
        self.hold: set[str] = set()
        self.entered = threading.Semaphore(0)
        self.go_on = threading.Semaphore(0)
        self.done = threading.Semaphore(0)
        self.cancels: list[bool] = []
        self.writer = WriterThread(
            self.run, on_error=lambda name, _: self.errors.append(name), clock=lambda: self.now_s
        )

    def run(self, name: str, paths: frozenset[str] | None, cancelled: Callable[[], bool]) -> None:
        self.passes.append((name, paths))
        if name in self.hold:
            self.entered.release()
            assert self.go_on.acquire(timeout=LIMIT_S)
        self.cancels.append(cancelled())
        self.done.release()
        if name == "broken":
            raise ValueError("boom")

    def wait(self, count: int) -> None:
        for _ in range(count):
            assert self.done.acquire(timeout=LIMIT_S)


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    recorder = Recorder()
    yield recorder
    recorder.go_on.release(99)
    assert recorder.writer.stop(LIMIT_S)


def test_work_on_one_repository_is_merged(recorder: Recorder) -> None:
    recorder.writer.submit("a", ["x.py"])
    recorder.writer.submit("a", ["y.py", "x.py"])
    recorder.writer.submit("b", None)
    recorder.writer.submit("b", ["z.py"])  # the whole look sees it anyway
    recorder.writer.submit("c", [])
    recorder.writer.start()
    recorder.wait(2)
    assert recorder.passes == [("a", frozenset({"x.py", "y.py"})), ("b", None)]
    assert not recorder.writer.is_busy("c")


def test_too_many_paths_become_a_census(recorder: Recorder) -> None:
    recorder.writer.submit("a", [f"{number}.py" for number in range(MAX_PATHS + 1)])
    recorder.writer.start()
    recorder.wait(1)
    assert recorder.passes == [("a", None)]


def test_edit_interrupts_a_long_census_which_then_resumes(recorder: Recorder) -> None:
    recorder.hold = {"big"}
    recorder.writer.submit("big", None)
    recorder.writer.start()
    assert recorder.entered.acquire(timeout=LIMIT_S)
    recorder.writer.submit("small", ["edit.py"])
    recorder.writer.submit("big", ["late.py"])
    recorder.now_s = FIRST_SLICE_S + 1
    recorder.hold = set()
    recorder.go_on.release()
    recorder.wait(4)
    assert recorder.cancels[0] is True
    assert recorder.passes == [
        ("big", None),
        ("small", frozenset({"edit.py"})),
        ("big", frozenset({"late.py"})),
        ("big", None),
    ] or recorder.passes[1:3] == [("big", frozenset({"late.py"})), ("small", frozenset({"edit.py"}))]
    assert recorder.cancels[-1] is False


def test_census_is_not_interrupted_within_its_slice_nor_without_need(recorder: Recorder) -> None:
    recorder.hold = {"big"}
    recorder.writer.submit("big", None)
    recorder.writer.start()
    assert recorder.entered.acquire(timeout=LIMIT_S)
    recorder.now_s = FIRST_SLICE_S * 100  # long, but nobody waits
    recorder.go_on.release()
    recorder.wait(1)
    assert recorder.cancels == [False]


def test_forget_cancels_and_drops(recorder: Recorder) -> None:
    recorder.hold = {"a"}
    recorder.writer.submit("a", None)
    recorder.writer.start()
    assert recorder.entered.acquire(timeout=LIMIT_S)
    recorder.writer.submit("a", ["more.py"])
    recorder.writer.forget("a")
    recorder.writer.submit("b", None)
    recorder.go_on.release()
    recorder.wait(2)
    assert recorder.cancels[0] is True
    assert recorder.passes == [("a", None), ("b", None)]


def test_one_broken_pass_does_not_end_the_thread(recorder: Recorder) -> None:
    recorder.writer.start()
    recorder.writer.submit("broken", None)
    recorder.wait(1)
    recorder.writer.submit("a", None)
    recorder.wait(1)
    assert recorder.errors == ["broken"]


def test_calls_go_before_queued_passes(recorder: Recorder) -> None:
    order: list[str] = []
    recorder.hold = {"a"}
    recorder.writer.submit("a", None)
    recorder.writer.start()
    assert recorder.entered.acquire(timeout=LIMIT_S)
    recorder.writer.submit("b", ["x.py"])
    recorder.writer.call("c", lambda: order.append(f"after {len(recorder.passes)}"))
    recorder.go_on.release()
    recorder.wait(2)
    assert order == ["after 1"]


def test_stop_cancels_the_running_pass_and_takes_no_more(recorder: Recorder) -> None:
    recorder.hold = {"a"}
    recorder.writer.submit("a", None)
    recorder.writer.submit("b", None)
    recorder.writer.start()
    assert recorder.entered.acquire(timeout=LIMIT_S)
    assert not recorder.writer.stop(0.01)
    recorder.go_on.release()
    assert recorder.writer.stop(LIMIT_S)
    recorder.writer.submit("c", None)
    assert recorder.passes == [("a", None)]
    assert recorder.cancels == [True]


def test_what_work_needed_is_let_go_once_after_a_while_without_work() -> None:
    idle, passes = threading.Semaphore(0), threading.Semaphore(0)
    rests: list[int] = []

    def rest() -> None:
        rests.append(1)
        idle.release()

    writer = WriterThread(lambda *_: passes.release(), on_idle=rest, idle_s=0.01)
    writer.start()
    for _ in range(2):
        writer.submit("a", None)
        assert passes.acquire(timeout=LIMIT_S) and idle.acquire(timeout=LIMIT_S)
    assert not idle.acquire(timeout=0.05)  # without new work there is nothing more to let go
    assert writer.stop(LIMIT_S) and len(rests) == 2
