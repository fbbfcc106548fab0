"""One tracked repository while the daemon runs: its open index, who uses it, what became of its root."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from gortex_py.errors import NotReady
from gortex_py.protocols import StoreReader, StoreStats, StoreWriter
from gortex_py.service.repositories import Marker, Repository
from gortex_py.service.watcher import PathFilter
from gortex_py.types import AnalyzedFile, IndexReport, PackedFile, Problem, Query, SearchResult

_ANSWERS = "its last index still answers"


class Index(Protocol):
    """An open index."""

    @property
    def verdict(self) -> str:
        """What opening it found: ``new``, ``corrupt``, ``text-stale``, ``vectors-stale``, ``migrated``, ``current``."""

    @property
    def notices(self) -> tuple[Problem, ...]:
        """What the user should hear about the opening."""

    @property
    def is_damaged(self) -> bool:
        """Say whether damage was met in use; opening it again begins a new index."""

    @property
    def pack(self) -> Callable[[AnalyzedFile], PackedFile]: ...

    def reader(self) -> StoreReader: ...

    def writer(self) -> StoreWriter: ...

    def close(self) -> None: ...


class Progress(Protocol):
    """How far a pass is."""

    @property
    def stage(self) -> str: ...
    @property
    def done(self) -> int: ...
    @property
    def total(self) -> int: ...


class Indexing(Protocol):
    """What brings an index up to the files."""

    def run(
        self,
        changed: Collection[str] | None = None,
        *,
        progress: Callable[[Progress], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> IndexReport: ...

    def close(self) -> None: ...


class Searching(Protocol):
    """What answers a query from one reader."""

    def search(self, query: Query) -> SearchResult: ...


@dataclass(frozen=True, slots=True)
class Embedding:
    """What turns texts into vectors, for logs and status."""

    provider: str | None  # what is really running; None without vectors
    dim: int
    variant: str | None = None  # which word table the static provider reads; None when it does not run
    lines: tuple[tuple[int, str], ...] = ()  # (level, message) for the log
    problems: tuple[str, ...] = ()  # why it is not what was asked for, as sentences


class Parts(Protocol):
    """Makes what the service is made of; the composition root is the real one."""

    @property
    def embedding(self) -> Embedding: ...

    def open_index(self, root: Path, folder: Path) -> Index: ...

    def make_indexer(self, root: Path, index: Index) -> Indexing: ...

    def make_engine(self, name: str, root: Path, reader: StoreReader) -> Searching: ...

    def make_filter(self, root: Path) -> PathFilter: ...

    def search(self, engines: Sequence[Searching], query: Query) -> SearchResult:
        """Return the merged answer of at least one engine."""

    def search_nothing(self, query: Query) -> SearchResult:
        """Return the answer where nothing is indexed."""

    def prepare_workers(self) -> None:
        """Have processes that work for a pass start quickly when one needs them; returns at once."""

    def rest_workers(self) -> None:
        """End processes that work for a pass until one needs them; no pass may be running."""

    def kill_workers(self) -> None:
        """End processes that work for a pass, whatever they are doing."""

    def close(self) -> None: ...


class Tracked:
    """A repository and its index. Opened and closed on one thread, used from many."""

    def __init__(self, repository: Repository, folder: Path, parts: Parts) -> None:
        self.repository = repository
        self.folder = folder
        self._parts = parts
        self._idle = threading.Condition()
        self._users = 0
        self._index: Index | None = None
        self._indexer: Indexing | None = None
        self._stats_reader: StoreReader | None = None
        self._is_closed = False

    @property
    def name(self) -> str:
        """Return the repository's name."""
        return self.repository.name

    @property
    def is_open(self) -> bool:
        """Say whether there is an index to use."""
        return self._index is not None and not self._is_closed

    @property
    def is_closed(self) -> bool:
        """Say whether it was given up for good."""
        return self._is_closed

    @property
    def is_damaged(self) -> bool:
        """Say whether its index turned out to be damaged."""
        return self._index is not None and self._index.is_damaged

    def open(self) -> Index:
        """Open the index, or return the open one.

        :raises GortexError: when it cannot be opened.
        """
        if self._index is None:
            self._index = self._parts.open_index(self.repository.root, self.folder)
        return self._index

    def indexer(self) -> Indexing:
        """Return what indexes it; used on the writer's thread only."""
        if self._indexer is None:
            self._indexer = self._parts.make_indexer(self.repository.root, self.open())
        return self._indexer

    def stats(self) -> StoreStats:
        """Return the counts of what is committed; not for search threads, which have readers of their own."""
        return self.reader().stats()

    def reader(self) -> StoreReader:
        """Return the reader of the writer's thread; search threads have their own."""
        if self._stats_reader is None:
            self._stats_reader = self.open().reader()
        return self._stats_reader

    @contextmanager
    def using(self) -> Iterator[Index]:
        """Keep the index open inside.

        :raises NotReady: when there is none yet or no more.
        """
        with self._idle:
            if self._is_closed or self._index is None:
                raise NotReady(f"the index of {self.name} is not open; ask again in a moment", code="not-open")
            self._users += 1
            index = self._index
        try:
            yield index
        finally:
            with self._idle:
                self._users -= 1
                self._idle.notify_all()

    def close(self, timeout_s: float = 5.0) -> None:
        """Refuse new users, wait for the present ones, close the index. Closing twice is fine."""
        with self._idle:
            self._is_closed = True
            self._idle.wait_for(lambda: self._users == 0, timeout_s)
        if self._indexer is not None:
            self._indexer.close()
            self._indexer = None
        if self._stats_reader is not None:
            self._stats_reader.close()
            self._stats_reader = None
        if self._index is not None:
            self._index.close()
            self._index = None


def root_trouble(root: Path, marker: Marker) -> str | None:
    """Say why a root must not be looked at now, or None.

    A root that went away, or whose file system is not mounted, tells nothing about its files:
    to take them for deleted would throw a good index away.
    """
    try:
        status = root.stat()
        is_empty = root.is_dir() and not any(root.iterdir())
    except OSError as error:
        return f"the folder {root} cannot be read ({(error.strerror or str(error)).lower()}); {_ANSWERS}"
    if not root.is_dir():
        return f"{root} is not a folder any more; {_ANSWERS}"
    was_elsewhere = marker.inode and (status.st_dev, status.st_ino) != (marker.device, marker.inode)
    if marker.complete and is_empty and was_elsewhere:
        return f"the folder {root} is empty and not the one that was indexed (not mounted?); {_ANSWERS}"
    return None
