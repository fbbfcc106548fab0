"""A few threads that answer searches, each with its own readers.

A reader belongs to the thread that opened it, so work goes to the reader and not the reverse.
The queue is bounded: under more load than the machine can bear, callers hear so at once.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, Protocol, TypeAlias, TypeVar

from gortex_py.errors import NotReady

logger = logging.getLogger(__name__)

# Scoring holds the interpreter lock for most of its time; more threads only help where one waits for the disk.
THREADS = 4
MAX_WAITING = 256


class Closable(Protocol):
    """Something a thread owns and has to close itself."""

    def close(self) -> None: ...


OwnedT = TypeVar("OwnedT", bound=Closable)
AnswerT = TypeVar("AnswerT")
_Job: TypeAlias = "tuple[Future[AnswerT], Callable[[dict[str, OwnedT]], AnswerT]]"


class SearchThreads(Generic[OwnedT]):
    """Run functions on threads that each keep a mapping of owned things by key."""

    def __init__(self, *, threads: int = THREADS, max_waiting: int = MAX_WAITING) -> None:
        self._jobs: queue.Queue[_Job[object, OwnedT] | None] = queue.Queue(max_waiting)
        self._threads = [
            threading.Thread(target=self._loop, name=f"search-{number}", daemon=True) for number in range(threads)
        ]
        self._stopped = False

    def start(self) -> None:
        """Begin to answer."""
        for thread in self._threads:
            thread.start()

    def submit(self, job: Callable[[dict[str, OwnedT]], AnswerT]) -> Future[AnswerT]:
        """Run a function with the thread's owned things; it may add to them.

        :raises NotReady: when too many wait already, or the daemon is stopping.
        """
        if self._stopped:
            raise NotReady("the daemon is stopping", code="stopping")
        future: Future[AnswerT] = Future()
        try:
            self._jobs.put_nowait((future, job))  # type: ignore[arg-type]
        except queue.Full:
            raise NotReady("too many searches are waiting; ask again in a moment", code="busy") from None
        return future

    def stop(self, timeout_s: float) -> None:
        """Finish what runs, close what the threads own, end them."""
        self._stopped = True
        for _ in self._threads:
            try:
                self._jobs.put(None, timeout=timeout_s)
            except queue.Full:
                logger.warning("searches were still waiting when the daemon stopped")
        for thread in self._threads:
            if thread.is_alive():
                thread.join(timeout_s)

    def _loop(self) -> None:
        owned: dict[str, OwnedT] = {}
        while (item := self._jobs.get()) is not None:
            future, job = item
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(job(owned))
            except BaseException as error:  # noqa: BLE001 - handed to the caller, who logs what he does not expect
                future.set_exception(error)
        for thing in owned.values():
            thing.close()
