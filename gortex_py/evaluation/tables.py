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


def ablation_table(folder: Path) -> str:
    """Return a Markdown table of the newest kept ablation: a row a feature, two columns a manifest."""
    newest = _newest(folder, "ablation")
    if newest is None:
        return NOTHING_KEPT
    shown = [manifest["manifest"] for manifest in newest["manifests"]]
    titles = ["switched", "what it is"]
    for manifest in newest["manifests"]:
        titles += [f"{manifest['manifest']} {manifest['ndcg']:.4f}", "difference"]
    return _markdown(titles, [_ablation_row(feature, shown) for feature in newest["features"]], texts=2)


def names_table(folder: Path) -> str:
    """Return a Markdown table of the newest exact-name matrix: a row a spelling."""
    newest = _newest(folder, "names")
    if newest is None:
        return NOTHING_KEPT
    rows = [
        [name, str(row["queries"]), *(f"{100 * row[key]:.2f}" for key in ("first", "first_three", "first_ten"))]
        for name, row in newest["spellings"].items()
    ]
    return _markdown(("spelling", "queries", "first %", "first three %", "first ten %"), rows)


def typos_table(folder: Path) -> str:
    """Return a Markdown table of the newest typo set: a row a slip, with and without the rescue."""
    newest = _newest(folder, "typos")
    if newest is None:
        return NOTHING_KEPT
    as_they_are = newest["unmutated"]
    rows = [["none", *_recalls(as_they_are), "-", "-"]]
    rows += [[slip, *_recalls(row["with"]), *_recalls(row["without"])] for slip, row in newest["slips"].items()]
    return _markdown(("slip", "recall@1", "recall@5", "without rescue @1", "without rescue @5"), rows)


def _newest(folder: Path, method: str) -> dict[str, Any] | None:
    kept = [raw for raw in _results(folder) if raw.get("method") == method]
    return max(kept, key=lambda raw: (raw["measured"], raw["revision"]), default=None)


def _ablation_row(feature: dict[str, Any], manifests: list[str]) -> list[str]:
    row = [f"{'with' if feature['added'] else 'without'} {feature['name']}", feature["help"]]
    for manifest in manifests:
        effect = feature["effects"][manifest]
        sure = "" if effect["low"] <= 0.0 <= effect["high"] else " *"
        interval = f"[{effect['low']:+.4f}, {effect['high']:+.4f}]"
        row += [f"{effect['ndcg']:.4f}", f"{effect['mean']:+.4f} {interval}{sure}"]
    return row


def _recalls(recall: dict[str, float]) -> list[str]:
    return [f"{recall[f'recall_at_{k}']:.3f}" for k in (1, 5)]


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


def _markdown(titles: Iterable[str], rows: list[list[str]], *, texts: int = 1) -> str:
    """Return a table whose first ``texts`` columns are words, the others figures."""
    if not rows:
        return NOTHING_KEPT
    head = list(titles)
    lines = [head, ["---"] * texts + ["---:"] * (len(head) - texts), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
