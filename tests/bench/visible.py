"""Measure how long a change on disk takes to be visible in search.

    python -m tests.bench.visible [--corpus FOLDER] [--tries 50]

A copy of the corpus is tracked by a real daemon. Each try adds a file with a word that occurs
nowhere else, edits another word into it, renames it and deletes it; after each step the daemon is
asked over HTTP until its answer agrees. The time of the last question is part of the latency.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gortex_py.errors import GortexError
from gortex_py.evaluation.metrics import percentile
from gortex_py.evaluation.results import project_revision, result_path, write_result
from gortex_py.evaluation.run import machine, now
from tests.bench.daemon import POLL_S, Client, running_daemon, wait_until_ready
from tests.bench.speed import CHECKOUT, RESULTS, say

LIMIT_S = 10.0
TARGET_P95_MS = 1000.0
STEPS = ("add", "edit", "rename", "delete")
CONSONANTS = "bcdfghjklmnpqrstvwxz"


def measure_visibility(corpus: Path, tries: int) -> dict[str, list[float]]:
    """Return the latencies in milliseconds of each step.

    :raises RuntimeError: when a step stays unseen: that is a fault, not a latency.
    """
    times: dict[str, list[float]] = {step: [] for step in STEPS}
    with tempfile.TemporaryDirectory(prefix="gortex-visible-") as scratch:
        home, root = Path(scratch) / "home", Path(scratch) / "corpus"
        home.mkdir()
        shutil.copytree(corpus, root, symlinks=True)
        with running_daemon(home) as client:
            status, answer = client.post("/v1/repos", {"path": str(root), "name": "corpus"})
            if status != 202:
                raise RuntimeError(f"tracking answered {status}: {answer}")
            wait_until_ready(client, "corpus")
            for number in range(tries):
                for step, elapsed_ms in measure_try(client, root, random.Random(number)).items():
                    times[step].append(elapsed_ms)
    return times


def measure_try(client: Client, root: Path, rng: random.Random) -> dict[str, float]:
    """Add, edit, rename and delete one file; returns the milliseconds until each is seen."""
    first, second, name = (_word(rng) for _ in range(3))
    path, renamed = f"{name}_handler.py", f"moved_{name}.py"
    steps: dict[str, tuple[Callable[[], object], Callable[[], bool]]] = {
        "add": (lambda: (root / path).write_text(_source(first)), lambda: path in client.paths(first)),
        "edit": (lambda: (root / path).write_text(_source(second)), lambda: path in client.paths(second)),
        "rename": (
            lambda: (root / path).rename(root / renamed),
            lambda: renamed in (found := client.paths(second)) and path not in found,
        ),
        "delete": ((root / renamed).unlink, lambda: renamed not in client.paths(second)),
    }
    return {step: _until(step, change, is_seen) for step, (change, is_seen) in steps.items()}


def _until(step: str, change: Callable[[], object], is_seen: Callable[[], bool]) -> float:
    started = time.perf_counter()
    change()
    while not is_seen():
        if time.perf_counter() - started > LIMIT_S:
            raise RuntimeError(f"the {step} of a file is not visible after {LIMIT_S:.0f} s")
        time.sleep(POLL_S)
    return (time.perf_counter() - started) * 1e3


def _word(rng: random.Random) -> str:
    # Without vowels it is no word of any corpus, and no part of one.
    return "".join(rng.choice(CONSONANTS) for _ in range(12))


def _source(word: str) -> str:
    return f'"""A file that comes and goes."""\n\n\ndef {word}(request):\n    return request\n'


def summarize(times: dict[str, list[float]], corpus: Path) -> dict[str, Any]:
    """Return the result as it is written."""
    return {
        "method": "visible",
        "revision": project_revision(CHECKOUT),
        "machine": machine(),
        "measured": now(),
        "corpus": corpus.name,
        "tries": max(map(len, times.values()), default=0),
        "steps_ms": {
            step: {"p50": percentile(ms, 50), "p95": percentile(ms, 95), "max": max(ms, default=0.0)}
            for step, ms in times.items()
        },
    }


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, keep; 0 when every p95 is within a second, 1 when not, 2 when something failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=CHECKOUT / "gortex_py", help="this package when not given")
    parser.add_argument("--tries", type=int, default=50)
    parser.add_argument("--results", type=Path, default=RESULTS)
    args = parser.parse_args(arguments)
    try:
        result = summarize(measure_visibility(args.corpus.resolve(), args.tries), args.corpus)
        kept = write_result(result, result_path(args.results, f"visible-{args.corpus.name}", result["revision"]))
    except (GortexError, RuntimeError, OSError) as error:
        say(f"bench: {error}")
        return 2
    lines = [f"{result['tries']} tries on {result['corpus']}, {result['machine']}, {result['revision']}"]
    lines += [
        f"{step:<8} p50 {ms['p50']:.0f} ms, p95 {ms['p95']:.0f} ms, max {ms['max']:.0f} ms"
        for step, ms in result["steps_ms"].items()
    ]
    sys.stdout.write("\n".join([*lines, str(kept)]) + "\n")
    return int(any(ms["p95"] > TARGET_P95_MS for ms in result["steps_ms"].values()))


if __name__ == "__main__":
    sys.exit(main())
