"""Index and search a manifest's corpora in one process of ours; prints JSON for the speed benchmark."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from contextlib import closing
from pathlib import Path

from gortex_py.evaluation.memory import cpu_seconds
from gortex_py.evaluation.report import report_to_json
from gortex_py.evaluation.run import EvaluationOptions, evaluate
from tests.composed import default_pipeline


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--no-queries", action="store_true")
    args = parser.parse_args()
    started = time.perf_counter()
    with closing(default_pipeline()) as pipeline:
        report = evaluate(args.manifest, pipeline, options=EvaluationOptions(ask=not args.no_queries))
        wall_s = time.perf_counter() - started
        cpu_s = cpu_seconds(os.getpid())  # before the workers are gone: nobody else adds up theirs
    json.dump({"wall_s": wall_s, "cpu_s": cpu_s, "report": report_to_json(report)}, sys.stdout)


if __name__ == "__main__":
    main()
