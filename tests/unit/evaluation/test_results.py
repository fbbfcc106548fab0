"""Results are kept by method and commit."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path

import pytest

from gortex_py.errors import Conflict, StoreFailed, UsageError
from gortex_py.evaluation.results import load_result, project_revision, result_path, save_result
from tests.unit.evaluation.builders import make_outcome, make_report

REPORT = make_report(make_outcome(1, None), make_outcome(3, query="r"), method="gortex")


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    run = subprocess.run(["git", "-C", str(folder), *identity, *arguments], capture_output=True, text=True, check=True)
    return run.stdout.strip()


def test_a_saved_result_is_read_back(tmp_path: Path) -> None:
    path = save_result(REPORT, tmp_path / "results")
    assert path == tmp_path / "results" / "gortex-manifest-0123456789ab.json"
    assert load_result(path) == REPORT


def test_an_entry_is_a_line(tmp_path: Path) -> None:
    text = save_result(REPORT, tmp_path).read_text(encoding="utf-8")
    assert sum('"query":' in line for line in text.splitlines()) == 2


def test_a_commits_result_is_not_written_over_but_that_of_changed_files_is(tmp_path: Path) -> None:
    save_result(REPORT, tmp_path)
    with pytest.raises(Conflict, match="delete it to measure again"):
        save_result(REPORT, tmp_path)
    dirty = dataclasses.replace(REPORT, revision="0123456789ab-dirty")
    assert save_result(dirty, tmp_path) == save_result(dirty, tmp_path)


def test_a_method_is_spelled_as_a_slug(tmp_path: Path) -> None:
    assert result_path(tmp_path, "gortex / no vectors", "").name == "gortex-no-vectors.json"
    assert result_path(tmp_path, "semble-0.7.0", "abc").name == "semble-0.7.0-abc.json"


def test_the_revision_says_when_files_differ(tmp_path: Path) -> None:
    assert project_revision(tmp_path) == ""
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("a\n")
    git(tmp_path, "add", "a.py")
    git(tmp_path, "commit", "-qm", "one")
    head = git(tmp_path, "rev-parse", "HEAD")[:12]
    (tmp_path / "untracked.txt").write_text("result\n")
    assert project_revision(tmp_path) == head
    (tmp_path / "a.py").write_text("b\n")
    assert project_revision(tmp_path) == f"{head}-dirty"


def test_trouble_is_told_with_the_path(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read the result .*none\.json"):
        load_result(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(UsageError, match=r"bad\.json is not JSON"):
        load_result(tmp_path / "bad.json")
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(UsageError, match=r"other\.json is not an evaluation result"):
        load_result(tmp_path / "other.json")
    with pytest.raises(StoreFailed, match=r"cannot write the result"):
        save_result(REPORT, tmp_path / "bad.json")
