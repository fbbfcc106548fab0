"""The log of real repositories, also of such that mean harm."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from gortex_py.history import log as log_module
from gortex_py.history.log import Commit, Log, Repository, is_ancestor, read_log
from tests.git_work import CLEAN, GitWork


@pytest.fixture
def work(tmp_path: Path) -> GitWork:
    return GitWork(tmp_path / "work")


def read(work: GitWork, prefix: str = "", since: str | None = None) -> Log:
    return read_log(Repository(work.root, prefix), work.head, since=since)


def test_commits_come_newest_first_with_what_they_touched(work: GitWork) -> None:
    work.commit("begin", "a.py", "lib/b.py")
    work.commit("fix the retry", "lib/b.py")
    assert read(work) == Log((Commit("fix the retry", ("lib/b.py",)), Commit("begin", ("a.py", "lib/b.py"))), {})


def test_any_bytes_in_subjects_and_paths_are_read(work: GitWork) -> None:
    odd = ["new\nline.py", "M", "R100", "tab\t.py", ' "quoted"', "é.py", "a" * 40]
    work.commit("", "before.py")
    work.commit(b"caf\xe9 \x01", *odd, b"latin\xe9.py")
    work.commit("M", "after.py")
    said = read(work)
    assert [commit.subject for commit in said.commits] == ["M", "caf\ufffd \x01", ""]
    assert sorted(said.commits[1].paths) == sorted(odd)  # a name that is no UTF-8 is never indexed
    assert said.problem is None


def test_a_sweep_over_many_files_says_nothing_of_one(work: GitWork) -> None:
    work.commit("just few enough", *(f"a{i}.py" for i in range(20)))
    work.commit("sweep", *(f"a{i}.py" for i in range(21)))
    assert [commit.subject for commit in read(work).commits] == ["just few enough"]


def test_only_the_last_commits_are_read(work: GitWork, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_module, "MAX_COMMITS", 5)
    work.commits([(f"change {i}", ["a.py"]) for i in range(9)])
    assert [commit.subject for commit in read(work).commits] == [f"change {i}" for i in (8, 7, 6, 5, 4)]


def test_merges_and_empty_commits_are_left_out(work: GitWork) -> None:
    work.commit("begin", "a.py")
    work.git("reset", "-q", "--hard")
    work.git("checkout", "-q", "-b", "side")
    (work.root / "s.py").write_text("s")
    work.git("add", "s.py")
    work.git("commit", "-q", "-m", "beside")
    work.git("checkout", "-q", "main")
    work.git("commit", "-q", "--allow-empty", "-m", "nothing")
    work.git("merge", "-q", "--no-ff", "-m", "merge it", "side")
    assert {commit.subject for commit in read(work).commits} == {"begin", "beside"}


def test_files_are_called_what_they_are_called_now(work: GitWork) -> None:
    work.commit("early", "old.py", "other.py")
    work.commit("rename", moved={"old.py": "mid.py"})
    work.commit("middle", "mid.py")
    work.commit("again", moved={"mid.py": "lib/new.py", "other.py": "lib/other.py"})
    said = read(work)
    assert {commit.subject: set(commit.paths) for commit in said.commits} == {
        "early": {"lib/new.py", "lib/other.py"},
        "rename": {"lib/new.py"},
        "middle": {"lib/new.py"},
        "again": {"lib/new.py", "lib/other.py"},
    }


def test_a_move_in_a_sweep_is_followed_though_its_subject_is_not_kept(work: GitWork) -> None:
    names = [f"a{i}.py" for i in range(30)]
    for start in (0, 15):
        work.commit(f"from {start}", *names[start : start + 15])
    work.commit("move all", moved={name: f"src/{name}" for name in names})
    said = read(work)
    assert [commit.subject for commit in said.commits] == ["from 15", "from 0"]
    assert "src/a0.py" in said.commits[1].paths


def test_of_a_subfolder_only_its_own_files_are_told(work: GitWork) -> None:
    work.commit("both", "app/a.py", "lib/b.py")
    work.commit("elsewhere", "lib/b.py", "application.py")
    work.commit("moved in", moved={"lib/b.py": "app/b.py"})
    work.commit("sweep", "app/a.py", *(f"lib/{i}.py" for i in range(25)))
    work.git("config", "diff.relative", "true")
    assert read(work, "app").commits == (Commit("moved in", ("b.py",)), Commit("both", ("a.py", "b.py")))


def test_a_folder_named_like_a_pattern_is_only_itself(work: GitWork) -> None:
    work.commit("starred", "a*/x.py", "ab/y.py")
    work.commit("plain", "ab/y.py")
    assert read(work, "a*").commits == (Commit("starred", ("x.py",)),)


def test_only_what_is_new_is_read(work: GitWork) -> None:
    work.commit("one", "a.py")
    old = work.head
    work.commit("two", moved={"a.py": "b.py"})
    said = read(work, since=old)
    assert (said.commits, said.renamed) == ((Commit("two", ("b.py",)),), {"a.py": "b.py"})
    repository = Repository(work.root)
    assert is_ancestor(repository, old, work.head)
    assert not is_ancestor(repository, work.head, old)
    assert not is_ancestor(repository, "0" * 40, old)


def test_a_shallow_clone_and_a_linked_work_tree_have_a_history(work: GitWork, tmp_path: Path) -> None:
    work.commits([(f"change {i}", ["a.py"]) for i in range(3)])
    work.git("clone", "-q", "--depth", "2", f"file://{work.root}", str(tmp_path / "shallow"))
    work.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    shallow = read_log(Repository(tmp_path / "shallow"), work.head)
    assert [commit.subject for commit in shallow.commits] == ["change 2", "change 1"]
    assert len(read_log(Repository(tmp_path / "linked"), work.head).commits) == 3


# --- trouble ----------------------------------------------------------------------------------


def test_no_git_is_told(work: GitWork, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    work.commit("one", "a.py")
    head = work.head
    monkeypatch.setenv("PATH", str(tmp_path))
    assert read_log(Repository(work.root), head) == Log((), {}, "git is not installed")
    monkeypatch.chdir(work.root)
    (work.root / "git").write_text("#!/bin/sh\n")
    (work.root / "git").chmod(0o700)
    monkeypatch.setenv("PATH", ".")
    assert read_log(Repository(work.root), head) == Log((), {}, "git is not installed")


def test_what_git_complains_of_is_told(work: GitWork, tmp_path: Path) -> None:
    work.commit("one", "a.py")
    gone = read_log(Repository(work.root), "1" * 40)
    assert gone.problem is not None and gone.problem.startswith("git cannot read the history: bad object 1111")
    (work.root / ".git" / "config").write_text("[core\n")
    broken = read_log(Repository(work.root), "1" * 40)
    assert (
        broken.problem is not None
        and broken.problem == "git cannot read the history: bad config line 1 in file .git/config"
    )
    assert (
        read_log(Repository(tmp_path / "nowhere"), "1" * 40).problem == "git cannot be run: no such file or directory"
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a folder away")
def test_a_folder_of_another_user_is_not_read(work: GitWork, tmp_path: Path) -> None:
    work.commit("one", "a.py")
    head = work.head
    os.chown(work.root, 4321, 4321)
    os.chown(work.root / ".git", 4321, 4321)
    distrusted = read_log(Repository(work.root), head)
    assert distrusted.commits == () and distrusted.problem is not None and "safe.directory" in distrusted.problem
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(f"[safe]\n\tdirectory = {work.root}\n")
    assert len(read_log(Repository(work.root, home=home), head).commits) == 1


def test_a_git_that_takes_too_long_is_ended(work: GitWork) -> None:
    work.commit("one", "a.py")
    os.mkfifo(work.root / "never")
    head = work.head
    work.git("config", "include.path", str(work.root / "never"))
    assert read_log(Repository(work.root), head, seconds=0.1) == Log((), {}, "git took longer than 0.1 seconds")


def test_what_git_says_is_bounded(work: GitWork, monkeypatch: pytest.MonkeyPatch) -> None:
    work.commits([(f"change {i} " + "x" * 500, ["a.py"]) for i in range(500)])
    monkeypatch.setattr(log_module, "MAX_BYTES", 200_000)
    said = read(work)
    assert said.problem == "git said more than 200,000 bytes"
    assert 200 < len(said.commits) < 400
    assert {len(commit.subject) for commit in said.commits} == {300}


# --- harm -------------------------------------------------------------------------------------


def armed(work: GitWork, marker: Path) -> str:
    """Set every trap a repository can hold; returns the id of a commit that has a signature."""
    trap = work.root / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {marker}\n")
    trap.chmod(0o700)
    hooks = work.root / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"):
        (hooks / hook).symlink_to(trap)
    (work.root / ".git" / "info" / "attributes").write_text("* diff=harm filter=harm\n")
    tree = work.git("rev-parse", "HEAD^{tree}")
    parent = work.head
    who = "a <a@example.org> 1700001000 +0000"
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
    raw = f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n{signature}\n\nsigned\n"
    signed = work.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=raw.encode())
    work.git("update-ref", "refs/heads/main", signed)
    for key, value in {
        "core.fsmonitor": trap,
        "core.hooksPath": hooks,
        "core.pager": trap,
        "core.sshCommand": trap,
        "core.alternateRefsCommand": trap,
        "core.askPass": trap,
        "core.editor": trap,
        "pager.log": trap,
        "log.showSignature": "true",
        "gpg.program": trap,
        "diff.external": trap,
        "diff.harm.command": trap,
        "diff.harm.textconv": trap,
        "filter.harm.clean": trap,
        "filter.harm.smudge": trap,
        "alias.log": f"!{trap}",
        "alias.merge-base": f"!{trap}",
    }.items():
        work.git("config", key, str(value))
    return signed


def test_nothing_that_a_configuration_names_is_run(work: GitWork, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    work.commit("one", "a.py")
    old = work.head
    work.commit("two", "a.py")
    head = armed(work, marker)
    before = {path: path.stat().st_mtime_ns for path in (work.root / ".git").rglob("*")}
    said = read_log(Repository(work.root), head)
    assert [commit.subject for commit in said.commits] == ["two", "one"] and said.problem is None
    assert is_ancestor(Repository(work.root), old, head)
    assert not marker.exists()
    assert before == {path: path.stat().st_mtime_ns for path in (work.root / ".git").rglob("*")}
    subprocess.run(("git", "log", "-p"), cwd=work.root, env=CLEAN, check=False, capture_output=True)
    assert marker.exists()  # the traps work: git run plainly steps into them


def test_what_is_missing_is_asked_of_nobody(work: GitWork, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    work.git("config", "fastimport.unpackLimit", "1000")
    work.commit("one", "a.py")
    work.commit("two", "a.py")
    head = armed(work, marker)
    tree = work.git("rev-parse", "HEAD~2^{tree}")
    lost = work.root / ".git" / "objects" / tree[:2] / tree[2:]
    lost.chmod(stat.S_IRWXU)
    lost.unlink()
    for key, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": str(tmp_path),
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": str(work.root / "trap"),
        "protocol.file.allow": "always",
    }.items():
        work.git("config", key, value)
    marker.unlink(missing_ok=True)
    said = read_log(Repository(work.root), head)
    assert said.problem is not None and not marker.exists()
    plain = ("git", "-c", "core.fsmonitor=false", "--no-pager", "log", "--no-show-signature", "--raw")
    subprocess.run(plain, cwd=work.root, env=CLEAN, check=False, capture_output=True)
    assert marker.exists()


def test_a_repository_within_the_tree_is_not_taken_for_the_one_around_it(work: GitWork, tmp_path: Path) -> None:
    work.commit("inner", "a.py")
    head = work.head
    (work.root / ".git").rename(tmp_path / "bare")
    said = read_log(Repository(tmp_path / "bare"), head)
    assert said.commits == () and said.problem is not None
