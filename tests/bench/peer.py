"""Measure a peer in its own environment, and score it by our scorer."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from gortex_py.evaluation.report import CorpusOutcome, EvaluationReport
from gortex_py.evaluation.run import judge, machine, now
from gortex_py.evaluation.tasks import load_manifest

SCRIPT = Path(__file__).with_name("peer_semble.py")

HOW_TO_INSTALL = """\
The peer is measured only when its interpreter is named:
    python3 -m venv /path/to/peer
    /path/to/peer/bin/pip install semble==0.7.0 tokenlearn-static-model==0.1.1
    make bench PEER_PYTHON=/path/to/peer/bin/python
tokenlearn-static-model carries a model2vec folder, so that nothing is downloaded at run time;
any other model2vec folder is taken with PEER_MODEL=/path/to/folder."""


def measure_peer(
    python: Path,
    manifest: Path,
    *,
    model: Path | None = None,
    ask: bool = True,
    alpha: float | None = None,
    workers: int = 0,
) -> dict[str, Any]:
    """Return what the peer's script printed.

    :param alpha: its blend of vectors; None is its own choice, 0 leaves them out.
    :param workers: its worker processes; 0 is its library's default, 4 its command's.
    :raises RuntimeError: when it failed, with the last line it said.
    """
    command = [str(python), str(SCRIPT), "--manifest", str(manifest)]
    command += ["--model", str(model)] if model else []
    command += [] if ask else ["--no-queries"]
    command += [] if alpha is None else ["--alpha", str(alpha)]
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "SEMBLE_INDEX_WORKERS": str(workers)}
    environment.pop("PYTHONPATH", None)
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if run.returncode:
        raise RuntimeError(f"{python} {SCRIPT.name} ended with {run.returncode}: {last_line(run.stderr)}")
    return dict(json.loads(run.stdout))


def last_line(text: str) -> str:
    """Return the line of a traceback that says what happened."""
    return (text.strip().splitlines() or ["it said nothing"])[-1]


def peer_report(manifest: Path, raw: dict[str, Any]) -> EvaluationReport:
    """Return the peer's figures as a report like our own; its index seconds include writing it to disk."""
    corpora = {corpus.name: corpus for corpus in load_manifest(manifest)}
    measured, outcomes = [], []
    for entry in raw["corpora"]:
        corpus = corpora[entry["name"]]
        measured.append(
            CorpusOutcome(
                name=corpus.name,
                language=corpus.language,
                pinned=corpus.pinned,
                missing=corpus.missing,
                files=entry["files"],
                index_s=entry["index_s"] + entry["save_s"],
                index_bytes=entry["index_bytes"],
                first_query_ms=entry["answers"][0]["elapsed_ms"] if entry["answers"] else 0.0,
            )
        )
        for task, answer in zip(corpus.tasks, entry["answers"], strict=bool(entry["answers"])):
            hits = [(path, start, end) for path, start, end in answer["hits"]]
            outcomes.append(judge(corpus, task, hits, elapsed_ms=answer["elapsed_ms"]))
    return EvaluationReport(
        method=raw["method"] if raw.get("alpha") is None else f"{raw['method']}-alpha-{raw['alpha']:g}",
        revision="",
        manifest=manifest.name,
        machine=machine(),
        measured=now(),
        cold=True,
        peak_rss_bytes=raw["peak_rss_bytes"],
        corpora=tuple(measured),
        outcomes=tuple(outcomes),
    )
