"""Index and search a manifest's corpora with semble, for comparison.

Runs under the peer's own interpreter and imports nothing of this project:

    PEER_PYTHON tests/bench/peer_semble.py --manifest FILE [--model DIR] [--no-queries] [--alpha A] [--only NAME]

Prints one JSON object: seconds a corpus, every query's first ten hits and milliseconds, and the
process's own resources. Scoring is left to the caller, so that both sides meet one scorer.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def bundled_model() -> Path:
    """Return the model2vec folder inside the package tokenlearn-static-model."""
    spec = importlib.util.find_spec("static_model")
    if spec is None or spec.origin is None:
        sys.exit("no --model given and the package tokenlearn-static-model is not installed here")
    return Path(spec.origin).parent / "model"


def measure(manifest: list[dict[str, Any]], model: str, *, ask: bool, alpha: float | None) -> list[dict[str, Any]]:
    """Index each corpus afresh, write the index to disk, ask its queries (alpha None: its own blend)."""
    from semble import SembleIndex  # type: ignore[import-not-found]

    entries = []
    for corpus in manifest:
        started = time.perf_counter()
        index = SembleIndex.from_path(corpus["root"], model_path=model)
        built = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            index.save(Path(folder))
            saved = time.perf_counter()
            size = sum(f.stat().st_size for f in Path(folder).rglob("*") if f.is_file())
        answers = []
        for query in corpus["queries"] if ask else ():
            asked = time.perf_counter()
            results = index.search(query["query"], top_k=10, alpha=alpha)
            answers.append(
                {
                    "elapsed_ms": (time.perf_counter() - asked) * 1e3,
                    "hits": [[r.chunk.file_path, r.chunk.start_line, r.chunk.end_line] for r in results],
                }
            )
        entries.append(
            {
                "name": corpus["name"],
                "index_s": built - started,
                "save_s": saved - built,
                "index_bytes": size,
                "files": index.stats.indexed_files,
                "chunks": index.stats.total_chunks,
                "answers": answers,
            }
        )
    return entries


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--model", type=Path, default=None, help="a model2vec folder")
    parser.add_argument("--no-queries", action="store_true")
    parser.add_argument("--alpha", type=float, default=None, help="0 leaves its vectors out")
    parser.add_argument("--only", action="append", default=[], help="measure this corpus alone (repeatable)")
    args = parser.parse_args()
    model = str(args.model or bundled_model())
    manifest = json.loads(args.manifest.read_text(encoding="utf-8"))
    for corpus in manifest:
        corpus["root"] = str(args.manifest.resolve().parent / corpus["root"])  # an absolute root stays as it is
    if args.only:
        manifest = [c for c in manifest if c["name"] in args.only]
    with tempfile.TemporaryDirectory() as cache:
        os.environ["SEMBLE_CACHE_LOCATION"] = cache
        started = time.perf_counter()
        from semble.index.dense import load_model  # type: ignore[import-not-found]

        load_model(model)
        loaded = time.perf_counter()
        entries = measure(manifest, model, ask=not args.no_queries, alpha=args.alpha)
        ended = time.perf_counter()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    json.dump(
        {
            "method": f"semble-{importlib.metadata.version('semble')}",
            "alpha": args.alpha,
            "start_s": loaded - started,
            "wall_s": ended - loaded,
            "user_s": usage.ru_utime + children.ru_utime,
            "system_s": usage.ru_stime + children.ru_stime,
            "peak_rss_bytes": max(usage.ru_maxrss, children.ru_maxrss) * (1 if sys.platform == "darwin" else 1024),
            "corpora": entries,
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
