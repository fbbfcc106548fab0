"""No file can take the pass down: what kills or stalls a worker is named, and all else is indexed."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gortex_py.chunk import ChunkOptions
from gortex_py.index.workers import (
    CHUNK_BYTES,
    CHUNK_FILES,
    Analyzed,
    Outcome,
    Task,
    TimeLimits,
    Unchanged,
    WorkerPool,
    analyze_files,
    divide_task,
)
from gortex_py.store import Store
from gortex_py.types import FileStat, Skipped, SkipReason
from tests.unit.index.conftest import Repo


def die_of_bad_files(task: Task) -> list[Outcome]:
    """Analyse, but die of a file whose text says so."""
    for stat in task.stats:
        if b"deadly" in (task.root / stat.path).read_bytes():
            os._exit(13)
    return analyze_files(task)


def stall_at_bad_files(task: Task) -> list[Outcome]:
    """Analyse, but never return from a file whose text says so."""
    for stat in task.stats:
        if b"endless" in (task.root / stat.path).read_bytes():
            threading.Event().wait()
    return analyze_files(task)


@pytest.fixture(scope="module")
def mortal() -> Iterator[WorkerPool]:
    pool = WorkerPool(1, work=die_of_bad_files)
    yield pool
    pool.kill()


def tasks_for(repo: Repo, paths: list[str]) -> list[Task]:
    stats = []
    for path in paths:
        status = (repo.root / path).stat()
        stats.append(FileStat(path, status.st_size, status.st_mtime_ns))
    return [Task(repo.root, (stat,), 1_000_000, ChunkOptions(), Store.pack) for stat in stats]


def told(outcomes: Iterator[Outcome]) -> list[str]:
    return [o.reason.value if isinstance(o, Skipped) else o.file.file.path for o in outcomes]


def test_outcomes_come_in_order_one_a_file(repo: Repo) -> None:
    paths = [f"m{i}.py" for i in range(9)]
    for path in paths:
        repo.write(path, f"# {path}\nx = 1\n")
    assert told(repo.pool.run(tasks_for(repo, paths))) == paths
    stats = [task.stats[0] for task in tasks_for(repo, paths)]
    assert told(repo.pool.run(divide_task(replace(tasks_for(repo, paths)[0], stats=tuple(stats))))) == paths
    assert told(repo.pool.run([])) == []


def test_what_is_indexed_already_is_read_and_not_analysed(repo: Repo) -> None:
    for path in ("a.py", "b.py", "c.py"):
        repo.write(path, f"# {path}\nx = 1\n")
    repo.index()
    digests = {path: file.digest for path, file in repo.reader().digests().items()}
    repo.write("b.py", "# b.py\nx = 2\n")
    repo.write("c.py", "# c.py\nx = 1\n")  # touched
    (first, second, third) = tasks_for(repo, ["a.py", "b.py", "c.py"])
    whole = replace(first, stats=(*first.stats, *second.stats, *third.stats), digests=digests)
    outcomes = [outcome for task in divide_task(whole) for outcome in analyze_files(task)]
    assert [type(outcome) for outcome in outcomes] == [Unchanged, Analyzed, Unchanged]
    assert isinstance(outcomes[2], Unchanged) and outcomes[2].stat == third.stats[0]


def test_a_pool_that_was_closed_starts_again(repo: Repo) -> None:
    pool = WorkerPool(1)
    try:
        pool.prepare()
        repo.write("a.py", "x = 1\n")
        assert told(pool.run(tasks_for(repo, ["a.py"]))) == ["a.py"]
        pool.close()
        assert told(pool.run(tasks_for(repo, ["a.py"]))) == ["a.py"]
    finally:
        pool.close()


def test_a_file_that_kills_its_worker_is_named_and_all_others_are_indexed(repo: Repo, mortal: WorkerPool) -> None:
    repo.pool = mortal
    for i in range(6):
        repo.write(f"m{i}.py", "deadly\n" if i == 3 else f"x = {i}\n")
    report = repo.index()
    assert (report.added, report.skipped) == (5, {SkipReason.POISON: 1})
    (poison,) = repo.reader().skipped()
    assert (poison.path, poison.reason) == ("m3.py", SkipReason.POISON)
    assert "died" in poison.detail
    assert repo.paths() == ["m0.py", "m1.py", "m2.py", "m4.py", "m5.py"]


def test_such_a_file_is_not_tried_again_until_it_changes(repo: Repo, mortal: WorkerPool) -> None:
    repo.pool = mortal
    repo.write("good.py", "x = 1\n")
    repo.write("bad.py", "deadly\n")
    repo.index()

    class Refusing(WorkerPool):
        def run(self, tasks: object) -> Iterator[Outcome]:
            assert list(tasks) == []  # type: ignore[call-overload]
            return iter(())

    repo.pool = Refusing()
    assert repo.index().skipped == {SkipReason.POISON: 1}
    assert repo.index({"bad.py"}).skipped == {SkipReason.POISON: 1}
    repo.pool = mortal
    repo.write("bad.py", "y = 2  # mended\n")
    report = repo.index()
    assert (report.added, report.skipped) == (1, {})
    assert repo.reader().skipped() == []


def test_a_file_that_becomes_deadly_leaves_the_index(repo: Repo, mortal: WorkerPool) -> None:
    repo.pool = mortal
    repo.write("a.py", "x = 1\n")
    repo.write("b.py", "x = 2\n")
    repo.index()
    repo.write("a.py", "deadly\n")
    repo.index()
    assert repo.paths() == ["b.py"]


def test_a_file_that_stalls_is_given_up_and_named(repo: Repo) -> None:
    pool = WorkerPool(1, work=stall_at_bad_files, limits=TimeLimits(chunk_s=0.2, alone_s=2.0))
    repo.pool = pool
    repo.write("a.py", "x = 1\n")
    repo.index()  # the workers are up now, so that only the file takes time
    repo.write("b.py", "endless\n")
    repo.write("c.py", "x = 3\n")
    report = repo.index()
    pool.kill()
    assert (report.added, report.skipped) == (1, {SkipReason.POISON: 1})
    (poison,) = repo.reader().skipped()
    assert poison.path == "b.py"
    assert "2 s" in poison.detail


def test_workers_that_were_killed_between_passes_are_replaced_and_no_file_is_blamed(repo: Repo) -> None:
    before = set(multiprocessing.active_children())
    pool = WorkerPool(1)
    repo.write("a.py", "x = 1\n")
    repo.write("b.py", "x = 2\n")
    assert told(pool.run(tasks_for(repo, ["a.py"]))) == ["a.py"]
    for process in set(multiprocessing.active_children()) - before:
        process.kill()
        process.join()
    assert told(pool.run(tasks_for(repo, ["a.py", "b.py"]))) == ["a.py", "b.py"]
    pool.kill()


def test_a_pool_works_again_after_closing(repo: Repo) -> None:
    pool = WorkerPool(1)
    repo.write("a.py", "x = 1\n")
    for _ in range(2):
        assert told(pool.run(tasks_for(repo, ["a.py"]))) == ["a.py"]
        pool.close()
    pool.kill()


def test_files_are_read_in_the_worker_and_what_cannot_be_read_is_dated(repo: Repo) -> None:
    repo.write("a.py", b"\0\0\0\1")
    (task,) = tasks_for(repo, ["a.py"])
    (outcome,) = analyze_files(task)
    assert isinstance(outcome, Skipped)
    assert (outcome.size_bytes, outcome.mtime_ns) == (4, task.stats[0].mtime_ns)
    repo.write("a.py", "def f():\n    pass\n")
    (outcome,) = analyze_files(tasks_for(repo, ["a.py"])[0])
    assert isinstance(outcome, Analyzed)
    assert outcome.file.file.path == "a.py"
    assert len(outcome.unit_texts) == len(outcome.file.text_hashes) == 1


def test_tasks_are_bounded_in_files_and_bytes_and_lose_none() -> None:
    sizes = [10] * 60 + [CHUNK_BYTES * 2, 10, CHUNK_BYTES // 2, CHUNK_BYTES // 2, 10]
    stats = [FileStat(f"f{i}", size, 1) for i, size in enumerate(sizes)]
    tasks = list(divide_task(Task(Path("/r"), tuple(stats), 7, ChunkOptions(), Store.pack)))
    assert [stat for task in tasks for stat in task.stats] == stats
    for task in tasks:
        assert 0 < len(task.stats) <= CHUNK_FILES
        assert len(task.stats) == 1 or sum(stat.size_bytes for stat in task.stats) <= CHUNK_BYTES
