"""The write path on one screen: walk, census, analyse, write, embed, report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, time_ns

from gortex_py.chunk import ChunkOptions
from gortex_py.errors import NotFound
from gortex_py.index.analyze import ANALYSIS_VERSION
from gortex_py.index.enrich import Enricher, enrich
from gortex_py.index.survey import Survey, survey
from gortex_py.index.vectors import VectorBuild
from gortex_py.index.workers import Analyzed, Outcome, Task, Unchanged, WorkerPool, divide_task
from gortex_py.protocols import Embedder, IndexStore, StoreWriter
from gortex_py.source.walk import SourceTree, WalkOptions
from gortex_py.types import FileStat, IndexReport, PackedFile, Problem, Skipped

# A commit each: large enough that commits cost little, small enough that a reader soon sees new
# files, a kill loses seconds of work, and memory stays flat.
BATCH_FILES = 400
BATCH_BYTES = 4 * 1024 * 1024
# A pass of fewer files leaves the text tables in a handful of segments, which look-ups do not notice.
OPTIMIZE_FILES = 2_000


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """What decides the content of an index."""

    walk: WalkOptions = field(default_factory=WalkOptions)
    chunks: ChunkOptions = field(default_factory=ChunkOptions)

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same files would give other rows."""
        return f"analysis-{ANALYSIS_VERSION}/threshold-{self.chunks.threshold_lines}/window-{self.chunks.window_lines}"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a pass is."""

    stage: str  # "walk", "analyze", "optimize", "enrich", "done"
    done: int  # files
    total: int


@dataclass
class _Tally:
    """What a pass has done so far."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0  # read, and found to be as before
    degraded: int = 0
    finished: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    problems: tuple[Problem, ...] = ()  # of what is made after the files


