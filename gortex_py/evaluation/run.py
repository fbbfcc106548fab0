"""Score an engine on labelled queries, and measure what its indexes cost."""

from __future__ import annotations

import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from gortex_py.errors import UsageError
from gortex_py.evaluation.memory import PeakMemory
from gortex_py.evaluation.metrics import DEPTH, Place, percentile, target_ranks
from gortex_py.evaluation.report import CorpusOutcome, EvaluationReport, QueryOutcome
from gortex_py.evaluation.tasks import CorpusTasks, Task, load_manifest
from gortex_py.types import Corpus, Query, SearchResult


class Searcher(Protocol):
    """Answers queries over one index."""

    def search(self, query: Query, /) -> SearchResult: ...


class Pipeline(Protocol):
    """Builds the index of one corpus in a folder, and opens it again."""

    @property
    def method(self) -> str:
        """What is measured, as a slug: the name of a result file begins with it."""

    def index(self, root: Path, folder: Path) -> int:
        """Bring the folder's index up to date with the root; returns the number of files in it."""

    def open(self, name: str, folder: Path) -> AbstractContextManager[Searcher]:
        """Open the folder's index for searching, under the name of its repository."""


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """How to evaluate."""

    index_folder: Path | None = None  # kept and reused, one folder a corpus; None is a temporary one
    only: tuple[str, ...] = ()  # names of corpora; empty is all
    ask: bool = True  # False: index only
    corpus: Corpus = Corpus.CODE  # what is searched
    corpora_folder: Path | None = None  # where relative roots lie; None is beside the manifest
    revision: str = ""  # of the engine, for the report


def evaluate(
    manifest: Path,
    pipeline: Pipeline,
    *,
    options: EvaluationOptions | None = None,
    progress: Callable[[str], None] | None = None,
) -> EvaluationReport:
    """Index every corpus of the manifest, ask its queries, and report.

    :raises UsageError: when the manifest is wrong or names none of the wanted corpora.
    """
    options = options or EvaluationOptions()
    say = progress or (lambda line: None)
    corpora = _wanted(load_manifest(manifest, options.corpora_folder), options.only)
    measured: list[_Measured] = []
    with _folder(options.index_folder) as folder, PeakMemory() as memory:
        for number, corpus in enumerate(corpora, 1):
            measured.append(_measure(corpus, pipeline, folder / corpus.name, options))
            say(f"[{number}/{len(corpora)}] {corpus.name}: indexed in {measured[-1].outcome.index_s:.2f} s")
    return EvaluationReport(
        method=pipeline.method if options.corpus is Corpus.CODE else f"{pipeline.method}-{options.corpus}",
        revision=options.revision,
        manifest=manifest.name,
        machine=machine(),
        measured=now(),
        cold=all(m.cold for m in measured),
        peak_rss_bytes=memory.peak_bytes,
        corpora=tuple(m.outcome for m in measured),
        outcomes=tuple(outcome for m in measured for outcome in m.queries),
        stages_ms=_stages([stages for m in measured for stages in m.stages]),
    )


def judge(corpus: CorpusTasks, task: Task, hits: Sequence[tuple[str, int, int]], *, elapsed_ms: float) -> QueryOutcome:
    """Return the outcome of one query from its hits: (path below the root, first line, last line), best first."""
    shown = [Place(str(corpus.root / path), start, end) for path, start, end in hits[:DEPTH]]
    return QueryOutcome(
        corpus=corpus.name,
        language=corpus.language,
        category=task.category,
        query=task.query,
        ranks=target_ranks(task.targets, shown),
        targets=tuple(_spelled(place, corpus.root) for place in task.targets),
        hits=tuple(_spelled(place, corpus.root) for place in shown),
        elapsed_ms=elapsed_ms,
    )


def machine() -> str:
    """Return a short description of this machine for a report."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def now() -> str:
    """Return this minute for a report."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%MZ")


@dataclass(frozen=True, slots=True)
class _Measured:
    outcome: CorpusOutcome
    queries: tuple[QueryOutcome, ...]
    stages: tuple[Mapping[str, float], ...]
    cold: bool


def _wanted(corpora: tuple[CorpusTasks, ...], only: tuple[str, ...]) -> tuple[CorpusTasks, ...]:
    if unknown := sorted(set(only) - {corpus.name for corpus in corpora}):
        raise UsageError(f"the manifest has no corpus {unknown[0]!r}; it has {', '.join(c.name for c in corpora)}")
    return tuple(corpus for corpus in corpora if not only or corpus.name in only)


@contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="gortex-eval-") as folder:
        yield Path(folder)


def _measure(corpus: CorpusTasks, pipeline: Pipeline, folder: Path, options: EvaluationOptions) -> _Measured:
    cold = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    files = pipeline.index(corpus.root, folder)
    index_s = time.perf_counter() - started
    first_ms, queries, stages = _ask(corpus, pipeline, folder, options.corpus) if options.ask else (0.0, (), ())
    outcome = CorpusOutcome(
        name=corpus.name,
        language=corpus.language,
        pinned=corpus.pinned,
        missing=corpus.missing,
        files=files,
        index_s=index_s,
        index_bytes=sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()),
        first_query_ms=first_ms,
    )
    return _Measured(outcome, queries, stages, cold)


def _ask(
    corpus: CorpusTasks, pipeline: Pipeline, folder: Path, searched: Corpus
) -> tuple[float, tuple[QueryOutcome, ...], tuple[Mapping[str, float], ...]]:
    outcomes = []
    stages = []
    started = time.perf_counter()
    with pipeline.open(corpus.name, folder) as searcher:
        # The first answer pays for opening and for filling caches once. It is reported by itself;
        # among the query times it would alone decide the 95th percentile of a small corpus.
        searcher.search(Query(corpus.tasks[0].query, searched, limit=DEPTH))
        first_ms = (time.perf_counter() - started) * 1e3
        for task in corpus.tasks:
            asked = time.perf_counter()
            result = searcher.search(Query(task.query, searched, limit=DEPTH))
            elapsed_ms = (time.perf_counter() - asked) * 1e3
            hits = [(hit.path, hit.start_line, hit.end_line) for hit in result.hits]
            outcomes.append(judge(corpus, task, hits, elapsed_ms=elapsed_ms))
            stages.append(result.elapsed_ms)
    return first_ms, tuple(outcomes), tuple(stages)


def _stages(measured: Sequence[Mapping[str, float]]) -> dict[str, tuple[float, float]]:
    names = dict.fromkeys(stage for stages in measured for stage in stages)
    times = {name: [stages[name] for stages in measured if name in stages] for name in names}
    return {name: (round(percentile(ms, 50), 3), round(percentile(ms, 95), 3)) for name, ms in times.items()}


def _spelled(place: Place, root: Path) -> str:
    path = Path(place.path)
    name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
    return name if place.start_line is None else f"{name}:{place.start_line}-{place.end_line}"
