"""Tool discovery at ten thousand tools: what is promised."""

from __future__ import annotations

import pytest

from tests.bench.tools import exponent, measured

pytestmark = pytest.mark.bench


def test_ten_thousand_tools_are_searched_at_once() -> None:
    small, large = measured(1_000), measured(10_000)
    assert large["index_s"] < 1.0
    assert large["search_p95_ms"] < 20.0
    assert large["new_session_ms"] < 100.0
    assert exponent([small, large], "index_s") < 1.2
