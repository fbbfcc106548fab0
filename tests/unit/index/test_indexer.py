"""Whatever happens to the files, a pass brings the index up to them, and does no more than that."""

from __future__ import annotations

import os
import random
from collections.abc import Callable

import pytest

from gortex_py.chunk import ChunkOptions
from gortex_py.index import indexer
from gortex_py.index.indexer import Indexer, IndexOptions, Progress
from gortex_py.store import Store, StoreIdentity
from gortex_py.types import IndexReport, SkipReason
from tests.fakes import HashEmbedder
from tests.unit.index.conftest import Repo

MakeRepo = Callable[..., Repo]
A = "def parse_config(path):\n    return open(path)\n"
B = "class RetryPolicy:\n    def delay(self, attempt):\n        return 2 ** attempt\n"
C = "# Notes\n\nHow retries work.\n"


def counts(report: IndexReport) -> tuple[int, int, int, int]:
    return report.added, report.changed, report.deleted, report.unchanged


@pytest.fixture
def small(repo: Repo) -> Repo:
    """A repository of three files, indexed."""
    repo.write("src/a.py", A)
    repo.write("src/deep/b.py", B)
    repo.write("README.md", C)
    assert counts(repo.index()) == (3, 0, 0, 0)
    return repo


def test_a_first_pass_indexes_everything_with_a_vector_for_every_unit(small: Repo) -> None:
    assert small.paths() == ["README.md", "src/a.py", "src/deep/b.py"]
    stats = small.reader().stats()
    assert stats.vectors == stats.units > 0
    assert not small.store.writer().missing_vectors(10)


def test_a_pass_over_unchanged_files_writes_and_embeds_nothing(small: Repo) -> None:
    generation = small.reader().generation
    small.embedder.embedded.clear()
    report = small.index()
    assert counts(report) == (0, 0, 0, 3)
    assert report.embedded == 0
    assert small.embedder.embedded == []
    assert small.reader().generation == generation


def test_a_touched_file_is_read_and_found_unchanged(small: Repo) -> None:
    generation = small.reader().generation
    small.write("src/a.py", A)
    report = small.index()
    assert (counts(report), report.embedded) == ((0, 0, 0, 3), 0)
    assert small.reader().generation == generation


def test_an_edit_embeds_the_texts_that_changed_and_no_others(small: Repo) -> None:
    small.embedder.embedded.clear()
    small.write("src/deep/b.py", B.replace("2 ** attempt", "min(60, 2 ** attempt)"))
    report = small.index()
    assert counts(report) == (0, 1, 0, 2)
    assert report.embedded == 1
    assert len(small.embedder.embedded) == 1 and "min(60" in small.embedder.embedded[0]
    assert "min(60" in small.reader().text(small.reader().file_id("src/deep/b.py"))


def test_an_edit_that_keeps_size_and_time_is_seen_when_told_of(small: Repo) -> None:
    time = (small.root / "src/a.py").stat().st_mtime_ns
    small.write("src/a.py", A.replace("open", "read"))
    os.utime(small.root / "src/a.py", ns=(time, time))
    assert counts(small.index({"src/a.py"})) == (0, 1, 0, 0)


def test_a_rename_is_one_file_gone_and_one_added_in_one_commit(small: Repo) -> None:
    generation = small.reader().generation
    (small.root / "src/a.py").rename(small.root / "src/z.py")
    report = small.index()
    assert counts(report) == (1, 0, 1, 2)
    assert small.paths() == ["README.md", "src/deep/b.py", "src/z.py"]
    assert small.reader().generation == generation + 1


def test_a_copy_under_the_same_name_embeds_nothing(small: Repo) -> None:
    small.write("other/src/a.py", A)  # same folder name, same stem, same text
    assert small.index().embedded == 0


def test_deleted_files_and_folders_leave(small: Repo) -> None:
    small.delete("README.md")
    assert counts(small.index()) == (0, 0, 1, 2)
    small.delete("src/deep")
    assert counts(small.index({"src/deep"})) == (0, 0, 1, 0)
    assert small.paths() == ["src/a.py"]


