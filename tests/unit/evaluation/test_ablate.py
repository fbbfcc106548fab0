"""Each feature is measured by switching it, over one index."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gortex_py.errors import UsageError
from gortex_py.evaluation.ablate import Ablation, ablate, ablation_to_json, format_ablation, save_ablation, spread
from gortex_py.evaluation.corpora import CorpusOptions
from gortex_py.evaluation.features import FEATURES, find_features
from gortex_py.evaluation.pipeline import LocalPipeline
from gortex_py.evaluation.tables import ablation_table
from gortex_py.rank.signals import SIGNALS
from gortex_py.search.options import SearchOptions
from gortex_py.types import FileCategory, Hit, HitSpan, Query, QueryClass, QueryShape, SearchResult

SHOP = {
    "src/tally.py": "def compute_tally(values):\n    return sum(values)\n",
    # Says the name more often than its definition does, in its own name too.
    "compute_tally/compute_tally.py": "# compute_tally compute_tally\nprint('compute_tally')\n",
    "src/cart.py": "def add_item(cart):\n    return cart\n",
}


class CountingPipeline(LocalPipeline):
    """Counts what it indexes."""

    indexed = 0

    def index(self, root: Path, folder: Path) -> int:
        type(self).indexed += 1
        return super().index(root, folder)


def pipeline() -> CountingPipeline:
    return CountingPipeline(None, search_options=SearchOptions())


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ablate")
    for name, text in SHOP.items():
        path = folder / "shop" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    target = {"path": "src/tally.py", "start_line": 1, "end_line": 2}
    queries = [
        {"query": "compute_tally", "category": "symbol", "relevant": [target], "secondary": []},
        {"query": "secret words about a cart", "category": "semantic", "relevant": ["src/cart.py"], "secondary": []},
    ]  # fmt: skip
    path = folder / "shop.json"
    path.write_text(json.dumps([{"name": "shop", "language": "python", "root": "shop", "queries": queries}]))
    return path


@pytest.fixture(scope="module")
def ablation(manifest: Path) -> Ablation:
    return ablate([manifest], pipeline, features=["exact names", "doc", "one hit per file"])


def test_a_feature_that_finds_is_missed_and_one_that_does_nothing_is_not(ablation: Ablation) -> None:
    (shop,) = ablation.manifests
    assert (shop.manifest, shop.corpora, shop.queries, shop.ndcg) == ("shop.json", 1, 2, 1.0)
    exact, doc = shop.effects["exact names"], shop.effects["doc"]
    # Without it the file of that name is first: 1/log2(3) for one of two queries.
    assert exact.ndcg == pytest.approx((0.63092975 + 1) / 2)
    assert exact.difference.mean == pytest.approx(exact.ndcg - 1)
    assert (exact.difference.worse, exact.difference.better) == (1, 0)
    assert (doc.ndcg, doc.difference.mean) == (1.0, 0.0)


def test_each_corpus_is_indexed_once(manifest: Path, ablation: Ablation) -> None:
    CountingPipeline.indexed = 0
    ablate([manifest], pipeline, features=["doc", "shape", "vectors"])
    assert CountingPipeline.indexed == 1


def test_what_is_kept_holds_figures_and_no_query(ablation: Ablation, tmp_path: Path) -> None:
    path = save_ablation(ablation, tmp_path, revision="0" * 12)
    assert path.name == "ablation-000000000000.json"
    text = path.read_text(encoding="utf-8")
    assert "secret words" not in text
    assert "compute_tally" not in text
    raw = ablation_to_json(ablation, "0" * 12)
    assert json.loads(text) == raw
    (exact, *_) = raw["features"]
    assert exact["effects"]["shop.json"]["worse"] == 1


def test_the_table_of_the_docs_has_a_row_a_feature_and_a_star_where_it_is_sure(tmp_path: Path) -> None:
    effect = {"ndcg": 0.9, "queries": 9, "better": 1, "worse": 5, "mean": -0.01, "low": -0.02, "high": -0.005}
    raw = {
        "method": "ablation", "revision": "b", "measured": "2025-02",
        "manifests": [{"manifest": "a.json", "ndcg": 0.91}],
        "features": [
            {"name": "doc", "help": "Comments.", "added": False, "effects": {"a.json": effect}},
            {"name": "mined", "help": "Here.", "added": True, "effects": {"a.json": effect | {"high": 0.001}}},
        ],
    }  # fmt: skip
    (tmp_path / "new.json").write_text(json.dumps(raw))
    (tmp_path / "old.json").write_text(json.dumps(raw | {"measured": "2025-01", "features": []}))
    rows = ablation_table(tmp_path).splitlines()
    assert rows[0] == "| switched | what it is | a.json 0.9100 | difference |"
    assert rows[2] == "| without doc | Comments. | 0.9000 | -0.0100 [-0.0200, -0.0050] * |"
    assert rows[3] == "| with mined | Here. | 0.9000 | -0.0100 [-0.0200, +0.0010] |"


def test_the_text_names_every_feature(ablation: Ablation) -> None:
    lines = format_ablation(ablation).splitlines()
    assert lines[0] == "shop.json: NDCG@10 1.0000 over 1 corpora, 2 queries"
    assert [line.split("  ")[0] for line in lines[3:]] == [
        "without exact names",
        "without doc",
        "without one hit per file",
    ]


def test_every_registered_feature_changes_how_is_searched() -> None:
    shipped = SearchOptions()
    for feature in FEATURES:
        assert feature.change(shipped) != shipped or feature.spreads, feature.name
    assert len({feature.name for feature in FEATURES}) == len(FEATURES)
    left_out = find_features(["path priors"])[0].change(shipped).without_signals
    assert {"test", "vendored", "size"} <= left_out


def test_a_signal_is_a_feature_by_its_own_name_and_others_are_refused() -> None:
    for signal in SIGNALS:
        (feature,) = find_features([signal.name])
        assert signal.name in feature.change(SearchOptions()).without_signals
    with pytest.raises(UsageError, match="there is no feature 'bodi'"):
        find_features(["bodi"])


def test_a_corpus_that_no_manifest_has_is_refused(manifest: Path) -> None:
    with pytest.raises(UsageError, match="no manifest has a corpus 'bank'; there are shop"):
        ablate([manifest], pipeline, options=CorpusOptions(only=("bank",)))


def test_further_places_follow_their_hit() -> None:
    also = (HitSpan(7, 9, None, None),)
    hits = [
        Hit("r", path, 1, 2, None, None, None, None, None, FileCategory.SOURCE, 1.0, "", (), also=also)
        for path in ("a.py", "b.py")
    ]
    result = SearchResult(Query("q"), QueryShape(QueryClass.CONCEPT, 0.5, 0.0), tuple(hits), 2, (), 1, {})
    assert list(spread(result)) == [("a.py", 1, 2), ("a.py", 7, 9), ("b.py", 1, 2), ("b.py", 7, 9)]
