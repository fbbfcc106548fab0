"""Every name of the small corpus is found, in every spelling."""

from __future__ import annotations

from gortex_py.evaluation.run import Searcher
from gortex_py.search.engine import Engine
from tests.bench.names import OTHER_REQUIRED, Definitions, ask_all, draw, failure_line, is_as_required, summarize_names

DRAWN = 24


def test_a_name_comes_first_in_its_own_spelling_and_near_the_top_in_any_other(searcher: Searcher) -> None:
    assert isinstance(searcher, Engine)
    drawn = draw(searcher.reader, DRAWN)
    outcomes = ask_all(drawn, searcher, Definitions(searcher.reader))
    failed = [failure_line("ferry", outcome) for outcome in outcomes if not outcome.is_right]
    figures = summarize_names(outcomes)
    assert len(drawn) == DRAWN
    assert figures["queries"] > 3 * DRAWN
    assert is_as_required(figures), "\n".join(failed)
    assert len(failed) <= (1 - OTHER_REQUIRED) * len(outcomes)
