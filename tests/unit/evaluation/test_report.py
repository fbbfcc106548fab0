"""Reports survive JSON, and their text says what matters."""

from __future__ import annotations

import dataclasses
import json

import pytest

from gortex_py.errors import UsageError
from gortex_py.evaluation.report import format_report, report_from_json, report_to_json
from tests.unit.evaluation.builders import make_outcome, make_report


def test_a_report_is_the_same_after_json() -> None:
    report = make_report(make_outcome(1, None), make_outcome(2, corpus="bank", language="go"))
    assert report_from_json(json.loads(json.dumps(report_to_json(report)))) == report


def test_the_summary_is_in_the_json() -> None:
    report = make_report(make_outcome(1), make_outcome(2, query="r", category="symbol"))
    summary = report_to_json(report)["summary"]
    # ndcg of rank 1 is 1, of rank 2 is 1/log2(3) = 0.63093
    assert summary["overall"]["ndcg"] == pytest.approx((1 + 0.63093) / 2, abs=1e-5)
    assert summary["by_category"]["symbol"]["mrr"] == 0.5
    assert summary["by_corpus"]["shop"]["recall_at_1"] == 0.5
    assert summary["index_s"] == 0.5
    assert summary["query_p95_ms"] == 2.0


def test_index_seconds_of_a_reused_index_are_not_reported() -> None:
    report = make_report(make_outcome(1), cold=False)
    assert report_to_json(report)["summary"]["index_s"] is None
    assert "cold index not measured" in format_report(report)


def test_the_text_has_headline_tables_and_notes() -> None:
    report = make_report(make_outcome(1), make_outcome(None, corpus="bank", language="go", category="symbol"))
    stale = dataclasses.replace(report.corpora[1], pinned=False, missing=("gone.go", "lost.go"))
    text = format_report(dataclasses.replace(report, corpora=(report.corpora[0], stale)))
    assert "NDCG@10 0.5000 over 2 corpora, 2 queries" in text
    assert [line.split()[:3] for line in text.splitlines() if line.startswith("shop")] == [["shop", "1", "1.0000"]]
    assert "bank *" in text
    assert "* not the labelled revision" in text
    assert "bank: 2 targets are not on disk, e.g. gone.go" in text
    assert any(line.split() == ["channels", "1.00", "2.00"] for line in text.splitlines())


@pytest.mark.parametrize("raw", [[], {}, {"format": 99}, {"format": 1}, {"format": 1, "corpora": 3}])
def test_something_else_is_no_report(raw: object) -> None:
    with pytest.raises(UsageError, match="evaluation result"):
        report_from_json(raw)
