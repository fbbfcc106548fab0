"""Where the newest commit is read from git's own files."""

from __future__ import annotations

from pathlib import Path

import pytest

from gortex_py.source.git_layout import GitLayout, find_git_layout, head_commit, head_files
from tests.git_work import GitWork


@pytest.fixture
def work(tmp_path: Path) -> GitWork:
    made = GitWork(tmp_path / "work")
    made.commit("one", "a.py")
    return made


def layout(folder: Path) -> GitLayout:
    found = find_git_layout(folder)
    assert found is not None
    return found


def states(folder: Path) -> dict[Path, str]:
    return {path: path.read_text() for path in head_files(layout(folder)) if path.exists()}


def test_the_newest_commit_is_what_git_says_it_is(work: GitWork, tmp_path: Path) -> None:
    work.commit("two", "a.py")
    assert head_commit(layout(work.root)) == work.head
    work.git("worktree", "add", "-q", "-b", "other/side", str(tmp_path / "linked"), "HEAD~1")
    assert head_commit(layout(tmp_path / "linked")) == work.git("rev-parse", "HEAD~1")
    work.git("pack-refs", "--all")
    assert head_commit(layout(work.root)) == work.head
    assert head_commit(layout(tmp_path / "linked")) == work.git("rev-parse", "HEAD~1")
    work.git("update-ref", "--no-deref", "HEAD", "HEAD~1")
    assert head_commit(layout(work.root)) == work.head


def test_no_commit_yet_and_no_commit_named_are_told_apart(tmp_path: Path) -> None:
    work = GitWork(tmp_path / "new")
    assert head_commit(layout(work.root)) == ""
    head = work.root / ".git" / "HEAD"
    for content in ("nonsense", "ref: ../../outside", "ref: refs/../../../outside", "deadbeef"):
        head.write_text(f"{content}\n")
        assert head_commit(layout(work.root)) is None
    head.write_text("ref: refs/heads/loop\n")
    (work.root / ".git" / "refs" / "heads" / "loop").write_text("ref: refs/heads/loop\n")
    assert head_commit(layout(work.root)) is None


def test_a_commit_shows_in_the_files_to_watch(work: GitWork, tmp_path: Path) -> None:
    work.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    before, before_linked = states(work.root), states(tmp_path / "linked")
    work.commit("two", "a.py")
    assert states(work.root) != before
    assert states(tmp_path / "linked") == before_linked
    before = states(work.root)
    work.git("pack-refs", "--all")
    work.git("symbolic-ref", "HEAD", "refs/heads/side")
    assert states(work.root) != before
