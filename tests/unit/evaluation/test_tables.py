"""The docs' tables come from kept results."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from gortex_py.errors import UsageError
from gortex_py.evaluation.results import save_result, write_result
from gortex_py.evaluation.tables import quality_table, speed_table
from tests.unit.evaluation.builders import make_outcome, make_report


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|\n").split("|")] for line in table.splitlines()]


def test_the_newest_result_of_each_method_stands_and_the_best_method_first(tmp_path: Path) -> None:
    old = make_report(make_outcome(1), method="gortex", measured="2025-01-01T00:00Z")
    new = make_report(make_outcome(2), method="gortex", measured="2025-02-01T00:00Z")
    peer = make_report(make_outcome(1, category="symbol"), method="peer", cold=False)
    save_result(dataclasses.replace(old, revision="0" * 12), tmp_path)
    save_result(dataclasses.replace(new, revision="1" * 12), tmp_path)
    save_result(dataclasses.replace(peer, revision=""), tmp_path)
    save_result(dataclasses.replace(peer, manifest="history.json", method="other"), tmp_path)
    table = rows(quality_table(tmp_path, "manifest.json"))
    assert [row[:3] for row in table[2:]] == [["peer", "-", "1.0000"], ["gortex", "1" * 12, "0.6309"]]
    # peer: no semantic query, index not cold; gortex: 0.5 s, 2 ms, 5 MB as built
    assert table[2][3:8] == ["-", "-", "1.000", "-", "-"]
    assert table[3][7:] == ["0.5", "2.0", "2.0", "5"]


def test_speed_comparisons_stand_newest_first_with_and_without_a_peer(tmp_path: Path) -> None:
    result = {
        "method": "speed",
        "revision": "a" * 12,
        "measured": "2025-01-01T00:00Z",
        "corpora": 2,
        "files": 9,
        "gortex": {"median_s": 2.0, "peak_rss_bytes": 7_000_000},
        "peer": {"median_s": 4.0},
        "ratio": 0.5,
        "query_p50_ms": 1.0,
        "query_p95_ms": 3.0,
    }
    write_result(result, tmp_path / "speed-a.json")
    write_result(result | {"revision": "b", "measured": "2025-03", "peer": None}, tmp_path / "speed-b.json")
    table = rows(speed_table(tmp_path))
    assert table[2] == ["b", "2", "9", "2.0", "-", "-", "1.0", "3.0", "7"]
    assert table[3] == ["a" * 12, "2", "9", "2.0", "4.0", "0.50", "1.0", "3.0", "7"]


def test_without_results_nothing_is_claimed(tmp_path: Path) -> None:
    assert quality_table(tmp_path, "manifest.json") == "No result is kept yet."
    assert speed_table(tmp_path / "absent") == "No result is kept yet."
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(UsageError, match=r"bad\.json is not JSON"):
        speed_table(tmp_path)
