from __future__ import annotations

import pytest

from gortex_py.discovery.order import TEXT_STEP, collation_key, rounded


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("tool_1", "tool1"),
        ("a_b", "a-b"),
        ("a_b", "a.b"),
        ("git_log", "git-log"),
        ("list", "List"),
        ("read", "Read"),
        ("tool_10", "tool_2"),
        ("z", "é"),
    ],
)
def test_names_come_in_the_order_of_a_locale(first: str, second: str) -> None:
    assert sorted([second, first], key=collation_key) == [first, second]


def test_ties_round_up() -> None:
    assert str(rounded(1 / 128)) == "0.007813"
    assert str(rounded(2.0625, TEXT_STEP)) == "2.063"
