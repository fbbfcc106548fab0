"""Records to JSON-able dicts. Rounding is decided here only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gortex_py.service.feedback import Taken
from gortex_py.service.memory import MemoryRow
from gortex_py.service.questions import Answer, IndexInfo, SymbolSource
from gortex_py.service.readiness import Health
from gortex_py.service.repositories import Repository
from gortex_py.service.status import RepositoryStatus, SkippedGroup
from gortex_py.types import Contribution, Hit, HitSpan, IndexReport, JsonObject, QueryAdvice, QueryShape

SCORE_PLACES = 12  # enough that contributions sum to the score
TIME_PLACES = 3


def answer_json(answer: Answer) -> JsonObject:
    """Return the body of a search answer."""
    result = answer.result
    return {
        "query": text(result.query.text),
        "results": [hit_json(hit, explain=result.query.explain) for hit in result.hits],
        "total": int(result.total),
        "query_shape": shape_json(result.shape),
        "query_advice": advice_json(result.shape.advice),
        "warnings": [text(warning) for warning in result.warnings],
        "index": index_json(answer.index),
        "elapsed_ms": elapsed_json(result.elapsed_ms),
    }


def hit_json(hit: Hit, *, explain: bool) -> JsonObject:
    """Return one hit; its contributions only when asked for."""
    body: JsonObject = {
        "repo": hit.repo,
        "path": text(hit.path),
        "start_line": int(hit.start_line),
        "end_line": int(hit.end_line),
        "symbol": hit.symbol,
        "qualified_name": hit.qualified_name,
        "kind": hit.kind.value if hit.kind else None,
        "language": hit.language,
        "score": score(hit.score),
        "snippet": text(hit.snippet),
        "highlights": [[int(start), int(end)] for start, end in hit.highlights],
        "also": [_also_json(span) for span in hit.also],
        "id": hit.symbol_id,
    }
    if explain:
        body["contributions"] = [_contribution_json(contribution) for contribution in hit.contributions]
    return body


def shape_json(shape: QueryShape) -> JsonObject:
    """Return what was made of a query."""
    return {
        "class": shape.query_class.value,
        "alpha": score(shape.alpha),
        "identifier_density": score(shape.identifier_density),
        "soup_terms": list(shape.soup_terms),
    }


def advice_json(advice: QueryAdvice | None) -> JsonObject | None:
    """Return how a query would be better asked, or None."""
    return None if advice is None else {"reason": advice.reason, "split_into": list(advice.split_into)}


def index_json(index: IndexInfo) -> JsonObject:
    """Return the state of the index behind an answer."""
    return {"generation": index.generation, "age_s": seconds(index.age_s), "state": index.state.value}


def elapsed_json(elapsed_ms: Mapping[str, float]) -> JsonObject:
    """Return milliseconds by stage."""
    return {stage: round(float(ms), TIME_PLACES) for stage, ms in elapsed_ms.items()}


def symbol_json(found: SymbolSource) -> JsonObject:
    """Return a definition with its source."""
    symbol = found.stored.symbol
    return {
        "repo": found.repo,
        "id": text(symbol.id),
        "kind": symbol.kind.value,
        "symbol": symbol.name,
        "qualified_name": symbol.qualified_name,
        "path": text(symbol.path),
        "language": found.language,
        "start_line": symbol.span.start_line,
        "end_line": symbol.span.end_line,
        "name_line": symbol.name_line,
        "signature": text(symbol.signature),
        "doc": text(symbol.doc),
        "source": text(found.source),
    }


def feedback_json(taken: Taken) -> JsonObject:
    """Return what feedback taught."""
    found = taken.found
    return {
        "repo": found.repo,
        "path": text(found.place.path),
        "symbol": text(found.place.symbol) or None,
        "id": None if found.symbol_id is None else text(found.symbol_id),
        "query": text(taken.given.query),
        "useful": taken.given.useful,
        "selections": taken.selections,
    }


def association_json(row: MemoryRow) -> JsonObject:
    """Return one association of the task memory."""
    remembered, association = row.remembered, row.remembered.association
    return {
        "repo": remembered.repo,
        "scope": "query" if remembered.scope.name == "WHOLE" else "keyword",
        "key": text(remembered.key),
        "path": text(remembered.place.path),
        "symbol": text(remembered.place.symbol) or None,
        "selections": association.selections,
        "hits": round(association.hits, TIME_PLACES),
        "misses": round(association.misses, TIME_PLACES),
        "last_used": seconds(association.last_used),
        "lift": round(row.lift, TIME_PLACES),
    }


def removed_json(repository: Repository) -> JsonObject:
    """Return what was untracked."""
    return {"name": repository.name, "path": text(repository.path), "removed": True}


def repository_json(status: RepositoryStatus) -> JsonObject:
    """Return a repository's row."""
    health = status.health
    return {
        "name": status.name,
        "path": text(status.path),
        "state": health.state.value,
        "reason": None if health.reason is None else text(health.reason),
        "progress": _progress_json(health),
        "busy": status.is_busy,
        "files": int(health.files),
        "symbols": int(health.symbols),
        "generation": int(health.generation),
        "age_s": seconds(status.age_s),
        "watch": status.watch,
        "degraded": [{"part": part, "reason": text(sentence)} for part, sentence in health.degraded],
    }