@pytest.mark.parametrize("changed", [{"src/deep/b.py"}, {"src/deep"}, {"src/deep/"}, {"src"}])
def test_a_pass_over_some_paths_leaves_the_others_alone(small: Repo, changed: set[str]) -> None:
    small.write("src/deep/b.py", "x = 1\n")
    small.write("README.md", "# Other\n")
    report = small.index(changed)
    assert (report.changed, report.added, report.deleted) == (1, 0, 0)
    assert small.reader().text(small.reader().file_id("README.md")) == C
    assert counts(small.index()) == (0, 1, 0, 2)


def test_paths_that_do_not_exist_and_never_did_are_no_trouble(small: Repo) -> None:
    assert counts(small.index({"not/there.py", "nor/this"})) == (0, 0, 0, 0)
    assert len(small.paths()) == 3


def test_a_file_that_became_a_folder_and_back(small: Repo) -> None:
    small.delete("src/a.py")
    small.write("src/a.py/inner.py", A)
    report = small.index({"src/a.py"})
    assert (report.added, report.deleted) == (1, 1)
    small.delete("src/a.py")
    small.write("src/a.py", A)
    small.index({"src/a.py"})
    assert small.paths() == ["README.md", "src/a.py", "src/deep/b.py"]


def test_ignored_files_leave_and_come_back_with_the_rule(small: Repo) -> None:
    small.write(".gitignore", "deep/\n")
    report = small.index()
    assert report.deleted == 1
    assert "src/deep/b.py" not in small.paths()
    small.index({"src/deep/b.py", "src/deep"})
    assert "src/deep/b.py" not in small.paths()
    small.delete(".gitignore")
    small.index()
    assert "src/deep/b.py" in small.paths()


def test_what_is_not_indexed_is_reported_and_looked_at_again_only_when_it_changes(small: Repo) -> None:
    small.write("data.bin", b"\0\1\2" * 50)
    small.write("empty.py", "")
    report = small.index()
    assert report.skipped == {SkipReason.BINARY: 1, SkipReason.EMPTY: 1}
    before = small.reader().skipped()
    again = small.index()
    assert again.skipped == report.skipped
    assert small.reader().skipped() == before
    small.write("data.bin", "text now\n")
    last = small.index({"data.bin"})
    assert last.added == 1
    assert [s.path for s in small.reader().skipped()] == ["empty.py"]


def test_a_file_that_turns_binary_leaves_the_index(small: Repo) -> None:
    small.write("src/a.py", b"\0\1\2" * 50)
    small.index()
    assert small.paths() == ["README.md", "src/deep/b.py"]
    assert [s.path for s in small.reader().skipped()] == ["src/a.py"]


def test_a_repository_without_files_says_why(repo: Repo) -> None:
    report = repo.index()
    assert counts(report) == (0, 0, 0, 0)
    assert "no file to index" in report.problems[0].what


def test_progress_goes_from_walk_to_done(small: Repo) -> None:
    small.write("src/a.py", "x = 2\n")
    told: list[Progress] = []
    small.index(progress=told.append)
    assert [p.stage for p in told] == ["walk", "analyze", "done"]
    assert (told[-1].done, told[-1].total) == (1, 1)


def test_a_cancelled_pass_keeps_what_it_committed_and_the_next_completes(
    repo: Repo, make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "BATCH_FILES", 2)
    for i in range(7):
        repo.write(f"m{i}.py", f"def f{i}():\n    return {i}\n")
    asked = iter([False, False, False, True])
    report = repo.index(cancelled=lambda: next(asked, True))
    assert report.added == 4
    assert repo.paths() == [f"m{i}.py" for i in range(4)]
    assert counts(repo.index()) == (3, 0, 0, 4)
    fresh = make_repo()
    fresh.index()
    assert repo.content() == fresh.content()


def test_a_cancelled_pass_does_not_wait_for_its_batch_to_fill(repo: Repo) -> None:
    for i in range(7):
        repo.write(f"m{i}.py", f"def f{i}():\n    return {i}\n")
    asked = iter([False, False])
    assert repo.index(cancelled=lambda: next(asked, True)).added == 3
    assert repo.paths() == [f"m{i}.py" for i in range(3)]


