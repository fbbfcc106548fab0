"""Analyse files in worker processes, so that parsing uses every core and no file can kill the daemon.

tree-sitter holds the interpreter's lock while it parses, so threads would not help; and a grammar
is C code that a hostile file may crash. A file that takes its worker down is tried once more by
itself, and if it does so again it is left out as poison, by name.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from multiprocessing import connection, forkserver, util
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import TypeAlias

from gortex_py.chunk import ChunkOptions
from gortex_py.errors import NotReady
from gortex_py.index.analyze import analyze
from gortex_py.parse.parser import SourceParser
from gortex_py.source.read import ReadOptions, read_file
from gortex_py.types import AnalyzedFile, FileStat, PackedFile, Skipped, SkipReason

Pack: TypeAlias = Callable[[AnalyzedFile], PackedFile]


@dataclass(frozen=True, slots=True)
class Analyzed:
    """A file ready to be written, and the texts its units are embedded from, in unit order."""

    file: PackedFile
    unit_texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A file that was read and holds what is indexed already."""

    stat: FileStat  # size and time of what was read


Outcome: TypeAlias = Analyzed | Unchanged | Skipped

# Enough work a message that its overhead does not show; little enough that results flow.
CHUNK_FILES = 24
CHUNK_BYTES = 512 * 1024
WORKER_START_S = 60.0  # the imports take one, on a very busy machine ten
GC_THRESHOLD = 50_000  # objects; the interpreter's 700 is passed many times a file
# Messages in flight a worker: enough to keep it busy while the writer commits a batch, which takes
# about as long as these take to analyse.
IN_FLIGHT = 8


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Seconds after which a file has run away; parsing one is bounded well below."""

    chunk_s: float = 120.0
    alone_s: float = 30.0


# A socket's path has 103 bytes on macOS, 107 on Linux; two generated names of 33 go below the folder.
MAX_SOCKET_FOLDER_BYTES = 70
SHORT_FOLDER = Path("/tmp")


@dataclass(frozen=True, slots=True)
class Task:
    """Files of one root for one worker."""

    root: Path
    stats: tuple[FileStat, ...]
    max_file_bytes: int
    chunks: ChunkOptions
    pack: Pack
    digests: Mapping[str, str] = field(default_factory=dict)  # by path; a file that still has it is not analysed


def analyze_files(task: Task) -> list[Outcome]:
    """Return an outcome for each file of a task, in order; runs in a worker."""
    parser = _parser()
    outcomes: list[Outcome] = []
    for stat in task.stats:
        read = read_file(task.root, stat, ReadOptions(task.max_file_bytes))
        if isinstance(read, Skipped):
            outcomes.append(_dated(read, stat))
        elif read.file.digest == task.digests.get(stat.path):
            outcomes.append(Unchanged(FileStat(stat.path, read.file.size_bytes, read.file.mtime_ns)))
        else:
            analysis = analyze(read.file, read.text, parser, task.chunks)
            outcomes.append(Analyzed(task.pack(analysis.file), analysis.unit_texts))
    return outcomes


def _dated(skipped: Skipped, stat: FileStat) -> Skipped:
    """Return a skipped file with the size and time it had, so that it is looked at again only when they change."""
    return replace(skipped, size_bytes=stat.size_bytes, mtime_ns=stat.mtime_ns)


class WorkerPool:
    """A pool of analysis processes, started when first needed and kept until closed.

    Used from one thread. ``size`` is the number of processes; 0 takes one a core.
    """

    def __init__(
        self,
        size: int = 0,
        *,
        work: Callable[[Task], list[Outcome]] = analyze_files,
        limits: TimeLimits | None = None,
    ) -> None:
        self.size = size or os.cpu_count() or 1
        self._work = work
        self._limits = limits or TimeLimits()
        self._executor: ProcessPoolExecutor | None = None
        self._is_ended = False

    def run(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """Yield an outcome for every file of the tasks, in order."""
        waiting = iter(tasks)
        flying: deque[tuple[Task, Future[list[Outcome]]]] = deque()
        while True:
            for task in islice(waiting, self.size * IN_FLIGHT - len(flying)):
                flying.append((task, self._submit(task)))
            if not flying:
                return
            task, future = flying.popleft()
            try:
                outcomes = future.result(self._limits.chunk_s)
            except (BrokenProcessPool, FutureTimeout):
                # Every task in flight went down with the pool; only one of their files is to blame.
                self.kill()
                suspects = [task, *(t for t, _ in flying)]
                flying.clear()
                for suspect in suspects:
                    yield from self._run_apart(suspect)
                continue
            yield from outcomes

    def prepare(self) -> None:
        """Start the process that workers are forked from, so that the next work need not wait for its imports.

        Returns at once; without effect while it runs.
        """
        if not self._is_ended:
            _fork_context()
            forkserver.ensure_running()

    def kill(self, *, for_good: bool = False) -> None:
        """End the workers at once, whatever they are doing; ``for_good`` refuses to start others.

        The only method that another thread may call.
        """
        self._is_ended = self._is_ended or for_good
        # Taken first, so that two threads never shut the same executor down.
        executor, self._executor = self._executor, None
        if executor is not None:
            for process in list(getattr(executor, "_processes", None) or {}):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            executor.shutdown(wait=True, cancel_futures=True)

    def close(self) -> None:
        """End the workers; more work starts others."""
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True, cancel_futures=True)

    def _submit(self, task: Task) -> Future[list[Outcome]]:
        if self._is_ended:
            raise NotReady("indexing was stopped", code="stopping")
        if self._executor is None:
            self._executor = ProcessPoolExecutor(self.size, mp_context=_fork_context(), initializer=_prepare)
        try:
            return self._executor.submit(self._work, task)
        except BrokenProcessPool as broken:
            # A worker died since the last result came; this task fares as those in flight.
            failed: Future[list[Outcome]] = Future()
            failed.set_exception(broken)
            return failed

    def _run_apart(self, task: Task) -> Iterator[Outcome]:
        """Yield the outcomes of a task whose worker may have died of one of its files."""
        for stat in task.stats:
            alone = replace(task, stats=(stat,))
            try:
                # An empty task first, so that starting a worker is not charged to the file.
                self._submit(replace(task, stats=())).result(WORKER_START_S)
                yield from self._submit(alone).result(self._limits.alone_s)
            except BrokenProcessPool:
                self.kill()
                yield _dated(Skipped(stat.path, SkipReason.POISON, "a worker process died of it"), stat)
            except FutureTimeout:
                self.kill()
                detail = f"it took longer than {self._limits.alone_s:g} s"
                yield _dated(Skipped(stat.path, SkipReason.POISON, detail), stat)


def _keep_sockets_short() -> None:
    """Have the server's socket in ``/tmp`` where the temporary folder's path is too long to hold one."""
    if len(os.fsencode(tempfile.gettempdir())) > MAX_SOCKET_FOLDER_BYTES and SHORT_FOLDER.is_dir():
        before, tempfile.tempdir = tempfile.tempdir, str(SHORT_FOLDER)
        try:
            util.get_temp_dir()  # made once a process, and asked for by the server
        finally:
            tempfile.tempdir = before


def divide_task(task: Task) -> Iterator[Task]:
    """Divide a task's files among tasks of bounded size, in order."""
    held: list[FileStat] = []
    size = 0
    for stat in task.stats:
        if held and (len(held) >= CHUNK_FILES or size + stat.size_bytes > CHUNK_BYTES):
            yield _part(task, held)
            held, size = [], 0
        held.append(stat)
        size += stat.size_bytes
    if held:
        yield _part(task, held)


def _part(task: Task, stats: Sequence[FileStat]) -> Task:
    digests = {stat.path: task.digests[stat.path] for stat in stats if stat.path in task.digests}
    return replace(task, stats=tuple(stats), digests=digests)


def _fork_context() -> BaseContext:
    # Workers are forked from a small server process, never from the daemon with its
    # threads and connections; the server has the heavy imports done already.
    _keep_sockets_short()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["gortex_py.index.workers"])
    return context


def _prepare() -> None:
    """Spare a worker's garbage collector, and tie the worker to its parent.

    What it makes is trees without cycles, and collecting took a tenth of the time.
    """
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD, 50, 50)
    _end_with_parent()


def _end_with_parent() -> None:
    """End this worker when the process that uses the pool dies, however it dies.

    A worker holds both ends of its queue, so it would wait for ever for work from a killed parent.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        watch = threading.Thread(target=_exit_after, args=(parent.sentinel,), name="parent-watch", daemon=True)
        watch.start()


def _exit_after(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)


_parsers: list[SourceParser] = []


def _parser() -> SourceParser:
    """Return this process's parser; grammars are loaded once a process."""
    if not _parsers:
        _parsers.append(SourceParser())
    return _parsers[0]