def repository_detail_json(status: RepositoryStatus) -> JsonObject:
    """Return a repository's row with what only its index can tell."""
    stats = status.stats
    return {
        **repository_json(status),
        "added_at": round(status.added, TIME_PLACES),
        "units": None if stats is None else int(stats.units),
        "vectors": None if stats is None else int(stats.vectors),
        "database_bytes": None if stats is None else int(stats.database_bytes),
        "vector_bytes": None if stats is None else int(stats.vector_bytes),
        "skipped": {group.reason: _skipped_json(group) for group in status.skipped},
        "last_pass": None if status.health.last_pass is None else report_json(status.health.last_pass),
    }


def report_json(report: IndexReport) -> JsonObject:
    """Return what one pass did."""
    return {
        "added": report.added,
        "changed": report.changed,
        "deleted": report.deleted,
        "unchanged": report.unchanged,
        "degraded": report.degraded,
        "skipped": {reason.value: count for reason, count in report.skipped.items()},
        "embedded": report.embedded,
        "dropped_vectors": report.dropped_vectors,
        "problems": [{"where": text(problem.where), "what": text(problem.what)} for problem in report.problems[:50]],
        "elapsed_ms": round(report.elapsed_ms, TIME_PLACES),
    }


def score(value: float) -> float:
    """Return a score to the places that are shown."""
    return round(float(value), SCORE_PLACES)


def seconds(value: float | None) -> float | None:
    """Return a time to the places that are shown."""
    return None if value is None else round(float(value), TIME_PLACES)


def text(value: str) -> str:
    r"""Return text that JSON can carry; bytes of a name that are not UTF-8 are shown escaped.

    >>> text("caf\udce9")
    'caf\\udce9'
    """
    return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")


def _also_json(span: HitSpan) -> JsonObject:
    return {
        "start_line": int(span.start_line),
        "end_line": int(span.end_line),
        "symbol": span.symbol,
        "kind": span.kind.value if span.kind else None,
    }


def _contribution_json(contribution: Contribution) -> JsonObject:
    return {
        "signal": contribution.signal,
        "raw": score(contribution.raw),
        "weight": score(contribution.weight),
        "score": score(contribution.score),
    }


def _progress_json(health: Health) -> JsonObject | None:
    progress = health.progress
    return None if progress is None else {"stage": progress.stage, "done": progress.done, "total": progress.total}


def _skipped_json(group: SkippedGroup) -> JsonObject:
    return {"count": group.count, "examples": _examples_json(group)}


def _examples_json(group: SkippedGroup) -> Sequence[JsonObject]:
    return [{"path": text(entry.path), "detail": text(entry.detail)} for entry in group.examples]
