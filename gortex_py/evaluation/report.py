"""What an evaluation found: records, their JSON, their text table.

A corpus's score is the mean over its queries and the headline the mean over corpora, so that a
corpus with many queries weighs no more than one with few. A category's score is the mean over
its queries, a language's the mean over its corpora.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from gortex_py.errors import UsageError
from gortex_py.evaluation.metrics import mean, ndcg_at_k, percentile, recall_at_k, reciprocal_rank
from gortex_py.types import JsonObject

RESULT_FORMAT = 1
"""Version of the result file; a reader refuses another."""


@dataclass(frozen=True, slots=True)
class QueryOutcome:
    """What one query brought."""

    corpus: str
    language: str
    category: str
    query: str
    ranks: tuple[int | None, ...]  # one a target, 1-based
    targets: tuple[str, ...]  # "path" or "path:start-end"; below the corpus's root relative to it, else absolute
    hits: tuple[str, ...]  # "path:start-end", relative to the corpus's root, best first
    elapsed_ms: float  # a repeated query's time, caches warm

    @property
    def ndcg(self) -> float:
        return ndcg_at_k(self.ranks)


@dataclass(frozen=True, slots=True)
class Scores:
    """Means over queries, or over corpora of such means."""

    queries: int
    ndcg: float  # at 10
    mrr: float
    recall_at_1: float
    recall_at_5: float
    recall_at_10: float


@dataclass(frozen=True, slots=True)
class CorpusOutcome:
    """What one corpus cost, beside what its queries brought."""

    name: str
    language: str
    pinned: bool  # False: the tree differs from the labelled one
    missing: tuple[str, ...]  # targets that are not on disk
    files: int  # indexed
    index_s: float
    index_bytes: int
    first_query_ms: float  # opening the index and its first answer


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """A whole evaluation; everything else is derived from these."""

    method: str
    revision: str  # of the engine, "" when unknown
    manifest: str  # its file name
    machine: str
    measured: str  # when, ISO 8601 in UTC; orders results of one method
    cold: bool  # False: at least one index was there before, so the index seconds say nothing
    peak_rss_bytes: int  # of the process with its workers
    corpora: tuple[CorpusOutcome, ...]
    outcomes: tuple[QueryOutcome, ...]
    stages_ms: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # stage -> (p50, p95)

    @property
    def by_corpus(self) -> dict[str, Scores]:
        return _grouped(self.outcomes, lambda outcome: outcome.corpus)

    @property
    def by_category(self) -> dict[str, Scores]:
        return dict(sorted(_grouped(self.outcomes, lambda outcome: outcome.category).items()))

    @property
    def by_language(self) -> dict[str, Scores]:
        scores = self.by_corpus
        languages = sorted({c.language for c in self.corpora})
        return {
            language: _mean_scores(
                [scores[c.name] for c in self.corpora if c.language == language and c.name in scores]
            )
            for language in languages
        }

    @property
    def overall(self) -> Scores:
        return _mean_scores(list(self.by_corpus.values()))

    @property
    def index_s(self) -> float:
        return sum(corpus.index_s for corpus in self.corpora)

    @property
    def index_bytes(self) -> int:
        return sum(corpus.index_bytes for corpus in self.corpora)

    def query_ms(self, percent: float) -> float:
        """Return a percentile of the query times in milliseconds."""
        return percentile((outcome.elapsed_ms for outcome in self.outcomes), percent)


def score_outcomes(outcomes: Sequence[QueryOutcome]) -> Scores:
    """Return the means over queries."""
    return Scores(
        queries=len(outcomes),
        ndcg=mean(ndcg_at_k(o.ranks) for o in outcomes),
        mrr=mean(reciprocal_rank(o.ranks) for o in outcomes),
        recall_at_1=mean(recall_at_k(o.ranks, 1) for o in outcomes),
        recall_at_5=mean(recall_at_k(o.ranks, 5) for o in outcomes),
        recall_at_10=mean(recall_at_k(o.ranks, 10) for o in outcomes),
    )


def _grouped(outcomes: Iterable[QueryOutcome], key: Callable[[QueryOutcome], str]) -> dict[str, Scores]:
    groups: dict[str, list[QueryOutcome]] = {}
    for outcome in outcomes:
        groups.setdefault(key(outcome), []).append(outcome)
    return {name: score_outcomes(group) for name, group in groups.items()}


def _mean_scores(scores: Sequence[Scores]) -> Scores:
    return Scores(
        queries=sum(s.queries for s in scores),
        **{f.name: mean(getattr(s, f.name) for s in scores) for f in fields(Scores) if f.name != "queries"},
    )


# --- JSON ---------------------------------------------------------------------------------


def report_to_json(report: EvaluationReport) -> JsonObject:
    """Return the report with its derived figures, ready for a JSON encoder."""
    raw = asdict(report)
    for stored, outcome in zip(raw["outcomes"], report.outcomes, strict=True):
        stored["ndcg"] = round(outcome.ndcg, 6)
        stored["elapsed_ms"] = round(outcome.elapsed_ms, 3)
    summary = {
        "overall": asdict(report.overall),
        "by_category": {name: asdict(scores) for name, scores in report.by_category.items()},
        "by_language": {name: asdict(scores) for name, scores in report.by_language.items()},
        "by_corpus": {name: asdict(scores) for name, scores in report.by_corpus.items()},
        "index_s": report.index_s if report.cold else None,
        "index_bytes": report.index_bytes,
        "query_p50_ms": report.query_ms(50),
        "query_p95_ms": report.query_ms(95),
    }
    return {"format": RESULT_FORMAT, "summary": _rounded(summary), **raw}


def report_from_json(raw: Any) -> EvaluationReport:
    """Return the report that ``report_to_json`` wrote.

    :raises UsageError: when it is something else.
    """
    if not isinstance(raw, Mapping) or raw.get("format") != RESULT_FORMAT:
        raise UsageError(f"not an evaluation result of format {RESULT_FORMAT}")
    try:
        return EvaluationReport(
            corpora=tuple(_record(CorpusOutcome, c) for c in raw["corpora"]),
            outcomes=tuple(_record(QueryOutcome, o) for o in raw["outcomes"]),
            stages_ms={stage: (low, high) for stage, (low, high) in raw["stages_ms"].items()},
            **{
                name: raw[name]
                for name in ("method", "revision", "manifest", "machine", "measured", "cold", "peak_rss_bytes")
            },
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"a damaged evaluation result: {error!r}") from error


def _record(kind: Callable[..., Any], raw: Mapping[str, Any]) -> Any:
    known = {f.name for f in fields(kind)}  # type: ignore[arg-type]
    return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in raw.items() if k in known})


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 5)
    return {key: _rounded(item) for key, item in value.items()} if isinstance(value, dict) else value


# --- text ---------------------------------------------------------------------------------


def format_report(report: EvaluationReport) -> str:
    """Return the report as text for a terminal: headline, then a table by corpus, category and language."""
    cost = {corpus.name: corpus for corpus in report.corpora}
    lines = [_headline(report), "", _row("corpus", "queries", "NDCG@10", "MRR", "R@1", "R@5", "index s", "files")]
    for name, scores in report.by_corpus.items():
        seconds = f"{cost[name].index_s:.2f}" if report.cold else "-"
        lines.append(_score_row(name + ("" if cost[name].pinned else " *"), scores, seconds, str(cost[name].files)))
    for title, groups in (("category", report.by_category), ("language", report.by_language)):
        lines += ["", _row(title, "queries", "NDCG@10", "MRR", "R@1", "R@5")]
        lines += [_score_row(name, scores) for name, scores in groups.items()]
    if report.stages_ms:
        lines += ["", _row("stage", "p50 ms", "p95 ms")]
        lines += [_row(stage, f"{low:.2f}", f"{high:.2f}") for stage, (low, high) in report.stages_ms.items()]
    lines += _notes(report)
    return "\n".join(lines)


def _headline(report: EvaluationReport) -> str:
    overall = report.overall
    built = f"{report.index_s:.2f} s" if report.cold else "not measured (an index was there)"
    return "\n".join(
        [
            f"{report.method} {report.revision} on {report.manifest}, {report.machine}".replace("  ", " "),
            f"NDCG@10 {overall.ndcg:.4f} over {len(report.corpora)} corpora, {overall.queries} queries"
            f" (MRR {overall.mrr:.4f}, R@1 {overall.recall_at_1:.4f}, R@5 {overall.recall_at_5:.4f})",
            f"cold index {built}, {report.index_bytes / 1e6:.1f} MB on disk;"
            f" query p50 {report.query_ms(50):.1f} ms, p95 {report.query_ms(95):.1f} ms;"
            f" resident peak {report.peak_rss_bytes / 1e6:.0f} MB",
        ]
    )


def _notes(report: EvaluationReport) -> list[str]:
    lines = []
    if any(not corpus.pinned for corpus in report.corpora):
        lines += ["", "* not the labelled revision"]
    for corpus in report.corpora:
        if corpus.missing:
            lines.append(f"{corpus.name}: {len(corpus.missing)} targets are not on disk, e.g. {corpus.missing[0]}")
    return lines


def _score_row(name: str, scores: Scores, *more: str) -> str:
    figures = (scores.ndcg, scores.mrr, scores.recall_at_1, scores.recall_at_5)
    return _row(name, str(scores.queries), *(f"{figure:.4f}" for figure in figures), *more)


def _row(name: str, *cells: str) -> str:
    return f"{name:<20}" + "".join(f"{cell:>9}" for cell in cells)
