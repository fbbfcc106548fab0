"""Fit the weights of the code profile on labelled queries, and say how far to trust the fit.

    python -m tests.bench.fit --manifest manifest.json --manifest history.json --index-folder FOLDER

The signals of every candidate are collected once with the shipped pipeline and git's history; a
second copy of each manifest that has any stands for repositories without. Then weights are fitted
in two steps, in which every manifest, every repository of it and every query of that counts alike:
first those that minimise a listwise softmax loss, which is smooth and has one minimum; from there
NDCG@10 itself is climbed, one weight at a time, as long as a step gains more than noise would. Each
weight keeps the sign it has in the profile, so that a prior cannot turn into its opposite on a set
that happens to lack what it guards against.

Printed are NDCG@10 under the shipped weights, under the fitted ones, and *leave one repository out*:
a repository is scored with weights fitted on all others, in all manifests. Only that last figure
says what to expect of a repository nobody tuned on. Files are scored, not lines; so the figures
are a little above those of ``gortex eval quality``.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
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
STEPS = 300
RATE = 0.05
# Towards the shipped weights: a signal that a fold has no evidence for stays what it was.
PULL = 2e-3
# Of the climb: relative steps, which shrink where neither direction gains.
FIRST_STEP = 0.2
SHRINK = 0.6
LEAST_SCALE = 0.3
LEAST_GAIN = 1e-4
CLIMB_ROUNDS = 5
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
    """Return each query's share of the whole: manifests alike, repositories alike, queries alike."""
    count = Counter((query.manifest, query.corpus) for query in queries)
    corpora = Counter(manifest for manifest, _ in count)
    return np.array(
        [1 / (len(corpora) * corpora[q.manifest] * count[q.manifest, q.corpus]) for q in queries], np.float64
    )


def climb(queries: Sequence[Ranked], fitted: Sequence[Column], weights: Floats) -> Floats:
    """Return (columns,) weights of a higher NDCG@10, found by moving one weight at a time."""
    start = np.array([column.start for column in fitted])
    steps = np.full(len(fitted), FIRST_STEP)
    shares = _shares(queries)

    def value_of(chosen: Floats) -> float:
        return float(sum(share * quality(query, chosen) for share, query in zip(shares, queries, strict=True)))

    best = value_of(weights)
    order = np.random.default_rng(0)
    for _ in range(CLIMB_ROUNDS):
        for i in order.permutation(len(fitted)):
            for direction in (1, -1):
                moved = weights.copy()
                moved[i] += direction * steps[i] * max(abs(weights[i]), LEAST_SCALE)
                if fitted[i].part == "base" and moved[i] * start[i] < 0:
                    continue
                value = value_of(moved)
                if value > best + LEAST_GAIN:
                    weights, best = moved, value
                    break
            else:
                steps[i] *= SHRINK
    return weights


def quality(query: Ranked, weights: Floats) -> float:
    """Return the query's NDCG@10, by files."""
    scores = query.features @ weights + query.fixed
    # Equal scores are in the order of the paths, which is that of the candidates.
    ranks: list[int | None] = [
        int((scores > scores[i]).sum() + (scores[:i] == scores[i]).sum()) + 1 for i in np.flatnonzero(query.is_target)
    ]
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


def without_history(queries: Sequence[Ranked], fitted: Sequence[Column]) -> list[Ranked]:
    """Return the queries for which past commits said something, as if they had not."""
    said = [i for i, column in enumerate(fitted) if column.signal == "history"]
    speaking = {query.manifest for query in queries if query.features[:, said].any()}
    copies = []
    for query in queries:
        if query.manifest in speaking:
            features = query.features.copy()
            features[:, said] = 0.0
            copies.append(replace(query, manifest=f"{query.manifest} without git", features=features))
    return copies


def fitted_weights(queries: Sequence[Ranked], fitted: Sequence[Column]) -> Floats:
    """Return the (columns,) weights that both steps lead to."""
    return climb(queries, fitted, fit(queries, fitted))


def main() -> None:
    """Collect, fit, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manifest", type=Path, action="append", required=True)
    parser.add_argument("--index-folder", type=Path, required=True, help="indexes are kept here and used again")
    parser.add_argument("--without", action="append", default=[], metavar="SIGNAL", help="leave a signal out")
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    fitted = [column for column in columns(CODE) if column.signal not in args.without]
    with closing(default_pipeline(git_history=True)) as pipeline:
        queries = [q for manifest in args.manifest for q in collect(manifest, pipeline, args.index_folder, fitted)]
    queries += without_history(queries, fitted)
    corpora = sorted({query.corpus for query in queries})
    shipped = np.array([column.start for column in fitted])
    others = {corpus: [query for query in queries if query.corpus != corpus] for corpus in corpora}
    with ProcessPoolExecutor(args.processes) as pool:
        whole = pool.submit(fitted_weights, queries, fitted)
        futures = {corpus: pool.submit(fitted_weights, rest, fitted) for corpus, rest in others.items()}
        everywhere, apart = whole.result(), {corpus: future.result() for corpus, future in futures.items()}
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
