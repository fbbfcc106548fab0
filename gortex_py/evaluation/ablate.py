"""Measure what each feature of the ranking brings, by searching without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from gortex_py.evaluation.compare import Difference, difference_of
from gortex_py.evaluation.corpora import CorpusOptions, MakePipeline, each_corpus
from gortex_py.evaluation.features import Feature, find_features
from gortex_py.evaluation.metrics import DEPTH, mean
from gortex_py.evaluation.pipeline import LocalPipeline
from gortex_py.evaluation.results import result_path, write_result
from gortex_py.evaluation.run import judge, machine, now
from gortex_py.evaluation.tasks import CorpusTasks
from gortex_py.types import JsonObject, Query, SearchResult

METHOD = "ablation"
Place = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Effect:
    """What a manifest's queries bring when one feature is switched."""

    ndcg: float  # mean over corpora, as the headline of an evaluation
    difference: Difference  # to the ranking as shipped


@dataclass(frozen=True, slots=True)
class Ablated:
    """One manifest under every switch."""

    manifest: str  # its file name
    corpora: int
    queries: int
    ndcg: float  # as shipped
    effects: dict[str, Effect]  # by the feature's name


@dataclass(frozen=True, slots=True)
class Ablation:
    """A whole ablation; it holds no query's text."""

    machine: str
    measured: str
    features: tuple[Feature, ...]
    manifests: tuple[Ablated, ...]


def ablate(
    manifests: Sequence[Path],
    make_pipeline: MakePipeline,
    *,
    features: Sequence[str] = (),
    options: CorpusOptions | None = None,
    progress: Callable[[str], None] | None = None,
) -> Ablation:
    """Ask the manifests' queries as shipped and with each feature switched, over one index a corpus.

    :param features: names of features or signals; empty is every feature
    :raises UsageError: when a manifest is wrong, or there is no such feature or corpus
    """
    chosen = find_features(features)
    work = partial(_ask, [feature.name for feature in chosen])
    measured = each_corpus(manifests, make_pipeline, work, options=options, progress=progress)
    return Ablation(
        machine=machine(),
        measured=now(),
        features=chosen,
        manifests=tuple(
            _ablated(path.name, chosen, [scores for _, scores in corpora])
            for path, corpora in zip(manifests, measured, strict=True)
            if corpora
        ),
    )


def spread(result: SearchResult) -> Iterator[Place]:
    """Give the places of an answer with those that stand under a hit right after it."""
    for hit in result.hits:
        yield hit.path, hit.start_line, hit.end_line
        for place in hit.also:
            yield hit.path, place.start_line, place.end_line


def _ask(names: Sequence[str], corpus: CorpusTasks, pipeline: LocalPipeline, folder: Path) -> list[list[float]]:
    """Return the NDCG of each query as shipped, then under each feature: one list a way of searching."""
    features = find_features(names)
    ways = [pipeline.search_options, *(feature.change(pipeline.search_options) for feature in features)]
    scores: list[list[float]] = [[] for _ in ways]
    with pipeline.open_variants(corpus.name, folder, ways) as engines:
        for task in corpus.tasks:
            # Query by query, so that what the reader keeps of the last one serves all ways.
            for way, engine in enumerate(engines):
                result = engine.search(Query(task.query, limit=DEPTH))
                spreads = way > 0 and features[way - 1].spreads
                hits = spread(result) if spreads else ((h.path, h.start_line, h.end_line) for h in result.hits)
                scores[way].append(judge(corpus, task, list(islice(hits, DEPTH)), elapsed_ms=0.0).ndcg)
    return scores


def _ablated(manifest: str, features: Sequence[Feature], corpora: Sequence[list[list[float]]]) -> Ablated:
    shipped = [scores[0] for scores in corpora]
    effects = {}
    for way, feature in enumerate(features, 1):
        changes = [[after - before for before, after in zip(scores[0], scores[way], strict=True)] for scores in corpora]
        effects[feature.name] = Effect(mean(mean(scores[way]) for scores in corpora), difference_of(changes))
    queries = sum(len(scores) for scores in shipped)
    return Ablated(manifest, len(corpora), queries, mean(mean(scores) for scores in shipped), effects)


# --- text and JSON ------------------------------------------------------------------------


def ablation_to_json(ablation: Ablation, revision: str) -> JsonObject:
    """Return the ablation of a revision of the engine ready for a JSON encoder."""
    return {
        "method": METHOD,
        "revision": revision,
        "machine": ablation.machine,
        "measured": ablation.measured,
        "manifests": [
            {"manifest": m.manifest, "corpora": m.corpora, "queries": m.queries, "ndcg": round(m.ndcg, 5)}
            for m in ablation.manifests
        ],
        "features": [
            {
                "name": feature.name,
                "help": feature.help,
                "added": feature.is_added,
                "effects": {m.manifest: _effect_to_json(m.effects[feature.name]) for m in ablation.manifests},
            }
            for feature in ablation.features
        ],
    }


def _effect_to_json(effect: Effect) -> JsonObject:
    figures = asdict(effect.difference)
    return {"ndcg": round(effect.ndcg, 5)} | {
        key: round(value, 5) if isinstance(value, float) else value for key, value in figures.items()
    }


def save_ablation(ablation: Ablation, folder: Path, *, revision: str) -> Path:
    """Write the ablation by its commit; returns the file.

    :raises Conflict: when that commit has one already.
    """
    return write_result(ablation_to_json(ablation, revision), result_path(folder, METHOD, revision))


def format_ablation(ablation: Ablation) -> str:
    """Return the ablation as text for a terminal; a star marks an interval without zero."""
    shown = ablation.manifests
    lines = [f"{m.manifest}: NDCG@10 {m.ndcg:.4f} over {m.corpora} corpora, {m.queries} queries" for m in shown]
    lines += ["", _row("feature", [m.manifest for m in shown])]
    for feature in ablation.features:
        name = f"{'with' if feature.is_added else 'without'} {feature.name}"
        lines.append(_row(name, [_cell(m.effects[feature.name]) for m in shown]))
    return "\n".join(lines)


def _row(name: str, cells: Sequence[str]) -> str:
    return (f"{name:<32}" + "".join(f"{cell:<36}" for cell in cells)).rstrip()


def _cell(effect: Effect) -> str:
    d = effect.difference
    return f"{effect.ndcg:.4f}  {d.mean:+.4f} [{d.low:+.4f}, {d.high:+.4f}]{' *' if d.is_sure else ''}"
