"""Priors from a file's kind give way when the query asks for that kind."""

from __future__ import annotations

import numpy as np
import pytest

from gortex_py.rank.signals import SIGNALS
from gortex_py.rank.signals.path import asks_for
from gortex_py.types import FileCategory
from tests.builders import make_evidence, make_question

BY_NAME = {signal.name: signal for signal in SIGNALS}
ASKED = {
    FileCategory.TEST: "tests",
    FileCategory.EXAMPLE: "example",
    FileCategory.DOCS: "readme",
    FileCategory.CONFIG: "workflow",
    FileCategory.GENERATED: "generated",
    FileCategory.VENDORED: "vendor",
}


@pytest.mark.parametrize("category", ASKED)
def test_a_kind_of_file_is_marked_and_less_so_when_asked_for(category: FileCategory) -> None:
    evidence = make_evidence(["a", "b"], categories=(FileCategory.SOURCE.value, category.value))
    signal = BY_NAME[category.value]
    assert signal.score(make_question(["parse", "socket"]), evidence).tolist() == [0, 1]
    source, asked = signal.score(make_question([ASKED[category], "parse"]), evidence).tolist()
    assert source == 0
    assert 0 <= asked < 1


def test_every_kind_but_source_can_be_asked_for() -> None:
    for category in FileCategory:
        assert asks_for(frozenset({ASKED.get(category, "source")}), category) is (category is not FileCategory.SOURCE)
        assert not asks_for(frozenset({"parse"}), category)


def test_depth_counts_directories_and_size_grows_slowly() -> None:
    evidence = make_evidence(["a.py", "x/a.py", "x/y/a.py"], lines=np.array([0, 100, 10_000]))
    assert BY_NAME["depth"].score(make_question(), evidence).tolist() == [0, 1, 2]
    none, some, many = BY_NAME["size"].score(make_question(), evidence).tolist()
    assert none == 0 < some < many < 3 * some


@pytest.mark.parametrize(
    ("signal", "fact"), [("compat", "is_compat"), ("foreign", "is_foreign"), ("programming", "programming")]
)
def test_these_say_a_fact_as_it_is(signal: str, fact: str) -> None:
    evidence = make_evidence(**{fact: np.array([True, False, True])})
    assert BY_NAME[signal].score(make_question(), evidence).tolist() == [1, 0, 1]
