"""Compare cold index times: ours and a peer's, alternating in one run.

    python -m tests.bench.speed --manifest OUT/manifest.json [--peer-python PEER/bin/python] [--rounds 3]

Each round indexes all corpora of the manifest in one fresh process, first ours, then the peer's.
Alternating lets slow minutes of the machine fall on both. Our queries are asked in the first
round, for the percentiles by stage. The result is written beside the others, by commit.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from gortex_py.errors import GortexError
from gortex_py.evaluation.report import EvaluationReport, report_from_json
from gortex_py.evaluation.results import project_revision, result_path, write_result
from gortex_py.evaluation.run import machine, now
from tests.bench.peer import HOW_TO_INSTALL, last_line, measure_peer, peer_report

CHECKOUT = Path(__file__).resolve().parents[2]
RESULTS = CHECKOUT / "data" / "eval" / "results"


@dataclass(frozen=True, slots=True)
class Timing:
    """One process that indexed every corpus."""

    index_s: float  # the sum over corpora, writing to disk included
    wall_s: float  # of the process after its start
    cpu_s: float  # user and system, workers included
    peak_rss_bytes: int


def measure_own(manifest: Path, *, ask: bool) -> tuple[Timing, EvaluationReport, EvaluationReport | None]:
    """Index the corpora in a fresh process of ours; returns its timing, its report, and that of the queries."""
    command = [sys.executable, "-m", "tests.bench.own", "--manifest", str(manifest)]
    command += [] if ask else ["--no-queries"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=CHECKOUT, check=False)
    if run.returncode:
        raise RuntimeError(f"our own index ended with {run.returncode}: {last_line(run.stderr)}")
    raw = json.loads(run.stdout)
    report = report_from_json(raw["indexed"])
    asked = report_from_json(raw["asked"]) if ask else None
    return Timing(report.index_s, raw["wall_s"], raw["cpu_s"], report.peak_rss_bytes), report, asked


def time_peer(manifest: Path, python: Path, *, model: Path | None, workers: int) -> Timing:
    """Index the corpora in a fresh process of the peer's."""
    raw = measure_peer(python, manifest, model=model, ask=False, workers=workers)
    report = peer_report(manifest, raw)
    return Timing(report.index_s, raw["wall_s"], raw["user_s"] + raw["system_s"], report.peak_rss_bytes)


def compare_speed(manifest: Path, args: argparse.Namespace) -> dict[str, Any]:
    """Run the rounds; returns the result as it is written."""
    own: list[Timing] = []
    peer: list[Timing] = []
    indexed: EvaluationReport | None = None
    asked: EvaluationReport | None = None
    for round_number in range(1, args.rounds + 1):
        timing, indexed, answers = measure_own(manifest, ask=asked is None)
        asked = asked or answers
        own.append(timing)
        line = f"round {round_number}: gortex {timing.index_s:.2f} s"
        if args.peer_python:
            peer.append(time_peer(manifest, args.peer_python, model=args.peer_model, workers=args.peer_workers))
            line += f", peer {peer[-1].index_s:.2f} s, ratio {timing.index_s / peer[-1].index_s:.2f}"
        say(line)
    assert indexed is not None
    assert asked is not None
    return {
        "method": "speed",
        "revision": project_revision(CHECKOUT),
        "machine": machine(),
        "measured": now(),
        "manifest": manifest.name,
        "corpora": len(indexed.corpora),
        "files": sum(corpus.files for corpus in indexed.corpora),
        "index_bytes": indexed.index_bytes,
        "gortex": summarize_timings(own),
        "peer": summarize_timings(peer) if peer else None,
        "peer_workers": args.peer_workers,
        "ratio": median(t.index_s for t in own) / median(t.index_s for t in peer) if peer else None,
        "query_p50_ms": asked.query_ms(50),
        "query_p95_ms": asked.query_ms(95),
        "first_query_ms": median(corpus.first_query_ms for corpus in asked.corpora),
        "stages_ms": dict(asked.stages_ms),
    }


def format_speed(result: dict[str, Any]) -> str:
    """Return the result as text."""
    lines = [f"{result['corpora']} corpora, {result['files']} files, {result['machine']}, {result['revision']}"]
    for name in ("gortex", "peer"):
        if result[name]:
            sides = result[name]
            lines.append(
                f"{name:<8} cold index min {sides['min_s']:.2f} s, median {sides['median_s']:.2f} s,"
                f" cpu {sides['cpu_s']:.1f} s, resident peak {sides['peak_rss_bytes'] / 1e6:.0f} MB"
            )
    if result["ratio"] is not None:
        lines.append(f"ratio of the medians {result['ratio']:.2f} (below 1: we are faster)")
    lines.append(f"query p50 {result['query_p50_ms']:.2f} ms, p95 {result['query_p95_ms']:.2f} ms")
    lines += [f"  {stage:<14} p50 {p50:.2f}, p95 {p95:.2f}" for stage, (p50, p95) in result["stages_ms"].items()]
    return "\n".join(lines)


def say(line: str) -> None:
    """Print progress where results do not go."""
    sys.stderr.write(line + "\n")


def summarize_timings(timings: list[Timing]) -> dict[str, Any]:
    """Return what is kept of several timings."""
    return {
        "index_s": [round(t.index_s, 3) for t in timings],
        "min_s": min(t.index_s for t in timings),
        "median_s": median(t.index_s for t in timings),
        "cpu_s": median(t.cpu_s for t in timings),
        "wall_s": median(t.wall_s for t in timings),
        "peak_rss_bytes": max(t.peak_rss_bytes for t in timings),
    }


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, keep; 0 when done, 2 when something failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--peer-python", type=Path, default=None, help="interpreter of the peer's environment")
    parser.add_argument("--peer-model", type=Path, default=None, help="a model2vec folder for the peer")
    parser.add_argument("--peer-workers", type=int, default=0, help="its processes: 0 library default, 4 its command's")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--results", type=Path, default=RESULTS)
    args = parser.parse_args(arguments)
    if args.peer_python is None:
        say(HOW_TO_INSTALL)
    elif not args.peer_python.exists():
        say(f"there is no interpreter {args.peer_python}; the peer is left out.\n{HOW_TO_INSTALL}")
        args.peer_python = None
    try:
        result = compare_speed(args.manifest.resolve(), args)
        kept = write_result(result, result_path(args.results, f"speed-{args.manifest.stem}", result["revision"]))
    except (GortexError, RuntimeError) as error:
        say(f"bench: {error}")
        return 2
    sys.stdout.write(f"{format_speed(result)}\n{kept}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
