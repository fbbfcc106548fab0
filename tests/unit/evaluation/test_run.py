"""An engine is indexed, asked and scored over every corpus of a manifest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gortex_py.errors import UsageError
from gortex_py.evaluation.run import EvaluationOptions, evaluate, judge
from gortex_py.evaluation.tasks import load_manifest
from tests.unit.evaluation.builders import GrepPipeline


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    files = {
        "shop/src/cart.py": "def total():\n    return tax\n",
        "shop/src/tax.py": "rate = 1\n\n\ndef tax():\n    return rate\n",
        "bank/ledger.py": "def post():\n    return entry\n",
    }
    for name, text in files.items():
        path = tmp_path / "repos" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    tax = {"path": "src/tax.py", "start_line": 4, "end_line": 5}
    entries: list[dict[str, Any]] = [
        {
            "name": "shop",
            "language": "python",
            "root": "repos/shop/src",
            "queries": [
                {"query": "where is tax", "category": "symbol", "relevant": [tax], "secondary": []},
                {"query": "the rate", "category": "semantic", "relevant": ["src/tax.py"], "secondary": ["src/cart.py"]},
            ],
        },
        {
            "name": "bank",
            "language": "go",
            "root": "repos/bank",
            "pinned": False,
            "queries": [{"query": "find nothing", "category": "semantic", "relevant": ["ledger.py"], "secondary": []}],
        },
    ]
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(entries), encoding="utf-8")
    return path


def test_every_query_is_scored_by_its_own_rule(manifest: Path) -> None:
    report = evaluate(manifest, GrepPipeline(), options=EvaluationOptions(revision="abc"))
    tax, rate, nothing = report.outcomes
    # "tax" is in cart.py line 2 and tax.py line 4; the target is lines 4-5 of tax.py: rank 2.
    assert (tax.ranks, tax.hits) == ((2,), ("cart.py:2-2", "tax.py:4-4"))
    assert tax.targets == ("tax.py:4-5",)
    # "rate" is in tax.py alone, so the secondary target cart.py is not found.
    assert rate.ranks == (1, None)
    assert nothing.ranks == (None,)
    assert (report.method, report.revision, report.manifest) == ("grep", "abc", "manifest.json")


def test_the_headline_is_the_mean_over_corpora_not_over_queries(manifest: Path) -> None:
    report = evaluate(manifest, GrepPipeline())
    # shop: (1/log2(3) + 1/(1 + 1/log2(3))) / 2 = (0.63092975 + 0.61314719) / 2 = 0.62203847; bank: 0
    assert report.by_corpus["shop"].ndcg == pytest.approx(0.62203847)
    assert report.overall.ndcg == pytest.approx(0.62203847 / 2)
    assert report.by_language["go"].ndcg == 0.0
    # semantic pools two queries: (0.61314719 + 0) / 2
    assert report.by_category["semantic"].ndcg == pytest.approx(0.61314719 / 2)


def test_costs_are_reported(manifest: Path) -> None:
    report = evaluate(manifest, GrepPipeline())
    shop, bank = report.corpora
    assert (shop.files, bank.files, shop.pinned, bank.pinned) == (2, 1, True, False)
    assert report.index_bytes > 0
    assert report.index_s > 0
    assert report.query_ms(50) > 0
    assert report.peak_rss_bytes > 1_000_000
    # each corpus's first query is asked once more before the measured ones: scans 2, 3 and 2
    assert report.stages_ms == {"scan": (2.0, 3.0)}
    assert report.cold


def test_a_kept_index_is_reused_and_its_seconds_are_no_longer_cold(manifest: Path, tmp_path: Path) -> None:
    options = EvaluationOptions(index_folder=tmp_path / "indexes")
    first = evaluate(manifest, GrepPipeline(), options=options)
    again = evaluate(manifest, GrepPipeline(), options=options)
    assert (first.cold, again.cold) == (True, False)
    assert again.overall == first.overall
    assert (tmp_path / "indexes" / "shop" / "texts.json").exists()


def test_only_the_named_corpora_are_measured(manifest: Path) -> None:
    pipeline = GrepPipeline()
    said: list[str] = []
    report = evaluate(manifest, pipeline, options=EvaluationOptions(only=("bank",), ask=False), progress=said.append)
    assert pipeline.indexed == ["bank"]
    assert report.outcomes == ()
    assert said[0].startswith("[1/1] bank: indexed in")
    with pytest.raises(UsageError, match="no corpus 'bonk'; it has shop, bank"):
        evaluate(manifest, pipeline, options=EvaluationOptions(only=("bonk",)))


def test_a_page_has_ten_hits(manifest: Path) -> None:
    shop, _ = load_manifest(manifest)
    hits = [(f"{number}.py", 1, 1) for number in range(10)] + [("tax.py", 4, 4)]
    outcome = judge(shop, shop.tasks[0], hits, elapsed_ms=1.0)
    assert len(outcome.hits) == 10
    assert outcome.ranks == (None,)
