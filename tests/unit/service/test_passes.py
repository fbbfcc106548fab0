"""What a pass lets be known."""

from __future__ import annotations

from collections import Counter

from gortex_py.service.passes import unread_parts
from gortex_py.types import IndexReport, Problem


def report(*problems: Problem) -> IndexReport:
    return IndexReport(0, 0, 0, 0, 0, Counter(), 0, 0, problems, 1.0)


def test_what_of_a_tree_could_not_be_read_is_told_and_nothing_else() -> None:
    assert unread_parts(report(Problem(".", "no file to index"), Problem("embedding", "the provider failed"))) is None
    locked, other = Problem("locked", "the folder cannot be listed"), Problem("x", "its rules are not applied")
    assert unread_parts(report(locked)) == "locked: the folder cannot be listed"
    assert unread_parts(report(locked, other)) == "locked: the folder cannot be listed and 1 more"
