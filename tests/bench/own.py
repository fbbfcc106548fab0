"""Index and search a manifest's corpora in one process of ours; prints JSON for the speed benchmark."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import replace
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
    with closing(default_pipeline()) as pipeline, tempfile.TemporaryDirectory() as folder:
        kept = EvaluationOptions(index_folder=Path(folder), ask=False)
        started = time.perf_counter()
        indexed = evaluate(args.manifest, pipeline, options=kept)
        wall_s = time.perf_counter() - started
        cpu_s = cpu_seconds(os.getpid())  # before the workers are gone: nobody else adds up theirs
        # Asked apart, over the same indexes, so that the timing above is of indexing alone.
        asked = None if args.no_queries else evaluate(args.manifest, pipeline, options=replace(kept, ask=True))
    result = {"wall_s": wall_s, "cpu_s": cpu_s, "indexed": report_to_json(indexed)}
    json.dump(result | {"asked": report_to_json(asked) if asked else None}, sys.stdout)


if __name__ == "__main__":
    main()
