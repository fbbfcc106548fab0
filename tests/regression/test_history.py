"""What past commits said of a file speaks for it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from gortex_py.evaluation.pipeline import LocalPipeline
from gortex_py.history.commits import HISTORY
from gortex_py.search.engine import Engine
from gortex_py.service.compose import LocalParts, Places, TreeFilter
from gortex_py.service.search_options import make_search_options
from gortex_py.settings.schema import build_settings
from gortex_py.source.walk import WalkOptions
from gortex_py.types import Query
from tests.git_work import GitWork

SAME = "def run(value):\n    return value\n"
PLAIN = ["alpha.py", "beta.py", "gamma.py", "test_run.py"]


def a_work(tmp_path: Path) -> GitWork:
    work = GitWork(tmp_path / "work")
    for name in PLAIN:
        (work.root / name).write_text(SAME)
    work.commit("begin", *PLAIN)
    work.commit("Stop the value from drifting overnight", "gamma.py")
    work.commit("Test that the value drifts", "test_run.py")
    return work


def ranked(engine: Engine, **options: bool) -> list[tuple[str, dict[str, float]]]:
    engine.options = replace(engine.options, **options)
    hits = engine.search(Query("value drifting", explain=True)).hits
    return [(hit.path, {part.signal: part.score for part in hit.contributions}) for hit in hits]


def paths(engine: Engine, **options: bool) -> list[str]:
    return [path for path, _ in ranked(engine, **options)]


def test_the_file_whose_commits_say_the_words_is_first_and_the_test_stays_below(tmp_path: Path) -> None:
    work, folder = a_work(tmp_path), tmp_path / "index"
    folder.mkdir()
    with closing(LocalPipeline(None)) as pipeline:
        pipeline.index(work.root, folder)
        with pipeline.open("work", folder) as engine:
            hits = ranked(engine)
            assert [path for path, _ in hits] == ["gamma.py", "alpha.py", "beta.py", "test_run.py"]
            assert hits[0][1]["history"] > 0.5
            assert hits[0][1]["history"] > 2 * hits[1][1].get("history", 0.0)
            assert paths(engine, git_history=False) == PLAIN
            assert not any("history" in parts for _, parts in ranked(engine, git_history=False))
        work.commit("Drifting again", "alpha.py")
        work.commit("Drifting and drifting of the value", "alpha.py")
        pipeline.index(work.root, folder)
        with pipeline.open("work", folder) as engine:
            assert paths(engine)[0] == "alpha.py"


@pytest.mark.parametrize("is_on", [True, False])
def test_switched_off_it_is_not_read(tmp_path: Path, is_on: bool) -> None:
    work = GitWork(tmp_path / "work")
    work.commit("begin", "a.py")
    settings = build_settings({"search.git_history": is_on, "embedding.enabled": False})
    with closing(LocalParts(settings, Places(home=tmp_path))) as parts:
        assert make_search_options(settings.search).git_history is is_on
        (tmp_path / "index").mkdir()
        with closing(parts.open_index(work.root, tmp_path / "index")) as index:
            parts.make_indexer(work.root, index).run()
            with closing(index.reader()) as reader:
                assert (reader.enrichment(HISTORY) is not None) is is_on


def test_a_commit_is_watched_for_where_commits_are_followed(tmp_path: Path) -> None:
    work = a_work(tmp_path)

    def stamps(*, follows: bool) -> dict[Path, int]:
        files = TreeFilter(work.root, WalkOptions(), follows_commits=follows).rule_files()
        return {path: path.stat().st_mtime_ns for path in files if path.exists()}

    followed, ignored = stamps(follows=True), stamps(follows=False)
    work.commit("more", "alpha.py")
    assert stamps(follows=True) != followed
    assert stamps(follows=False) == ignored
