"""What a pass lets be known."""

from __future__ import annotations

from collections import Counter

from gortex_py.service.passes import history_trouble, unread_parts
from gortex_py.service.questions import health_warnings
from gortex_py.service.readiness import Health
from gortex_py.types import IndexReport, IndexState, Problem


def report(*problems: Problem) -> IndexReport:
    return IndexReport(0, 0, 0, 0, 0, Counter(), 0, 0, problems, 1.0)


def test_what_of_a_tree_could_not_be_read_is_told_and_nothing_else() -> None:
    assert unread_parts(report(Problem(".", "no file to index"), Problem("embedding", "the provider failed"))) is None
    locked, other = Problem("locked", "the folder cannot be listed"), Problem("x", "its rules are not applied")
    assert unread_parts(report(locked)) == "locked: the folder cannot be listed"
    assert unread_parts(report(locked, other)) == "locked: the folder cannot be listed and 1 more"


def test_a_history_that_cannot_be_read_is_told_by_the_status_but_not_with_each_answer() -> None:
    without = report(Problem("history", "git is not installed"))
    assert history_trouble(without) == "git is not installed"
    assert unread_parts(without) is None
    assert history_trouble(report(Problem(".", "no file to index"))) is None
    health = Health(IndexState.READY, degraded=(("history", "git is not installed"), ("watch", "found by polling")))
    assert health_warnings("shop", health) == ["shop: found by polling"]
