"""Fit the weights of the code profile on labelled queries, and say how far to trust the fit.

    python -m tests.bench.fit --manifest manifest.json --manifest history.json --index-folder FOLDER

The signals of every candidate are collected once with the shipped pipeline; then the weights are
those that minimise a listwise softmax loss, in which every manifest, every repository of it and
every query of that counts alike. Each weight keeps the sign it has in the profile, so that a prior
cannot turn into its opposite on a set that happens to lack what it guards against.

Printed are NDCG@10 under the shipped weights, under the fitted ones, and *leave one repository out*:
a repository is scored with weights fitted on all others, in all manifests. Only that last figure
says what to expect of a repository nobody tuned on. Files are scored, not lines; so the figures
are a little above those of ``gortex eval quality``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gortex_py.evaluation.metrics import DEPTH, mean, ndcg_at_k
from gortex_py.evaluation.pipeline import LocalPipeline
from gortex_py.evaluation.tasks import CorpusTasks, Task, load_manifest
from gortex_py.rank.profiles import CERTAIN, CODE, TYPICAL_MASS, Weight
from gortex_py.search.engine import Engine
from gortex_py.search.present import Ranking
from gortex_py.types import Query
from tests.composed import default_pipeline

Floats = NDArray[np.float64]
STEPS = 400
RATE = 0.05
# Towards the shipped weights: a signal that a fold has no evidence for stays what it was.
PULL = 2e-4
PARTS = ("base", "ask", "tell")


@dataclass(frozen=True, slots=True)
class Column:
    """One number to fit: a part of a signal's weight."""

    signal: str
    part: str
    start: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """The candidates of one query."""

    manifest: str
    corpus: str
    features: Floats  # (candidates, columns)
    fixed: Floats  # (candidates,) what is not fitted: exact names
    is_target: NDArray[np.bool_]  # (candidates,)
    targets: int  # of the query; some may be no candidate


def columns(profile: Mapping[str, Weight]) -> list[Column]:
    """Return what is fitted: every part that the profile uses, certainty apart."""
    return [
        Column(name, part, getattr(weight, part))
        for name, weight in profile.items()
        for part in PARTS
        if weight.base != CERTAIN and getattr(weight, part)
    ]


class _Watched(Engine):
    """An engine that keeps what it found out about the last query."""

    ranking: Ranking | None = None

    def _rank(self, *args: object) -> Ranking:
        ranking: Ranking = super()._rank(*args)  # type: ignore[arg-type]
        self.ranking = self.ranking or ranking
        return ranking


def collect(manifest: Path, pipeline: LocalPipeline, folder: Path, fitted: Sequence[Column]) -> Iterator[Ranked]:
    """Yield the candidates of every query of a manifest that has any."""
    for corpus in load_manifest(manifest):
        place = folder / manifest.stem / corpus.name
        place.mkdir(parents=True, exist_ok=True)
        pipeline.index(corpus.root, place)
        with pipeline.open(corpus.name, place) as opened:
            engine = _Watched(corpus.name, opened.reader, opened.embedder, options=opened.options)
            for task in corpus.tasks:
                engine.ranking = None
                engine.search(Query(task.query, limit=DEPTH))
                if engine.ranking is not None and engine.ranking.evidence.count:
                    yield _ranked(manifest.stem, corpus, task, engine.ranking, fitted)
                else:
                    nothing = np.zeros((0, len(fitted)))
                    yield Ranked(
                        manifest.stem, corpus.name, nothing, np.zeros(0), np.zeros(0, np.bool_), len(task.targets)
                    )


def _ranked(manifest: str, corpus: CorpusTasks, task: Task, ranking: Ranking, fitted: Sequence[Column]) -> Ranked:
    question, evidence, scores = ranking.question, ranking.evidence, ranking.scores
    row = {name: i for i, name in enumerate(scores.names)}
    scale = sqrt(question.mass / TYPICAL_MASS)
    applies = {"base": True, "ask": question.asks, "tell": question.is_telling}
    features = np.zeros((evidence.count, len(fitted)))
    for i, column in enumerate(fitted):
        if column.signal in row and applies[column.part]:
            features[:, i] = scores.raw[row[column.signal]] * (scale if CODE[column.signal].is_scaled else 1.0)
    certain = [row[name] for name, weight in CODE.items() if weight.base == CERTAIN and name in row]
    fixed = CERTAIN * scores.raw[certain].sum(axis=0)
    wanted = {target.path for target in task.targets}
    # Equal scores are ordered by path.
    by_path = sorted(range(evidence.count), key=lambda i: evidence.paths[i])
    is_target = np.array([str(corpus.root / path) in wanted for path in evidence.paths], np.bool_)
    return Ranked(manifest, corpus.name, features[by_path], fixed[by_path], is_target[by_path], len(wanted))


