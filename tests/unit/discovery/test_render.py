from __future__ import annotations

import pytest

from gortex_py.discovery.bm25plus import Match
from gortex_py.discovery.catalog import ToolCard, ToolSource
from gortex_py.discovery.render import cut, render_call, render_found, render_text_only
from gortex_py.discovery.search_tool import Found, search_tools
from tests.unit.discovery.catalogue import card, cards
from tests.unit.discovery.test_search_tool import Double

TREE = """\
✓ Tool Discovery: find the definition of a symbol 8 matches · 8 active · 12 total · limit:8
├─ Find Symbol score 23.773
│  Locate the definition of a symbol by its exact or partial name
├─ List Callers score 8.529
│  Show every call site of a function or method
├─ db/list_tables db · score 5.341
│  List the tables and columns of the reporting database
├─ tracker/create_ticket tracker · score 3.608
│  Open a new ticket in the issue tracker
├─ db/runSQLQuery db · score 3.456
│  Run a read-only SQL query against the reporting database
└─ … 3 more tools"""
EMPTY = """\
⚠ Tool Discovery: kubernetes 0 matches · 0 active · 12 total · limit:8
No matching tools found."""


def found(count: int, label: str = "label", summary: str = "", server: str | None = None) -> Found:
    each = Match(ToolCard("name", label, summary, ToolSource.BUILTIN, server), 2.0625)
    return Found("query", 8, 20, (), (), (each,) * count)


def test_eight_hits_to_the_byte() -> None:
    answer = search_tools(Double(cards()).hooks, "find the definition of a symbol")
    assert render_found(answer) == TREE
    expanded = render_found(answer, expanded=True)
    assert expanded.endswith("└─ docs/exportPDF docs · score 1.618\n   Export a résumé or report as PDF")
    assert expanded.startswith(TREE.rpartition("\n")[0])


def test_no_hit_to_the_byte() -> None:
    assert render_found(search_tools(Double(cards()).hooks, "kubernetes")) == EMPTY


def test_an_empty_corpus_says_so() -> None:
    text = render_found(search_tools(Double([]).hooks, "kubernetes"))
    assert text.splitlines()[1] == "No discoverable tools are currently loaded."


@pytest.mark.parametrize(
    ("count", "last"), [(5, "└─ label score 2.063"), (6, "└─ … 1 more tool"), (7, "└─ … 2 more tools")]
)
def test_five_items_are_shown(count: int, last: str) -> None:
    lines = render_found(found(count)).splitlines()
    assert lines[-1] == last
    assert len(lines) == (6 if count == 5 else 7)
    assert render_found(found(1)).startswith("✓ Tool Discovery: query 1 match · 0 active · 20 total · limit:8")


def test_labels_and_descriptions_are_cut_by_cells() -> None:
    lines = render_found(found(1, "l" * 73, "語" * 49)).splitlines()
    assert lines[1] == f"└─ {'l' * 71}… score 2.063"
    assert lines[2] == f"   {'語' * 47}…"
    assert f"└─ {'l' * 72} score" in render_found(found(1, "l" * 72))
    assert render_found(found(1, summary="d" * 96)).endswith(f"   {'d' * 96}")


def test_the_query_is_cut() -> None:
    answer = Found("q" * 73, 8, 0, (), (), ())
    assert render_found(answer).startswith(f"⚠ Tool Discovery: {'q' * 71}… 0 matches")


def test_tabs_lines_and_control_characters_do_not_break_the_tree() -> None:
    lines = render_found(found(1, "a\tb", " one\r\ntwo\x1b[31m ")).splitlines()
    assert lines[1:] == ["└─ a   b score 2.063", "   one two[31m"]


def test_combining_marks_take_no_room() -> None:
    assert cut("e\u0301" * 4, 4) == "e\u0301" * 4
    assert cut("abcde", 4) == "abc…"


def test_the_call_line() -> None:
    assert render_call(" find\tit ", 3) == "◔ Tool Discovery: find   it limit:3"
    assert render_call("  ") == "◔ Tool Discovery: (empty query)"


def test_an_answer_without_details() -> None:
    assert render_text_only(["a" * 111, "b\nc"]) == f"⚠ Tool Discovery\n{'a' * 109}…\nb\nc"
    assert render_text_only([]) == "⚠ Tool Discovery\nTool discovery completed"


def test_scores_are_rounded_from_their_six_places() -> None:
    # Rounded at once it would be 2.062; its six places are 2.062500.
    answer = Found("q", 8, 1, (), (), (Match(card("x", "x"), 2.0624996),))
    assert "score 2.063" in render_found(answer)
