"""Links: each real file once, nothing from outside, no walk in a circle."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from gortex_py.index.workers import Outcome, Task, WorkerPool
from gortex_py.types import SkipReason
from tests.regression.conftest import Indexed, Make


def test_loops_end_and_each_file_counts_once(repo: Indexed) -> None:
    """Links to `.` and to each other used to be followed for ever."""
    repo.write(
        {"a/one.py": "def one_real(): pass\n", "lib/two.py": "def two_real(): pass\n", "r/x.py": "x = 1\n"}, index=False
    )
    (repo.root / "a" / "loop").symlink_to(".")
    (repo.root / "lib" / "r").symlink_to("../r")
    (repo.root / "r" / "lib").symlink_to("../lib")
    (repo.root / "self").symlink_to("self")
    (repo.root / "again.py").symlink_to("a/one.py")
    repo.index()
    assert repo.paths() == ["a/one.py", "lib/two.py", "r/x.py"]
    assert repo.saying("one_real") == ["a/one.py"]
    reasons = {path: entry.reason for path, entry in repo.skipped().items()}
    assert reasons == dict.fromkeys(["a/loop", "again.py", "lib/r", "r/lib", "self"], SkipReason.LINK_LOOP)


def test_a_linked_root_answers_as_the_real_one(make: Make, tmp_path: Path) -> None:
    """Started from a linked folder, nothing at all was indexed."""
    real = make(tmp_path / "real" / "proj")
    real.write({"a.py": "def linked_root(): pass\n", "sub/b.py": "def linked_sub(): pass\n"})
    (tmp_path / "p").symlink_to(real.root)
    linked = make(tmp_path / "p")
    linked.index()
    assert linked.paths() == real.paths()
    for query in ("linked_root", "linked_sub", "linked"):
        assert [(hit.path, hit.score) for hit in linked.ask(query).hits] == [
            (hit.path, hit.score) for hit in real.ask(query).hits
        ]


class Swapping(WorkerPool):
    """A pool before whose work something changes on the disk: what the walk saw is not what is read."""

    def __init__(self, pool: WorkerPool, change: Callable[[], object]) -> None:
        self._pool, self._change = pool, change

    def run(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        self._change()
        return self._pool.run(tasks)


def test_links_swapped_in_after_the_walk_lead_nowhere(make: Make, tmp_path: Path) -> None:
    """Between the walk and the read a file and a folder become links to secrets; neither is followed."""
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("secret.py", "file.py"):
        (outside / name).write_text("def secret_outside(): pass\n")
    repo = make()
    repo.write({"file.py": "x = 1\n", "folder/secret.py": "y = 1\n", "plain.py": "def plain(): pass\n"}, index=False)

    def swap() -> None:
        (repo.root / "file.py").unlink()
        (repo.root / "file.py").symlink_to(outside / "file.py")
        shutil.rmtree(repo.root / "folder")
        (repo.root / "folder").symlink_to(outside)

    repo.pool = Swapping(repo.shop.pool, swap)
    repo.index()
    assert repo.paths() == ["plain.py"]
    assert repo.reader.document_frequencies(["secretoutsid", "secretoutside"]) == {}
    (repo.root / "folder").unlink()
