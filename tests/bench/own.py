"""Index and search a manifest's corpora in one process of ours; prints JSON for the speed benchmark."""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from pathlib import Path

from gortex_py.evaluation.pipeline import LocalPipeline
from gortex_py.evaluation.report import report_to_json
from gortex_py.evaluation.run import EvaluationOptions, evaluate


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--no-queries", action="store_true")
    args = parser.parse_args()
    started = time.perf_counter()
    report = evaluate(args.manifest, LocalPipeline(), options=EvaluationOptions(ask=not args.no_queries))
    wall_s = time.perf_counter() - started
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu_s = sum(usage.ru_utime + usage.ru_stime for usage in usages)
    json.dump({"wall_s": wall_s, "cpu_s": cpu_s, "report": report_to_json(report)}, sys.stdout)


if __name__ == "__main__":
    main()
