"""The task memory of the daemon: learns what is opened after a search, and says so to later searches.

Everything stays on this machine. Switched off, nothing is learned and nothing is asked; what was
learned before is kept until it is deleted.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gortex_py.errors import Conflict, GortexError, StoreFailed, UsageError
from gortex_py.protocols import Learned, StoreReader
from gortex_py.query.keywords import QueryKeys, query_keys
from gortex_py.rank.learning import REJECTED, SKIPPED, keyword_lift, whole_lift
from gortex_py.service.pages import Opening, Pages
from gortex_py.store.memory import Change, KeyScope, MemoryStore, Place, Recalled, Remembered
from gortex_py.types import SearchResult, Symbol

logger = logging.getLogger(__name__)

DATABASE_NAME = "memory.db"


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """An association, and what it lifts by itself at this moment."""

    remembered: Remembered
    lift: float


class MemoryDesk:
    """What was learned, of all repositories. Any thread may call."""

    def __init__(self, path: Path, *, is_enabled: bool = True, clock: Callable[[], float] = time.time) -> None:
        self.is_enabled = is_enabled
        self._path = path
        self._clock = clock
        self._lock = threading.Lock()
        self._opened: MemoryStore | None = None
        self._trouble: str | None = None  # why it is not open, once that was tried
        self._pages = Pages(clock)

    def start(self) -> None:
        """Open the database, so that no search has to; trouble is logged, and told with every answer."""
        if self.is_enabled:
            try:
                self._store()
            except GortexError as error:
                logger.warning("nothing is learned: %s", error.message)

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def problems(self) -> list[str]:
        """Return what is wrong with it, as sentences."""
        return [self._trouble] if self._trouble and self.is_enabled else []

    # --- what searches ask -----------------------------------------------------------------

    def of(self, repo: str) -> RepositoryMemory:
        """Return what an engine may ask about a repository."""
        return RepositoryMemory(self, repo)

    def recall(self, repo: str, query: str) -> list[Learned]:
        """Return the files that speak for a query, strongest first.

        :raises NotReady: when another program holds the database.
        :raises StoreFailed: when it cannot be read.
        """
        store = self._opened
        if not self.is_enabled or (store is None and self._trouble is None):
            return []
        if store is None or store.is_damaged:
            store = self._reopened()
        keys, now = query_keys(query), self._clock()
        return _lifted(store.recall(repo, keys, now), len(keys.keywords), now)

    # --- what teaches it -------------------------------------------------------------------

    def note_page(self, client: str, result: SearchResult) -> None:
        """Note what a client was shown."""
        if self.is_enabled and result.hits:
            self._pages.show(client, result.query.text, result.hits)

    def note_read(self, client: str, repo: str, symbol: Symbol, digest: str) -> bool:
        """Learn from a read if a page of the client showed what is read; trouble is logged, and costs no answer."""
        if not self.is_enabled:
            return False
        opening = self._pages.open(client, repo, symbol)
        if opening is None:
            return False
        keys = query_keys(opening.query)
        try:
            self._store().learn(repo, keys, _changes(opening, symbol, digest), self._clock())
        except GortexError as error:
            logger.warning("a selection was not learned: %s", error.message)
            return False
        return True

    def feedback(self, repo: str, query: str, place: Place, *, useful: bool) -> int:
        """Learn that a place was the answer to a query, or was not; returns how often it was chosen for it.

        :raises Conflict: when nothing is learned.
        :raises UsageError: when the query is blank.
        """
        if not self.is_enabled:
            raise Conflict("nothing is learned: search.task_memory is off", code="memory-off")
        keys, store = query_keys(query), self._store()
        if not keys.whole:
            raise UsageError("the query is empty; say what was looked for", code="empty-query")
        change = Change(place, is_selected=useful, misses=0.0 if useful else REJECTED)
        store.learn(repo, keys, [change], self._clock())
        own = store.recall(repo, QueryKeys(keys.whole, ()), self._clock()).whole.get((place.path, place.symbol))
        return own.selections if own else 0

    # --- what looks after it ---------------------------------------------------------------

    def show(self, repo: str | None = None, query: str | None = None) -> list[MemoryRow]:
        """Return what is kept, the last used first."""
        now = self._clock()
        if not self.is_enabled and not self._path.exists():
            return []
        rows = self._store().rows(repo, None if query is None else query_keys(query))
        return [MemoryRow(row, _own_lift(row, now)) for row in rows if not row.association.is_expired(now)]

    def forget(self, repo: str | None = None, query: str | None = None) -> int:
        """Delete what is kept of a repository and of a query with its keywords, or all; returns how much it was."""
        self._pages.forget()
        if self._opened is None and not self._path.exists():
            return 0
        return self._store().forget(repo, None if query is None else query_keys(query))

    def drop(self, repo: str) -> None:
        """Delete what is kept of a repository that is not tracked any more; trouble is logged."""
        try:
            self.forget(repo)
        except GortexError as error:
            logger.warning("what was learned of %s is still there: %s", repo, error.message)

    def follow(self, repo: str, reader: Callable[[], StoreReader]) -> None:
        """Have what was learned follow files to new names; called when the index of a repository has changed.

        A file that is gone is taken to be where its content is now. Of several copies the first by path counts.
        """
        if not self.is_enabled:
            return
        try:
            store = self._store()
            known = store.paths(repo)
            if not known:
                return
            now = dict(reader().file_digests(known))
            for path, digest in now.items():
                if digest and digest != known[path]:
                    store.move(repo, path, Place(path, digest=digest))
            lost = {path: digest for path, digest in known.items() if path not in now and digest}
            moved = _first_paths(reader().file_digests((), digests=lost.values())) if lost else {}
            for path, digest in lost.items():
                if digest in moved:
                    store.move(repo, path, Place(moved[digest], digest=digest))
        except GortexError as error:
            logger.warning("what was learned of %s did not follow its files: %s", repo, error.message)

    # --- inside ----------------------------------------------------------------------------

    def _reopened(self) -> MemoryStore:
        """Return the open database for a search, which only tries again where damage was met."""
        if self._opened is None:
            raise StoreFailed(str(self._trouble))
        return self._store()

    def _store(self) -> MemoryStore:
        """Return the open database; a damaged one is opened anew."""
        with self._lock:
            if self._opened is not None and self._opened.is_damaged:
                self._opened.close()
                self._opened = None
            if self._opened is None:
                try:
                    self._opened, self._trouble = MemoryStore.open(self._path), None
                except GortexError as error:
                    self._trouble = error.message
                    raise
            return self._opened


class RepositoryMemory:
    """The task memory of one repository, for its engine."""

    def __init__(self, desk: MemoryDesk, repo: str) -> None:
        self._desk = desk
        self._repo = repo

    def recall(self, query: str, /) -> Sequence[Learned]:
        """Return the files that speak for a query, strongest first."""
        return self._desk.recall(self._repo, query)


def _lifted(recalled: Recalled, keywords: int, now: float) -> list[Learned]:
    """Return each file with the lift of its best place."""
    lifts: dict[str, float] = {}
    own: set[str] = set()
    for (path, _), association in recalled.whole.items():
        lift = whole_lift(association, now)
        if lift > 0:
            own.add(path)
            lifts[path] = max(lift, lifts.get(path, 0.0))
    for (path, _), associations in recalled.by_keyword.items():
        lift = keyword_lift(associations, keywords, now)
        if lift > lifts.get(path, 0.0):
            lifts[path] = lift
    found = [Learned(path, lift, path in own) for path, lift in lifts.items()]
    return sorted(found, key=lambda learned: (-learned.lift, learned.path))


def _changes(opening: Opening, symbol: Symbol, digest: str) -> list[Change]:
    revoked = SKIPPED if opening.was_skipped else 0.0
    opened = Change(Place(symbol.path, symbol.qualified_name, digest), is_selected=True, misses=revoked)
    skipped = [Change(Place(hit.path, hit.symbol), is_selected=False, misses=SKIPPED) for hit in opening.skipped]
    return [opened, *skipped]


def _own_lift(row: Remembered, now: float) -> float:
    if row.scope is KeyScope.WHOLE:
        return whole_lift(row.association, now)
    return keyword_lift([row.association], 1, now)


def _first_paths(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    first: dict[str, str] = {}
    for path, digest in pairs:
        first.setdefault(digest, path)
    return first