def fit(queries: Sequence[Ranked], fitted: Sequence[Column]) -> Floats:
    """Return the (columns,) weights that minimise the loss, by projected gradient descent (Adam)."""
    start = np.array([column.start for column in fitted])
    sign = np.sign(start)
    is_bound = np.array([column.part == "base" for column in fitted])
    used = [query for query in queries if query.is_target.any()]
    shares = _shares(used)
    features = np.concatenate([query.features for query in used])
    fixed = np.concatenate([query.fixed for query in used])
    sizes = np.array([len(query.fixed) for query in used])
    first = np.cumsum(sizes) - sizes
    share = np.repeat(shares, sizes)
    wish = np.concatenate([query.is_target / query.is_target.sum() for query in used])
    weights, momentum, spread = start.copy(), np.zeros(len(start)), np.zeros(len(start))
    for step in range(1, STEPS + 1):
        scores = features @ weights + fixed
        scores -= np.repeat(np.maximum.reduceat(scores, first), sizes)
        odds = np.exp(scores)
        odds /= np.repeat(np.add.reduceat(odds, first), sizes)
        slope = features.T @ (share * (odds - wish)) + PULL * (weights - start)
        momentum = 0.9 * momentum + 0.1 * slope
        spread = 0.999 * spread + 0.001 * slope**2
        weights = weights - RATE * (momentum / (1 - 0.9**step)) / (np.sqrt(spread / (1 - 0.999**step)) + 1e-9)
        weights = np.where(is_bound & (weights * sign < 0), 0.0, weights)
    return weights


def _shares(queries: Sequence[Ranked]) -> Floats:
    """Return each query's share of the loss: manifests alike, repositories alike, queries alike."""
    count: dict[tuple[str, str], int] = {}
    for query in queries:
        count[query.manifest, query.corpus] = count.get((query.manifest, query.corpus), 0) + 1
    corpora = {name: sum(manifest == name for manifest, _ in count) for name in {query.manifest for query in queries}}
    return np.array(
        [1 / (len(corpora) * corpora[q.manifest] * count[q.manifest, q.corpus]) for q in queries], np.float64
    )


def quality(query: Ranked, weights: Floats) -> float:
    """Return the query's NDCG@10, by files."""
    order = np.argsort(-(query.features @ weights + query.fixed), kind="stable")
    ranks: list[int | None] = [int(rank) + 1 for rank in np.flatnonzero(query.is_target[order])]
    return ndcg_at_k([*ranks, *[None] * (query.targets - len(ranks))])


def report(queries: Sequence[Ranked], weights: Mapping[str, Floats]) -> dict[str, float]:
    """Return NDCG@10 by manifest: the mean over corpora of the mean over queries.

    :param weights: by corpus
    """
    found: dict[str, dict[str, list[float]]] = {}
    for query in queries:
        value = quality(query, weights[query.corpus])
        found.setdefault(query.manifest, {}).setdefault(query.corpus, []).append(value)
    return {manifest: mean(mean(values) for values in corpora.values()) for manifest, corpora in found.items()}


def main() -> None:
    """Collect, fit, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manifest", type=Path, action="append", required=True)
    parser.add_argument("--index-folder", type=Path, required=True, help="indexes are kept here and used again")
    parser.add_argument("--without", action="append", default=[], metavar="SIGNAL", help="leave a signal out")
    args = parser.parse_args()
    fitted = [column for column in columns(CODE) if column.signal not in args.without]
    with closing(default_pipeline()) as pipeline:
        queries = [q for manifest in args.manifest for q in collect(manifest, pipeline, args.index_folder, fitted)]
    corpora = sorted({query.corpus for query in queries})
    shipped = np.array([column.start for column in fitted])
    everywhere = fit(queries, fitted)
    apart = {corpus: fit([q for q in queries if q.corpus != corpus], fitted) for corpus in corpora}
    for name, weights in (
        ("shipped", dict.fromkeys(corpora, shipped)),
        ("fitted", dict.fromkeys(corpora, everywhere)),
        ("leave one repository out", apart),
    ):
        figures = report(queries, weights)
        print(f"{name:26}", *(f"{manifest} {value:.4f}" for manifest, value in figures.items()))
    for column, value in zip(fitted, everywhere, strict=True):
        print(f"{column.signal:20} {column.part:5} {column.start:7.2f} -> {value:7.2f}")


if __name__ == "__main__":
    main()