class Indexer:
    """Keeps one repository's index equal to its files. Used from the writer's thread only."""

    def __init__(
        self,
        root: Path,
        store: IndexStore,
        embedder: Embedder | None,
        options: IndexOptions | None = None,
        *,
        pool: WorkerPool | None = None,
        enrichers: Sequence[Enricher] = (),
    ) -> None:
        self.root = root
        self.options = options or IndexOptions()
        self._store = store
        self._embedder = embedder
        self._pool = pool or WorkerPool()
        self._owns_pool = pool is None
        self._enrichers = enrichers

    def run(
        self,
        changed: Collection[str] | None = None,
        *,
        progress: Callable[[Progress], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> IndexReport:
        """Bring the index up to the files and report; what was committed before a cancel stays.

        :param changed: relative paths of files or folders that may have changed, None for all
        :param cancelled: asked after each file; True ends the pass with what it has so far
        :raises NotFound: when the root is not there, or goes away; what was committed stays
        """
        started, began_ns = perf_counter(), time_ns()
        tell, is_cancelled = progress or (lambda _: None), cancelled or (lambda: False)
        tell(Progress("walk", 0, 0))
        tree = SourceTree(self.root, self.options.walk)
        root = _identity(self.root)
        writer = self._store.writer()
        # Without a vector for every unit (a new embedder), all texts are needed once more.
        reread = changed is None and self._embedder is not None and bool(writer.missing_vectors(1))
        with closing(self._store.reader()) as reader:
            plan = survey(
                tree,
                reader.digests(),
                reader.skipped(),
                changed,
                verified_at_ns=reader.verified_at_ns(),
                reread=reread,
            )
        vectors = VectorBuild(self._embedder)
        tally = _Tally()
        self._must_be(root)
        for batch in _batches(self._analyse(plan, reread=reread), is_cancelled):
            self._must_be(root)
            with writer.batch():
                if not plan.known:
                    # Nothing indexed is older than this pass: if it is interrupted, the next goes on from here.
                    writer.set_verified(began_ns)
                self._write(batch, plan, writer, vectors, tally)
            tell(Progress("analyze", tally.finished, len(plan.to_read)))
            if is_cancelled():
                break
        else:
            self._finish(plan, writer, tally)
            if changed is None:
                with writer.batch():
                    writer.set_verified(began_ns)
            if tally.added + tally.changed >= OPTIMIZE_FILES:
                tell(Progress("optimize", tally.finished, len(plan.to_read)))
                writer.optimize()
            if self._enrichers:
                tell(Progress("enrich", tally.finished, len(plan.to_read)))
            tally.problems = enrich(self._store, self._enrichers, thorough=changed is None)
        tell(Progress("done", tally.finished, len(plan.to_read)))
        return _report(plan, tally, vectors, (perf_counter() - started) * 1000)

    def close(self) -> None:
        """End the worker processes, unless the pool was given from outside."""
        if self._owns_pool:
            self._pool.close()

    def _must_be(self, root: tuple[int, int] | None) -> None:
        """Refuse to write what was seen of a root that went away meanwhile: it would look like deleted files.

        :raises NotFound: when it is gone, or something else is in its place.
        """
        if root is None or _identity(self.root) != root:
            raise NotFound(f"the folder {self.root} went away during the pass", code="no-such-folder")

    def _analyse(self, plan: Survey, *, reread: bool) -> Iterator[Outcome]:
        known = () if reread else plan.to_read
        task = Task(
            self.root,
            plan.to_read,
            self.options.walk.max_file_bytes,
            self.options.chunks,
            self._store.pack,
            {stat.path: plan.known[stat.path].digest for stat in known if stat.path in plan.known},
        )
        return self._pool.run(divide_task(task))

    def _write(
        self, batch: Sequence[Outcome], plan: Survey, writer: StoreWriter, vectors: VectorBuild, tally: _Tally
    ) -> None:
        """Write a batch. Paths that are gone leave with the first one, so a renamed file is never missing."""
        if not tally.finished:
            writer.delete_files(plan.gone)
        for outcome in batch:
            tally.finished += 1
            if isinstance(outcome, Skipped):
                tally.skipped.append(outcome)
                writer.delete_files([outcome.path])
            elif isinstance(outcome, Unchanged):
                tally.unchanged += 1
                writer.touch_files([outcome.stat])
            else:
                self._replace(outcome.file, plan, writer, tally)
                vectors.offer(outcome.file.text_hashes, outcome.unit_texts)
        vectors.flush(writer)

    def _replace(self, file: PackedFile, plan: Survey, writer: StoreWriter, tally: _Tally) -> None:
        known, read = plan.known.get(file.file.path), file.file
        if known is None:
            tally.added += 1
        elif known.digest == read.digest:
            tally.unchanged += 1
            writer.touch_files([FileStat(read.path, read.size_bytes, read.mtime_ns)])
            return
        else:
            tally.changed += 1
        tally.degraded += file.degraded is not None
        writer.replace_file(file)

    def _finish(self, plan: Survey, writer: StoreWriter, tally: _Tally) -> None:
        """Commit what is known only at the end of a pass: deletions without additions, the skipped."""
        with writer.batch():
            if not tally.finished:
                writer.delete_files(plan.gone)
            writer.set_skipped([*plan.skipped, *tally.skipped])


def _identity(root: Path) -> tuple[int, int] | None:
    try:
        status = root.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _batches(outcomes: Iterator[Outcome], is_cancelled: Callable[[], bool]) -> Iterator[list[Outcome]]:
    held: list[Outcome] = []
    size = 0
    for outcome in outcomes:
        held.append(outcome)
        size += outcome.file.file.size_bytes if isinstance(outcome, Analyzed) else 0
        if len(held) >= BATCH_FILES or size >= BATCH_BYTES or is_cancelled():
            yield held
            held, size = [], 0
    if held:
        yield held


def _report(plan: Survey, tally: _Tally, vectors: VectorBuild, elapsed_ms: float) -> IndexReport:
    return IndexReport(
        added=tally.added,
        changed=tally.changed,
        deleted=len(plan.gone),
        unchanged=plan.unchanged + tally.unchanged,
        degraded=tally.degraded,
        skipped=Counter(entry.reason for entry in (*plan.skipped, *tally.skipped)),
        embedded=vectors.embedded,
        dropped_vectors=vectors.dropped,
        problems=(*plan.problems, *vectors.problems, *tally.problems),
        elapsed_ms=elapsed_ms,
    )
