"""The subjects of past commits as arrays."""

from __future__ import annotations

from math import log, sqrt

import pytest

from gortex_py.history import commits as module
from gortex_py.history.commits import Subjects, build, carry_on, decode, decode_subjects, encode, prepare
from gortex_py.history.log import Commit, Log


def a_log(*commits: tuple[str, str], renamed: dict[str, str] | None = None) -> Log:
    return Log(tuple(Commit(subject, tuple(paths.split())) for subject, paths in commits), renamed or {})


def subjects(*commits: tuple[str, str]) -> Subjects:
    return prepare(build("x", a_log(*commits)))


def idf(said: int, commits: int) -> float:
    return log(1 + (commits - said + 0.5) / (said + 0.5))


def test_a_match_is_the_saturated_share_of_the_rarity_that_the_subjects_say() -> None:
    asked = subjects(
        ("fix the retry backoff", "a.py b.py c.py d.py"), ("retry twice", "a.py"), ("rework colours", "e.py")
    )
    found = asked.match(["retri", "backoff", "absent"], ["b.py", "a.py", "e.py", "unknown.py"])
    # Each subject counts 1/sqrt(files): half for the first, whole for the others; the stop word is not there.
    lengths = {"a.py": 0.5 * 3 + 2, "b.py": 1.5, "e.py": 2}
    mean = (lengths["a.py"] + 3 * lengths["b.py"] + lengths["e.py"]) / 5
    mass = idf(2, 3) + idf(1, 3) + idf(0, 3)

    def expected(path: str, retry: float, backoff: float) -> float:
        norm = 0.6 * (0.4 + 0.6 * lengths[path] / mean)
        return (idf(2, 3) * retry / (retry + norm) + idf(1, 3) * backoff / (backoff + norm)) / mass

    assert sqrt(1 / 4) == 0.5
    assert found.tolist() == pytest.approx([expected("b.py", 0.5, 0.5), expected("a.py", 1.5, 0.5), 0, 0])


def test_the_order_of_the_files_changes_nothing() -> None:
    asked = subjects(("retry", "a.py b.py"), ("retry more", "b.py c.py"), ("wait", "a.py"))
    terms, paths = ["retri", "more"], ["a.py", "b.py", "c.py", "d.py"]
    forward = asked.match(terms, paths).tolist()
    assert asked.match(terms, paths[::-1]).tolist() == forward[::-1]
    assert sorted(forward, reverse=True) != [0, 0, 0, 0]


def test_nothing_asked_and_nothing_known_match_nothing() -> None:
    asked = subjects(("retry", "a.py"))
    assert asked.match([], ["a.py"]).tolist() == [0]
    assert asked.match(["retri"], []).tolist() == []
    assert asked.match(["retri"], ["other.py"]).tolist() == [0]
    assert subjects(("", "a.py"), ("the", "a.py")).match(["retri"], ["a.py"]).tolist() == [0]


def test_bytes_give_the_same_history() -> None:
    before = build("f00", a_log(("parseConfig é", "a.py é.py"), ("", "b.py")))
    after = decode(encode(before))
    assert after is not None
    assert encode(after) == encode(before)
    assert (after.head, after.paths, after.count) == ("f00", ("a.py", "é.py", "b.py"), 2)
    assert prepare(after).match(["parseconfig"], ["é.py", "b.py"]).tolist()[1:] == [0]


def test_no_commits_and_foreign_bytes_are_no_history() -> None:
    assert decode_subjects(encode(build("", a_log()))) is None
    assert decode_subjects(b"something else") is None


def test_carried_on_it_is_as_if_read_anew() -> None:
    older = [("retry", "old.py b.py"), ("wait", "c.py")]
    newer = [("move it", "new.py"), ("retry again", "b.py d.py")]
    carried = carry_on(build("1", a_log(*older)), "2", a_log(*newer, renamed={"old.py": "new.py"}))
    anew = build("2", a_log(*newer, ("retry", "new.py b.py"), ("wait", "c.py")))
    assert encode(carried) == encode(anew)


def test_carried_on_it_keeps_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_COMMITS", 3)
    carried = carry_on(build("1", a_log(("b", "b.py"), ("a", "a.py"))), "2", a_log(("d", "d.py"), ("c", "c.py")))
    assert carried.count == 3
    assert carried.paths == ("d.py", "c.py", "b.py")
    assert carry_on(carried, "3", a_log()).count == 3


def test_what_left_the_folder_is_not_taken_for_what_is_there_now() -> None:
    carried = carry_on(build("1", a_log(("retry", "a.py"))), "2", a_log(("wait", "b.py"), renamed={"a.py": ""}))
    assert carried.count == 2
    assert prepare(carried).match(["retri"], ["b.py"]).tolist() == [0]
