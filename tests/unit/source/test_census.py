"""Which files a pass must look at again."""

from __future__ import annotations

from gortex_py.source.census import RACY_NS, census
from gortex_py.types import FileCategory, FileStat, SourceFile

PASS_NS = 1_000 * RACY_NS
OLD_NS = PASS_NS - RACY_NS - 1


def known(path: str, size_bytes: int = 10, mtime_ns: int = OLD_NS) -> SourceFile:
    return SourceFile(path, "python", FileCategory.SOURCE, size_bytes, mtime_ns, "00" * 16)


def test_every_path_lands_in_one_place() -> None:
    same, bigger, older = (
        FileStat("same", 10, OLD_NS),
        FileStat("bigger", 11, OLD_NS),
        FileStat("older", 10, OLD_NS - 5),
    )
    new, new_too = FileStat("new", 1, OLD_NS), FileStat("b", 1, OLD_NS)
    before = {path: known(path) for path in ("same", "bigger", "older", "gone", "all gone")}
    found = census([same, older, new, bigger, new_too], before, verified_at_ns=PASS_NS)
    assert found.unchanged == (same,)
    assert found.candidates_changed == (bigger, older)
    assert found.added == (new_too, new)
    assert found.deleted == ("all gone", "gone")


def test_an_edit_within_the_same_stamp_is_looked_at() -> None:
    for mtime_ns in (PASS_NS - RACY_NS, PASS_NS, PASS_NS + RACY_NS):
        stat = FileStat("a", 10, mtime_ns)
        found = census([stat], {"a": known("a", mtime_ns=mtime_ns)}, verified_at_ns=PASS_NS)
        assert found.candidates_changed == (stat,)


def test_an_unknown_time_of_the_last_pass_trusts_nothing() -> None:
    stat = FileStat("a", 10, OLD_NS)
    assert census([stat], {"a": known("a")}, verified_at_ns=0).candidates_changed == (stat,)


def test_nothing_found_deletes_everything() -> None:
    assert census([], {"a": known("a")}, verified_at_ns=PASS_NS).deleted == ("a",)
