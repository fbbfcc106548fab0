"""Do one thing with every corpus of a manifest, over indexes that are built once."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from gortex_py.errors import UsageError
from gortex_py.evaluation.pipeline import LocalPipeline
from gortex_py.evaluation.tasks import CorpusTasks, load_manifest

ResultT = TypeVar("ResultT")
MakePipeline = Callable[[], LocalPipeline]


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """Which corpora, and how."""

    index_folder: Path | None = None  # kept and reused, a folder a manifest and corpus; None is a temporary one
    only: tuple[str, ...] = ()  # names of corpora; empty is all
    processes: int = 1  # of their own for the work; 1 does it in this one


def each_corpus(
    manifests: Sequence[Path],
    make_pipeline: MakePipeline,
    work: Callable[[CorpusTasks, LocalPipeline, Path], ResultT],
    *,
    options: CorpusOptions | None = None,
    progress: Callable[[str], None] | None = None,
) -> list[list[tuple[CorpusTasks, ResultT]]]:
    """Index every wanted corpus, then do the work on each; returns the results by manifest, in its order.

    :param make_pipeline: called in each process; like ``work`` it must pickle where there are several
    :param work: gets the corpus, a pipeline and the folder of the corpus's index
    :raises UsageError: when a manifest is wrong, or none has a wanted corpus
    """
    options = options or CorpusOptions()
    say = progress or (lambda line: None)
    wanted = _wanted(manifests, options.only)
    with _folder(options.index_folder) as top:
        jobs = [(c, top / manifest.stem / c.name) for manifest, corpora in wanted for c in corpora]
        with closing(make_pipeline()) as pipeline:
            for number, (corpus, folder) in enumerate(jobs, 1):
                folder.mkdir(parents=True, exist_ok=True)
                pipeline.index(corpus.root, folder)
                say(f"[{number}/{len(jobs)}] {corpus.name}: indexed")
        results = []
        for number, result in enumerate(_run(jobs, partial(_work, make_pipeline, work), options.processes), 1):
            results.append(result)
            say(f"[{number}/{len(jobs)}] {jobs[number - 1][0].name}: asked")
    done = iter(results)
    return [[(corpus, next(done)) for corpus in corpora] for _, corpora in wanted]


def _run(
    jobs: Sequence[tuple[CorpusTasks, Path]], work: Callable[[tuple[CorpusTasks, Path]], ResultT], processes: int
) -> Iterator[ResultT]:
    if processes < 2:
        yield from map(work, jobs)
        return
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(work, jobs)


def _work(
    make_pipeline: MakePipeline,
    work: Callable[[CorpusTasks, LocalPipeline, Path], ResultT],
    job: tuple[CorpusTasks, Path],
) -> ResultT:
    with closing(make_pipeline()) as pipeline:
        return work(job[0], pipeline, job[1])


def _wanted(manifests: Sequence[Path], only: tuple[str, ...]) -> list[tuple[Path, tuple[CorpusTasks, ...]]]:
    loaded = [(path, load_manifest(path)) for path in manifests]
    names = {corpus.name for _, corpora in loaded for corpus in corpora}
    if unknown := sorted(set(only) - names):
        raise UsageError(f"no manifest has a corpus {unknown[0]!r}; there are {', '.join(sorted(names))}")
    return [(path, tuple(c for c in corpora if not only or c.name in only)) for path, corpora in loaded]


@contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    if given is not None:
        yield given
        return
    with TemporaryDirectory(prefix="gortex-eval-") as folder:
        yield Path(folder)
