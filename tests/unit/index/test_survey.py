"""A pass looks only at what may have changed."""

from __future__ import annotations

from dataclasses import replace

from gortex_py.index.survey import Survey, survey
from gortex_py.source.walk import SourceTree
from gortex_py.types import FileCategory, Skipped, SkipReason, SourceFile
from tests.unit.index.conftest import Repo

LATER_NS = 1_700_000_000_000_000_000


def known(repo: Repo, *paths: str) -> dict[str, SourceFile]:
    """Return files as they would be recorded after a pass."""
    found = {}
    for path in paths:
        status = (repo.root / path).stat()
        found[path] = SourceFile(path, None, FileCategory.SOURCE, status.st_size, status.st_mtime_ns, "digest")
    return found


def look(repo: Repo, indexed: dict[str, SourceFile], changed: set[str] | None = None, **options: object) -> Survey:
    skipped = options.pop("skipped", ())
    return survey(SourceTree(repo.root), indexed, skipped, changed, **options)  # type: ignore[arg-type]


def read(plan: Survey) -> list[str]:
    return [stat.path for stat in plan.to_read]


def test_files_long_settled_are_not_read(repo: Repo) -> None:
    repo.write("a.py", "x")
    plan = look(repo, known(repo, "a.py"), verified_at_ns=LATER_NS)
    assert (read(plan), plan.unchanged, plan.gone) == ([], 1, ())


def test_files_of_another_size_or_time_or_too_fresh_are_read(repo: Repo) -> None:
    for path in ("size.py", "time.py", "same.py"):
        repo.write(path, "x")
    indexed = known(repo, "size.py", "time.py", "same.py")
    indexed["size.py"] = replace(indexed["size.py"], size_bytes=9)
    indexed["time.py"] = replace(indexed["time.py"], mtime_ns=1)
    assert read(look(repo, indexed, verified_at_ns=LATER_NS)) == ["size.py", "time.py"]
    assert read(look(repo, indexed, verified_at_ns=0)) == ["same.py", "size.py", "time.py"]


def test_files_without_a_digest_are_read_whatever_their_time(repo: Repo) -> None:
    repo.write("a.py", "x")
    indexed = {path: replace(file, digest="") for path, file in known(repo, "a.py").items()}
    assert read(look(repo, indexed, verified_at_ns=LATER_NS)) == ["a.py"]


def test_all_files_are_read_when_asked(repo: Repo) -> None:
    repo.write("a.py", "x")
    plan = look(repo, known(repo, "a.py"), verified_at_ns=LATER_NS, reread=True)
    assert (read(plan), plan.unchanged) == (["a.py"], 0)


def test_a_reported_file_is_read_whatever_its_time(repo: Repo) -> None:
    repo.write("a.py", "x")
    assert read(look(repo, known(repo, "a.py"), {"a.py"}, verified_at_ns=LATER_NS)) == ["a.py"]


def test_only_reported_paths_and_what_lies_below_them_can_be_gone(repo: Repo) -> None:
    repo.write("keep/a.py", "x")
    repo.write("ab/a.py", "x")
    repo.write("a/b/c.py", "x")
    indexed = known(repo, "keep/a.py", "ab/a.py", "a/b/c.py")
    for path in ("keep", "ab", "a"):
        repo.delete(path)
    assert look(repo, indexed, {"a"}).gone == ("a/b/c.py",)
    assert look(repo, indexed, {"a/b/c.py"}).gone == ("a/b/c.py",)
    assert look(repo, indexed, {""}).gone == look(repo, indexed).gone == ("a/b/c.py", "ab/a.py", "keep/a.py")


def test_a_file_that_was_skipped_for_its_content_is_skipped_until_it_changes(repo: Repo) -> None:
    repo.write("a.bin", "x")
    status = (repo.root / "a.bin").stat()
    judged = Skipped("a.bin", SkipReason.BINARY, "zero bytes", status.st_size, status.st_mtime_ns)
    plan = look(repo, {}, skipped=[judged])
    assert (read(plan), plan.skipped, plan.unchanged) == ([], (judged,), 0)
    changed = replace(judged, mtime_ns=judged.mtime_ns + 1)
    assert read(look(repo, {}, skipped=[changed])) == ["a.bin"]


def test_what_was_skipped_elsewhere_stays_known_when_some_paths_are_looked_at(repo: Repo) -> None:
    repo.write("a.py", "x")
    elsewhere = Skipped("big.csv", SkipReason.TOO_LARGE, "9 bytes, the cap is 5")
    gone = Skipped("lib/old.bin", SkipReason.BINARY, "zero bytes", 4, 4)
    assert look(repo, {}, {"a.py", "lib"}, skipped=[elsewhere, gone]).skipped == (elsewhere,)


def test_an_empty_tree_says_so_but_a_part_of_one_need_not(repo: Repo) -> None:
    assert look(repo, {}).problems
    assert not look(repo, {}, {"a.py"}).problems
