"""History is read at the end of a pass, and again when there are new commits."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gortex_py.history.commits import HISTORY, History, decode
from gortex_py.index import history as module
from gortex_py.index.history import HistoryEnricher
from gortex_py.index.indexer import Indexer
from gortex_py.protocols import Enrichment
from tests.fakes import MemoryStore
from tests.git_work import GitWork
from tests.unit.index.conftest import Repo


@pytest.fixture
def work(tmp_path: Path) -> GitWork:
    made = GitWork(tmp_path / "work")
    made.commits([("begin", ["a.py", "lib/b.py"]), ("fix the retry", ["lib/b.py"])])
    return made


class Kept:
    """What the passes over one folder keep."""

    def __init__(self, root: Path) -> None:
        self.enricher = HistoryEnricher(root)
        self.found: Enrichment | None = None
        self.writes = 0

    def look(self, *, thorough: bool = True) -> tuple[str, ...]:
        """Run the end of a pass; returns the trouble met."""
        made = self.enricher.refresh(MemoryStore(), self.found, thorough=thorough)
        if made is not None:
            self.found = made
            self.writes += 1
        return tuple(problem.what for problem in self.enricher.problems)

    @property
    def history(self) -> History:
        assert self.found is not None
        history = decode(self.found.data)
        assert history is not None
        return history


@pytest.fixture
def kept(work: GitWork) -> Kept:
    made = Kept(work.root)
    assert made.look() == ()
    return made


@pytest.fixture
def asked_git(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """Return where each reading of the log began, None for all."""
    asked: list[str | None] = []
    read = module.read_log

    def noted(repository: module.Repository, head: str, *, since: str | None = None) -> module.Log:
        asked.append(since)
        return read(repository, head, since=since)

    monkeypatch.setattr(module, "read_log", noted)
    return asked


def test_an_unchanged_history_asks_git_nothing(kept: Kept, asked_git: list[str | None]) -> None:
    kept.look()
    kept.look(thorough=False)
    assert asked_git == []
    assert kept.history.count == 2


def test_a_commit_is_noticed_by_any_pass_and_only_it_is_read(
    work: GitWork, kept: Kept, asked_git: list[str | None]
) -> None:
    old = work.head
    work.commit("wait longer", "a.py")
    kept.look(thorough=False)
    assert asked_git == [old]
    assert (kept.history.count, kept.history.head) == (3, work.head)


def test_a_history_that_was_rewritten_is_read_anew(work: GitWork, kept: Kept, asked_git: list[str | None]) -> None:
    work.git("update-ref", "refs/heads/main", "HEAD~1")
    work.commit("said better", "lib/b.py")
    kept.look()
    assert asked_git == [None]
    alone = Kept(work.root)
    alone.look()
    assert kept.found == alone.found


def test_another_branch_has_another_history(work: GitWork, kept: Kept) -> None:
    work.git("branch", "side", "HEAD~1")
    work.git("symbolic-ref", "HEAD", "refs/heads/side")
    kept.look()
    assert kept.history.count == 1


def test_packed_branches_and_a_detached_head_are_read(work: GitWork, kept: Kept) -> None:
    work.commit("more", "a.py")
    work.git("pack-refs", "--all")
    kept.look()
    assert kept.history.count == 3
    work.git("update-ref", "--no-deref", "HEAD", "HEAD~2")
    kept.look()
    assert kept.history.count == 1


def test_a_subfolder_has_the_history_of_its_files(work: GitWork) -> None:
    (work.root / "lib").mkdir()
    kept = Kept(work.root / "lib")
    kept.look()
    assert (kept.history.paths, kept.history.count) == (("b.py",), 2)


def test_a_linked_work_tree_follows_its_own_head(work: GitWork, tmp_path: Path) -> None:
    work.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"), "HEAD~1")
    kept = Kept(tmp_path / "linked")
    kept.look()
    assert kept.history.count == 1


def test_a_shallow_clone_that_is_made_deeper_is_read_anew(work: GitWork, tmp_path: Path) -> None:
    work.commit("newest", "a.py")
    shallow = tmp_path / "shallow"
    work.git("clone", "-q", "--depth", "1", f"file://{work.root}", str(shallow))
    kept = Kept(shallow)
    kept.look()
    assert kept.history.count == 1
    work.git("fetch", "-q", "--unshallow", at=shallow)
    kept.look()
    assert kept.history.count == 3


# --- none ---------------------------------------------------------------------------------------


def test_without_git_there_is_no_history_and_no_trouble(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    assert kept.look() == ()
    assert kept.found is None
    GitWork(tmp_path)
    assert kept.look() == ()  # no commit yet
    assert kept.found is None


def test_a_history_goes_with_its_repository(work: GitWork, kept: Kept) -> None:
    shutil.rmtree(work.root / ".git")
    assert kept.look() == ()
    assert kept.history.count == 0
    kept.look()
    assert kept.writes == 2


def test_what_is_no_repository_is_told(work: GitWork, tmp_path: Path) -> None:
    kept = Kept(work.root)
    (work.root / ".git" / "HEAD").write_text("nonsense\n")
    assert kept.look() == (module.NO_HEAD,)
    (work.root / ".git" / "HEAD").unlink()
    assert kept.look() == (module.NO_LAYOUT,)
    lost = tmp_path / "lost"
    lost.mkdir()
    (lost / ".git").write_text("gitdir: /nowhere/at/all\n")
    assert Kept(lost).look() == (module.NO_LAYOUT,)


def test_trouble_is_told_while_it_lasts_and_costs_no_history(work: GitWork, kept: Kept) -> None:
    config = work.root / ".git" / "config"
    whole = config.read_text()
    work.commit("newest", "a.py")
    config.write_text("[core\n")
    (told,) = kept.look(thorough=False)
    assert told == "git cannot read the history: bad config line 1 in file .git/config"
    assert (kept.writes, kept.history.count) == (2, 2)
    assert kept.look() == (told,)
    assert kept.writes == 2  # nothing new to say, so nothing is written
    config.write_text(whole)
    assert kept.look(thorough=False) == (told,)  # small passes do not ask again
    assert kept.look() == ()
    assert kept.history.count == 3


def test_a_missing_git_is_told_and_tried_again(work: GitWork, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept = Kept(work.root)
    with monkeypatch.context() as patched:
        patched.setenv("PATH", str(tmp_path))
        assert kept.look() == ("git is not installed",)
    assert kept.look() == ()
    assert kept.history.count == 2


def test_a_pass_reports_the_trouble_and_indexes_all_the_same(repo: Repo) -> None:
    repo.write("a.py", "def retry():\n    return 1\n")
    repo.write(".git/HEAD", "nonsense\n")
    report = Indexer(repo.root, repo.store, repo.embedder, pool=repo.pool, enrichers=[HistoryEnricher(repo.root)]).run()
    assert report.added == 1
    assert [(problem.where, problem.what) for problem in report.problems] == [(HISTORY, module.NO_HEAD)]
