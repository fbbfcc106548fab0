"""What the daemon does, apart from any surface: track, index, watch, search, report, stop.

Control calls only note what is to be done and return; searches run on threads of their own and
read the last committed state; everything that writes an index happens on the writer thread.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from gortex_py.errors import GortexError, NotFound, UsageError
from gortex_py.service.events import EventBus
from gortex_py.service.feedback import Feedback, Taken
from gortex_py.service.jobs import WriterThread
from gortex_py.service.memory import DATABASE_NAME as MEMORY_NAME
from gortex_py.service.memory import MemoryDesk
from gortex_py.service.passes import Passes
from gortex_py.service.questions import Answer, Desk, Questions, SymbolSource
from gortex_py.service.readiness import Health, Readiness
from gortex_py.service.repositories import Registry, Repository
from gortex_py.service.searchers import SearchThreads
from gortex_py.service.settle import Batch
from gortex_py.service.status import RepositoryStatus, release_memory, repository_status
from gortex_py.service.tool_options import ToolOptions
from gortex_py.service.tools import DATABASE_NAME, ToolDesk
from gortex_py.service.tracked import Embedding, Parts, Tracked
from gortex_py.service.watcher import Watcher, WatchOptions, WatchTarget
from gortex_py.settings.mcp_servers import ServerList
from gortex_py.types import IndexState, Query

logger = logging.getLogger(__name__)
AnswerT = TypeVar("AnswerT")

# A batch takes about a second on an idle machine; stopping takes five at most on a busy one.
WRITER_STOP_S = 2.5
WRITER_END_S = 1.5  # for a pass whose workers were taken away


class Service:
    """The daemon's service object. Every method may be called from any thread."""

    def __init__(
        self,
        registry: Registry,
        parts: Parts,
        watch: WatchOptions | None = None,
        *,
        memory: MemoryDesk | None = None,
        tools: ToolOptions | None = None,
        load_servers: Callable[[], ServerList] = ServerList,
    ) -> None:
        self.events = EventBus()
        self.memory = memory or MemoryDesk(registry.data_dir / MEMORY_NAME)
        path = registry.data_dir / DATABASE_NAME
        self.tools = ToolDesk(path, self.events, options=tools, load_servers=load_servers)
        self.readiness = Readiness()
        self.started_at = time.time()
        self.on_stop_requested: Callable[[], None] = lambda: None
        self._registry = registry
        self._parts = parts
        self._questions = Questions(parts, self.readiness)
        self._passes = Passes(registry, self.readiness, self.events)
        self._writer = WriterThread(self._run_pass, on_error=self._note_error, on_idle=self._rest)
        self._searchers: SearchThreads[Desk] = SearchThreads()
        self._watcher = Watcher(watch or WatchOptions(), on_batch=self._take_batch, on_mode=self._note_mode)
        self._lock = threading.Lock()
        self._tracked: dict[str, Tracked] = {}

    # --- life -----------------------------------------------------------------------------

    def start(self) -> None:
        """Open what is tracked, so that it answers at once, and begin to watch it."""
        self._log_embedding()
        self._registry.delete_orphans()
        self.memory.start()
        for repository in self._registry:
            tracked = self._begin(repository)
            self._open(tracked)
        self._writer.start()
        self._searchers.start()
        self._watcher.start()
        for tracked in self._all():
            self._watch(tracked)

    def begin_stop(self) -> None:
        """Tell listeners and the running pass that the end is near. Returns at once."""
        self._writer.begin_stop()
        self.events.publish("stopping")

    def stop(self) -> bool:
        """Stop everything; True when the running pass ended in time, else its batch is given up."""
        self.begin_stop()
        self._watcher.stop()
        ended = self._writer.stop(WRITER_STOP_S)
        if not ended:
            logger.warning("a pass did not end in time; its last batch is not kept")
            self._parts.kill_workers()
            ended = self._writer.stop(WRITER_END_S)
        self._searchers.stop(1.0)
        self.tools.close()
        self.memory.close()
        if not ended:
            return False
        for tracked in self._all():
            tracked.close(1.0)
        self._parts.close()
        return True

    # --- repositories ---------------------------------------------------------------------

    def track(self, path: str, name: str | None = None) -> RepositoryStatus:
        """Track a folder; indexing goes on behind. A folder that is tracked already stays as it is."""
        repository, is_new = self._registry.add(path, name)
        if is_new:
            tracked = self._begin(repository)
            self._writer.call(repository.name, lambda: self._open(tracked))
            self._watch(tracked)
            self.events.publish("repository", repo=repository.name, action="tracked")
            logger.info("tracking %s as %s", repository.path, repository.name)
        return self.repository(repository.name)

    def untrack(self, name: str) -> Repository:
        """Forget a repository; its index is deleted once nothing uses it."""
        repository = self._registry.remove(name)
        with self._lock:
            tracked = self._tracked.pop(name, None)
        self._watcher.remove(name)
        self._writer.forget(name)
        self.readiness.remove(name)
        if tracked is not None:
            self._writer.call(name, lambda: self._dispose(tracked))
        self.memory.drop(name)
        self.events.publish("repository", repo=name, action="untracked")
        logger.info("untracked %s (%s)", name, repository.path)
        return repository

    def reindex(self, name: str) -> RepositoryStatus:
        """Ask for a look at every file of a repository."""
        self._registry.get(name)
        self.readiness.update(name, state=IndexState.INDEXING, reason=None)
        self._writer.submit(name, None)
        return self.repository(name)

    def index_folder(self, name: str) -> Path:
        """Return where a repository's index lies."""
        return self._registry.folder(self._registry.get(name))

    def repository(self, name: str) -> RepositoryStatus:
        """Return what is known of a repository without looking into its index."""
        repository = self._registry.get(name)
        return repository_status(
            repository,
            self.readiness.get(name),
            is_busy=self._writer.is_busy(name),
            watch=self._watcher.mode(name),
        )

    def repositories(self) -> list[RepositoryStatus]:
        """Return what is known of each repository, by name."""
        statuses = []
        for repository in self._registry:
            try:
                statuses.append(self.repository(repository.name))
            except NotFound:
                continue  # untracked since the list was taken
        return statuses

    def problems(self) -> list[str]:
        """Return what is wrong with the daemon itself, as sentences."""
        return [*self._registry.problems, *self._parts.embedding.problems, *self.memory.problems()]

    def embedding(self) -> Embedding:
        """Return what turns texts into vectors."""
        return self._parts.embedding

    # --- questions ------------------------------------------------------------------------

    def search(self, query: Query, repos: Collection[str] = (), *, client: str | None = None) -> Future[Answer]:
        """Search some repositories, or all.

        :param client: who asks, so that what it reads next is learned; None learns nothing.
        :raises UsageError: when a repository is not known.
        """
        tracked = self._chosen(repos)

        def answer(desks: dict[str, Desk]) -> Answer:
            found = self._mending(tracked, lambda: self._questions.search(query, tracked, desks))
            if client is not None:
                self.memory.note_page(client, found.result)
            return found

        return self._searchers.submit(answer)

    def symbol(self, symbol_id: str, repo: str | None = None, *, client: str | None = None) -> Future[SymbolSource]:
        """Find a definition by id with its text.

        :param client: who reads; None learns nothing.
        :raises NotFound: in the future, when there is none.
        :raises Conflict: in the future, when several repositories have it and none was named.
        """
        tracked = self._chosen([repo] if repo else ())

        def answer(desks: dict[str, Desk]) -> SymbolSource:
            found = self._mending(tracked, lambda: self._questions.symbol(symbol_id, tracked, desks))
            if client is not None:
                self.memory.note_read(client, found.repo, found.stored.symbol, found.digest)
            return found

        return self._searchers.submit(answer)

    def feedback(self, given: Feedback) -> Future[Taken]:
        """Learn that a place was the answer to a query, or was not.

        :raises GortexError: in the future, when the place is not known or nothing is learned.
        """
        tracked = self._chosen([given.repo] if given.repo else ())

        def learn(desks: dict[str, Desk]) -> Taken:
            found = self._mending(tracked, lambda: self._questions.place(given, tracked, desks))
            selections = self.memory.feedback(found.repo, given.query, found.place, useful=given.useful)
            return Taken(given, found, selections)

        return self._searchers.submit(learn)

    def statuses(self) -> Future[list[RepositoryStatus]]:
        """Return what is known of each repository, with what only its index can tell."""

        def collect(desks: dict[str, Desk]) -> list[RepositoryStatus]:
            detailed = []
            for status in self.repositories():
                with self._lock:
                    tracked = self._tracked.get(status.name)
                detailed.append(status if tracked is None else self._questions.detail(status, tracked, desks))
            return detailed

        return self._searchers.submit(collect)

    # --- inside ---------------------------------------------------------------------------

    def _all(self) -> list[Tracked]:
        with self._lock:
            return list(self._tracked.values())

    def _chosen(self, repos: Collection[str]) -> list[Tracked]:
        with self._lock:
            if not repos:
                return [self._tracked[name] for name in sorted(self._tracked)]
            unknown = [name for name in repos if name not in self._tracked]
            if unknown:
                names = ", ".join(sorted(self._tracked)) or "nothing"
                raise UsageError(f"no repository named {unknown[0]!r}; tracked: {names}", code="unknown-repository")
            return [self._tracked[name] for name in sorted(set(repos))]

    def _begin(self, repository: Repository) -> Tracked:
        tracked = Tracked(repository, self._registry.folder(repository), self._parts)
        self.readiness.add(repository.name, Health())
        with self._lock:
            self._tracked[repository.name] = tracked
        return tracked

    def _watch(self, tracked: Tracked) -> None:
        root = tracked.repository.root
        self._watcher.add(WatchTarget(tracked.name, root, lambda: self._parts.make_filter(root)))

    def _open(self, tracked: Tracked) -> None:
        """Open an index and say what it is worth."""
        if tracked.is_closed:
            return
        name = tracked.name
        started = time.perf_counter()
        try:
            marker = self._registry.marker(tracked.repository)
            self._registry.write_marker(tracked.repository, marker)
            index = tracked.open()
            stats = tracked.stats()
        except GortexError as error:
            self._passes.fail(name, error.message)
            return
        is_whole = marker.complete and index.verdict not in ("new", "corrupt")
        state = IndexState.INDEXING
        if is_whole:
            state = IndexState.READY if stats.files else IndexState.EMPTY
        elif marker.complete:
            self._registry.write_marker(tracked.repository, replace(marker, complete=False))
        self.readiness.update(
            name,
            state=state,
            generation=stats.generation,
            files=stats.files,
            symbols=stats.symbols,
            finished_at=marker.finished_at or None,
        )
        for notice in index.notices:
            logger.warning("%s: %s %s", name, notice.where, notice.what)
            self.readiness.degrade(name, "index", f"{notice.where} {notice.what}")
        if index.verdict in ("text-stale", "vectors-stale"):
            self.readiness.degrade(name, "vectors", "vectors are being made again")
        if self._parts.embedding.provider is None:
            self.readiness.degrade(name, "embeddings", "vectors are off; answers come from the text alone")
        logger.info(
            "vector index ready: repo: %s, vectors: %d, files: %d, in %.0f ms, embedded 0",
            name,
            stats.vectors,
            stats.files,
            (time.perf_counter() - started) * 1000,
        )

    def _mending(self, chosen: Sequence[Tracked], answer: Callable[[], AnswerT]) -> AnswerT:
        """Answer, and have what turned out to be damaged made anew."""
        try:
            return answer()
        finally:
            for tracked in chosen:
                if tracked.is_damaged:
                    self._writer.call(tracked.name, partial(self._renew, tracked))

    def _renew(self, damaged: Tracked) -> None:
        """Put a new index in the place of a damaged one, which is kept aside."""
        name = damaged.name
        renewed = Tracked(damaged.repository, damaged.folder, self._parts)
        with self._lock:
            if self._tracked.get(name) is not damaged:
                return  # done already, or untracked
            self._tracked[name] = renewed
        damaged.close()
        self._open(renewed)
        self._writer.submit(name, None)

    def _dispose(self, tracked: Tracked) -> None:
        tracked.close()
        try:
            self._registry.delete_folder(tracked.repository)
        except GortexError as error:
            logger.error("%s", error.message)

    def _run_pass(self, name: str, paths: frozenset[str] | None, cancelled: Callable[[], bool]) -> None:
        with self._lock:
            tracked = self._tracked.get(name)
        if tracked is None:
            return
        if not tracked.is_open:
            self._open(tracked)
            if not tracked.is_open:
                return
        was_failed = self.readiness.get(name).state is IndexState.FAILED
        is_through = self._passes.run(tracked, paths, cancelled)
        if is_through and not tracked.is_damaged:
            self.memory.follow(name, tracked.reader)
        if tracked.is_damaged:
            self._renew(tracked)
        elif is_through and was_failed and paths is not None:
            # What went wrong may have hidden other changes.
            self._writer.submit(name, None)
        if paths is None:
            is_partly_unseen = any(part == "folders" for part, _ in self.readiness.get(name).degraded)
            self._watcher.look_often(name, is_partly_unseen)
        # A start with nothing to index has not needed it, and the first edit should not have to wait for it.
        self._parts.prepare_workers()

    def _rest(self) -> None:
        self._parts.rest_workers()
        release_memory()

    def _take_batch(self, name: str, batch: Batch) -> None:
        self._writer.submit(name, None if batch.census is not None else batch.paths)

    def _note_mode(self, name: str, reason: str | None) -> None:
        if reason is not None:
            logger.warning("%s is polled: %s", name, reason)
        self.readiness.degrade(name, "watch", None if reason is None else f"changes are found by polling: {reason}")

    def _note_error(self, name: str, error: Exception) -> None:
        self._passes.fail(name, f"an unexpected error ({type(error).__name__}); the log has the details")

    def _log_embedding(self) -> None:
        embedding = self._parts.embedding
        for level, line in embedding.lines:
            logger.log(level, "%s", line)
        for problem in embedding.problems:
            logger.warning("%s", problem)
