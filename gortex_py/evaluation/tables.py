"""Tables for the docs, made from kept results and from nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gortex_py.errors import UsageError

NOTHING_KEPT = "No result is kept yet."
QUALITY = (
    "method",
    "commit",
    "NDCG@10",
    "architecture",
    "semantic",
    "symbol",
    "commit subjects",
    "index s",
    "p50 ms",
    "p95 ms",
    "peak MB",
)
SPEED = ("commit", "corpora", "files", "ours s", "peer s", "ratio", "p50 ms", "p95 ms", "peak MB")
CATEGORIES = ("architecture", "semantic", "symbol", "commit")


def quality_table(folder: Path, manifest: str) -> str:
    """Return a Markdown table of the newest result of each method on a manifest, the best first."""
    kept = [raw for raw in _results(folder) if raw.get("manifest") == manifest and "summary" in raw]
    newest: dict[str, dict[str, Any]] = {}
    for raw in sorted(kept, key=lambda raw: (raw["measured"], raw["revision"])):
        newest[raw["method"]] = raw
    ordered = sorted(newest.values(), key=lambda raw: (-raw["summary"]["overall"]["ndcg"], raw["method"]))
    return _markdown(QUALITY, [_quality_row(raw) for raw in ordered])


def speed_table(folder: Path) -> str:
    """Return a Markdown table of the kept speed comparisons, the newest first."""
    kept = [raw for raw in _results(folder) if raw.get("method") == "speed"]
    kept.sort(key=lambda raw: (raw["measured"], raw["revision"]), reverse=True)
    return _markdown(SPEED, [_speed_row(raw) for raw in kept])


def _results(folder: Path) -> list[dict[str, Any]]:
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            found.append(json.loads(path.read_text(encoding="utf-8")))
        except ValueError as error:
            raise UsageError(f"the result {path} is not JSON: {error}") from error
    return found


def _quality_row(raw: dict[str, Any]) -> list[str]:
    summary = raw["summary"]
    categories = [summary["by_category"].get(name, {}).get("ndcg") for name in CATEGORIES]
    return [
        raw["method"],
        raw["revision"] or "-",
        f"{summary['overall']['ndcg']:.4f}",
        *("-" if ndcg is None else f"{ndcg:.3f}" for ndcg in categories),
        "-" if summary["index_s"] is None else f"{summary['index_s']:.1f}",
        f"{summary['query_p50_ms']:.1f}",
        f"{summary['query_p95_ms']:.1f}",
        f"{raw['peak_rss_bytes'] / 1e6:.0f}",
    ]


def _speed_row(raw: dict[str, Any]) -> list[str]:
    peer = raw["peer"]
    return [
        raw["revision"] or "-",
        str(raw["corpora"]),
        str(raw["files"]),
        f"{raw['gortex']['median_s']:.1f}",
        f"{peer['median_s']:.1f}" if peer else "-",
        f"{raw['ratio']:.2f}" if peer else "-",
        f"{raw['query_p50_ms']:.1f}",
        f"{raw['query_p95_ms']:.1f}",
        f"{raw['gortex']['peak_rss_bytes'] / 1e6:.0f}",
    ]


def _markdown(titles: Iterable[str], rows: list[list[str]]) -> str:
    if not rows:
        return NOTHING_KEPT
    head = list(titles)
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