def test_a_cancelled_pass_does_not_count_as_a_look_at_the_whole_tree(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "BATCH_FILES", 1)
    repo.write("a.py", A)
    repo.index()
    before = repo.reader().verified_at_ns()
    assert before > 0
    repo.write("b.py", B)
    repo.index(cancelled=lambda: True)
    assert repo.reader().verified_at_ns() == before
    repo.index()
    assert repo.reader().verified_at_ns() > before


def test_a_first_pass_that_was_interrupted_is_gone_on_with_and_not_begun_again(repo: Repo) -> None:
    for i in range(7):
        repo.write(f"m{i}.py", f"x = {i}\n")
    asked = iter([False] * 4)
    assert repo.index(cancelled=lambda: next(asked, True)).added == 5
    told: list[Progress] = []
    assert counts(repo.index(progress=told.append)) == (2, 0, 0, 5)
    assert told[-1].total == 2


def test_an_embedder_that_fails_costs_the_vectors_only_and_the_next_pass_makes_them_up(repo: Repo) -> None:
    repo.write("a.py", A)
    repo.embedder.fails = True
    report = repo.index()
    assert report.added == 1
    assert [(p.where, p.what) for p in report.problems] == [("embedding", "the provider is away")]
    assert (repo.paths(), repo.reader().stats().vectors) == (["a.py"], 0)
    repo.embedder.fails = False
    report = repo.index()
    assert counts(report) == (0, 0, 0, 1)
    assert report.embedded == repo.reader().stats().vectors > 0
    assert repo.index().embedded == 0


def test_another_embedder_embeds_every_text_again_and_rewrites_none(small: Repo) -> None:
    texts = small.content()
    small.close()
    small.embedder = HashEmbedder(16, seed=3)
    report = small.index()
    assert counts(report) == (0, 0, 0, 3)
    assert report.embedded == small.reader().stats().vectors == small.reader().stats().units
    assert small.content().keys() == texts.keys()
    assert small.index().embedded == 0


def test_other_options_analyse_every_file_again(small: Repo) -> None:
    small.close()
    other = IndexOptions(chunks=ChunkOptions(threshold_lines=4, window_lines=2, short_lines=1))
    assert other.fingerprint != IndexOptions().fingerprint
    store = Store.open(small.folder, StoreIdentity(other.fingerprint, small.embedder.fingerprint, small.embedder.dim))
    report = Indexer(small.root, store, small.embedder, other, pool=small.pool).run()
    store.close()
    assert counts(report) == (0, 3, 0, 0)


def test_without_an_embedder_text_is_indexed_all_the_same(make_repo: MakeRepo) -> None:
    repo = make_repo(embedder=None)
    repo.write("a.py", A)
    report = repo.index()
    assert (report.added, report.embedded, report.problems) == (1, 0, ())
    assert counts(repo.index()) == (0, 0, 0, 1)


POOL_OF_TEXTS = [
    A,
    B,
    C,
    "x = 1\n",
    A + B,
    "def beta():\n    # alpha\n    pass\n",
    b"\0\0\1" * 40,
    "",
    "用户 = 'café'\n",
]
PATHS = ["a.py", "lib/a.py", "lib/b.py", "lib/deep/c.go", "notes.md", "lib/deep/x.txt"]


@pytest.mark.parametrize("seed", [1, 2])
def test_after_any_edits_the_index_is_that_of_a_fresh_one(make_repo: MakeRepo, seed: int) -> None:
    chance = random.Random(seed)
    repo = make_repo()
    for _ in range(6):
        changed: set[str] = set()
        for _ in range(chance.randint(1, 4)):
            path = chance.choice(PATHS)
            there = (repo.root / path).exists()
            act = chance.choice(["write", "write", "delete", "move", "delete folder"])
            if act == "write" or not there:
                repo.write(path, chance.choice(POOL_OF_TEXTS))
            elif act == "delete":
                repo.delete(path)
            elif act == "move":
                to = chance.choice(PATHS)
                (repo.root / to).parent.mkdir(parents=True, exist_ok=True)
                (repo.root / path).rename(repo.root / to)
                changed.add(to)
            elif "/" in path:
                path = path.rpartition("/")[0]
                repo.delete(path)
            changed.add(path)
        repo.index(changed if chance.random() < 0.6 else None)
        fresh = make_repo()
        fresh.index()
        assert repo.content() == fresh.content()
