"""What past commits said of a file speaks for it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from gortex_py.evaluation.pipeline import LocalPipeline
from gortex_py.search.options import SearchOptions
from gortex_py.service.compose import TreeFilter
from gortex_py.source.walk import WalkOptions
from gortex_py.types import Query
from tests.git_work import GitWork

SAME = "def run(value):\n    return value\n"
FILES = ("alpha.py", "beta.py", "gamma.py", "test_run.py")


def a_work(tmp_path: Path) -> GitWork:
    work = GitWork(tmp_path / "work")
    for name in FILES:
        (work.root / name).write_text(SAME)
    work.commit("begin", *FILES)
    work.commit("Stop the value from drifting overnight", "gamma.py")
    work.commit("Test that the value drifts", "test_run.py")
    return work


def ranked(work: GitWork, folder: Path, *, read: bool = True, used: bool = True) -> list[tuple[str, dict[str, float]]]:
    folder.mkdir(exist_ok=True)
    with closing(LocalPipeline(None, search_options=SearchOptions(git_history=read))) as pipeline:
        pipeline.index(work.root, folder)
        with pipeline.open("work", folder) as engine:
            engine.options = replace(engine.options, git_history=used)
            hits = engine.search(Query("value drifting", explain=True)).hits
    return [(hit.path, {part.signal: part.score for part in hit.contributions}) for hit in hits]


def test_the_file_whose_commits_say_the_words_is_first_and_the_test_stays_below(tmp_path: Path) -> None:
    work, folder = a_work(tmp_path), tmp_path / "index"
    hits = ranked(work, folder)
    assert [path for path, _ in hits] == ["gamma.py", "alpha.py", "beta.py", "test_run.py"]
    assert hits[0][1]["history"] > 0.5
    assert "history" not in hits[1][1]
    work.commit("Drifting again", "alpha.py")
    work.commit("Drifting and drifting of the value", "alpha.py")
    assert ranked(work, folder)[0][0] == "alpha.py"


def test_switched_off_it_is_neither_read_nor_used(tmp_path: Path) -> None:
    work = a_work(tmp_path)
    plain = ["alpha.py", "beta.py", "gamma.py", "test_run.py"]
    assert [path for path, _ in ranked(work, tmp_path / "unread", read=False)] == plain
    unused = ranked(work, tmp_path / "unused", used=False)
    assert [path for path, _ in unused] == plain
    assert not any("history" in parts for _, parts in unused)


def test_a_commit_is_watched_for_where_commits_are_followed(tmp_path: Path) -> None:
    work = a_work(tmp_path)

    def stamps(*, follows: bool) -> dict[Path, int]:
        files = TreeFilter(work.root, WalkOptions(), follows_commits=follows).rule_files()
        return {path: path.stat().st_mtime_ns for path in files if path.exists()}

    followed, ignored = stamps(follows=True), stamps(follows=False)
    work.commit("more", "alpha.py")
    assert stamps(follows=True) != followed
    assert stamps(follows=False) == ignored
