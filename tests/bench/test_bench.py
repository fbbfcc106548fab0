"""The benchmarks' own arithmetic and manners; the measuring itself is done by ``make bench``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bench.peer import measure_peer, peer_report
from tests.bench.speed import Timing, format_speed, summarize_timings
from tests.bench.visible import summarize


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "pay.py").write_text("def pay():\n    return 1\n")
    target = {"path": "pay.py", "start_line": 2, "end_line": 2}
    query = {"query": "pay", "category": "symbol", "relevant": [target], "secondary": []}
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps([{"name": "shop", "language": "python", "root": "shop", "queries": [query]}]))
    return path


def answer(*hits: list[Any]) -> dict[str, Any]:
    entry = {"name": "shop", "index_s": 1.5, "save_s": 0.5, "index_bytes": 10, "files": 1}
    return {
        "method": "peer-1.0",
        "peak_rss_bytes": 9,
        "corpora": [entry | {"answers": [{"elapsed_ms": 3.0, "hits": list(hits)}]}],
    }


def test_a_peers_hits_meet_the_same_scorer(manifest: Path) -> None:
    report = peer_report(manifest, answer(["pay.py", 1, 1], ["pay.py", 1, 2]))
    assert report.outcomes[0].ranks == (2,)  # the first hit is in the file but not on the line
    assert (report.method, report.index_s, report.query_ms(50)) == ("peer-1.0", 2.0, 3.0)


def test_a_peer_without_vectors_is_another_method(manifest: Path) -> None:
    assert peer_report(manifest, answer() | {"alpha": 0.0}).method == "peer-1.0-alpha-0"


def test_an_environment_without_the_peer_is_told_as_such(manifest: Path) -> None:
    with pytest.raises(RuntimeError, match="tokenlearn-static-model is not installed"):
        measure_peer(Path(sys.executable), manifest)


def test_timings_are_summed_up_by_minimum_and_median() -> None:
    timings = [Timing(3.0, 4.0, 5.0, 70), Timing(1.0, 2.0, 3.0, 90), Timing(2.0, 3.0, 4.0, 80)]
    own = summarize_timings(timings)
    assert (own["min_s"], own["median_s"], own["cpu_s"], own["peak_rss_bytes"]) == (1.0, 2.0, 4.0, 90)
    result = {
        "corpora": 1, "files": 2, "machine": "m", "revision": "r", "gortex": own, "peer": None, "ratio": None,
        "query_p50_ms": 1.0, "query_p95_ms": 2.0, "stages_ms": {"rank": (0.5, 0.75)},
    }  # fmt: skip
    assert "ratio" not in format_speed(result)
    text = format_speed(result | {"peer": own, "ratio": 0.5})
    assert "ratio of the medians 0.50" in text
    assert "rank           p50 0.50, p95 0.75" in text


def test_latencies_are_summed_up_a_step() -> None:
    # nearest rank of 20 values: p50 is the 10th, p95 the 19th
    result = summarize({"edit": [float(i) for i in range(1, 21)], "add": []}, Path("shop"))
    assert result["steps_ms"]["edit"] == {"p50": 10.0, "p95": 19.0, "max": 20.0}
    assert result["tries"] == 20
