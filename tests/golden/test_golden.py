"""The ranking of a small corpus, written down.

``expected/`` holds one file a query with its first hits and what each owes its score to, and
``rank_stats.txt`` the figures over all queries. A change of the ranking is a change of these
files: rewrite them with ``make golden`` (or ``pytest tests/golden --update-golden``), read the
difference, and say in the commit why a rank moved.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gortex_py.evaluation.metrics import mean, recall_at_k, reciprocal_rank
from gortex_py.evaluation.report import QueryOutcome
from gortex_py.evaluation.run import Searcher, judge
from gortex_py.evaluation.tasks import CorpusTasks, Task, load_manifest
from gortex_py.types import Hit, Query, SearchResult

HERE = Path(__file__).parent
EXPECTED = HERE / "expected"
SHOWN = 5
(FERRY,) = load_manifest(HERE / "queries.json")


def slug(text: str) -> str:
    """Return a file name for a query; upper case is marked, since some file systems fold it."""
    marked = re.sub(r"[A-Z]", lambda letter: "^" + letter[0].lower(), text)
    return re.sub(r"[^a-z0-9_^]+", "-", marked).strip("-").replace("^", "+")


@pytest.mark.parametrize("task", FERRY.tasks, ids=[slug(task.query) for task in FERRY.tasks])
def test_ranking_is_as_written_down(task: Task, searcher: Searcher, update_golden: bool) -> None:
    result = searcher.search(Query(task.query, limit=10, explain=True))
    check(EXPECTED / f"{slug(task.query)}.txt", describe(FERRY, task, result), update=update_golden)


def test_figures_are_as_written_down(searcher: Searcher, update_golden: bool) -> None:
    outcomes = [outcome_of(task, searcher.search(Query(task.query, limit=10))) for task in FERRY.tasks]
    check(HERE / "rank_stats.txt", figures(outcomes), update=update_golden)


def test_every_written_ranking_has_its_query() -> None:
    known = {f"{slug(task.query)}.txt" for task in FERRY.tasks}
    assert len(known) == len(FERRY.tasks)
    assert {file.name for file in EXPECTED.glob("*.txt")} <= known
    assert FERRY.missing == ()


def check(path: Path, text: str, *, update: bool) -> None:
    """Compare with the file, or rewrite it."""
    if update:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return
    assert path.exists(), f"{path.name} is not written down yet: run pytest tests/golden --update-golden"
    assert text == path.read_text(encoding="utf-8"), "the ranking moved; see the docstring of this file"


def describe(corpus: CorpusTasks, task: Task, result: SearchResult) -> str:
    """Return a query, its targets' ranks, and its first hits with their contributions."""
    outcome = outcome_of(task, result)
    shape = result.shape
    lines = [f"query: {task.query}", f"shape: {shape.query_class} alpha {shape.alpha:.2f}"]
    for target, rank in zip(outcome.targets, outcome.ranks, strict=True):
        lines.append(f"target: {target} at {rank or 'none'}")
    for rank, hit in enumerate(result.hits[:SHOWN], 1):
        lines += ["", f"{rank}. {hit.path}:{hit.start_line}-{hit.end_line} {hit.qualified_name or '-'}"]
        lines += [f"   {hit.score:.2f} = {explained(hit)}"]
    return "\n".join(lines) + "\n"


def explained(hit: Hit) -> str:
    """Return the contributions that are worth a hundredth, the largest first.

    Two digits: enough to see a weight move, too few to see another processor's rounding.
    """
    rows = [(round(c.score, 2), c.signal) for c in hit.contributions]
    return " ".join(f"{name} {score:+.2f}" for score, name in sorted(rows, key=lambda r: (-r[0], r[1])) if score)


def outcome_of(task: Task, result: SearchResult) -> QueryOutcome:
    """Return what the scorer makes of a result."""
    hits = [(hit.path, hit.start_line, hit.end_line) for hit in result.hits]
    return judge(FERRY, task, hits, elapsed_ms=0.0)


def figures(outcomes: list[QueryOutcome]) -> str:
    """Return the figures over all queries, and the queries whose first target is not first."""
    ranks = [outcome.ranks for outcome in outcomes]
    lines = [
        f"queries  {len(outcomes)}",
        f"recall@1 {mean(recall_at_k(r, 1) for r in ranks):.3f}",
        f"recall@5 {mean(recall_at_k(r, 5) for r in ranks):.3f}",
        f"MRR      {mean(reciprocal_rank(r) for r in ranks):.3f}",
        f"NDCG@10  {mean(outcome.ndcg for outcome in outcomes):.3f}",
        "",
    ]
    lines += [f"{o.ranks[0] or 'none'}: {o.query}" for o in outcomes if o.ranks[0] != 1]
    return "\n".join(lines).rstrip() + "\n"
