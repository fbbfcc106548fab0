"""Which answer a read belongs to: the pages that were shown of late, and what of them was opened.

A read counts for the newest page of the same client that showed what is read, within five minutes.
Pages live in memory only. Nothing is concluded from a page of which nothing is opened: the answer
may have stood on it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gortex_py.types import Hit, Symbol

PAGE_LIFE_S = 300.0
MAX_PAGES = 256
MAX_HITS = 50  # of a page; nobody reads down to the rest


@dataclass(frozen=True, slots=True)
class ShownHit:
    """What a page showed of one file."""

    repo: str
    path: str
    symbol: str  # qualified name of the best place; "" where no definition holds it
    symbol_id: str | None
    also: tuple[tuple[str | None, int], ...]  # (name, first line) of the further places


@dataclass(slots=True)
class _Page:
    client: str
    query: str
    shown_at: float
    hits: tuple[ShownHit, ...]
    opened: set[str] = field(default_factory=set)  # ids of symbols
    opened_hits: set[int] = field(default_factory=set)
    skipped: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Opening:
    """The first read of something that a page showed."""

    query: str
    was_skipped: bool  # something below it was opened before
    skipped: tuple[ShownHit, ...]  # hits of its repository above it that are passed over by this


class Pages:
    """The pages shown of late, over all clients. Any thread may call."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._pages: deque[_Page] = deque(maxlen=MAX_PAGES)

    def show(self, client: str, query: str, hits: Sequence[Hit]) -> None:
        """Note a page."""
        shown = tuple(
            ShownHit(
                hit.repo,
                hit.path,
                hit.qualified_name or "",
                hit.symbol_id,
                tuple((span.symbol, span.start_line) for span in hit.also),
            )
            for hit in hits[:MAX_HITS]
        )
        now = self._clock()
        with self._lock:
            while self._pages and now - self._pages[0].shown_at > PAGE_LIFE_S:
                self._pages.popleft()
            self._pages.append(_Page(client, query, now, shown))

    def open(self, client: str, repo: str, symbol: Symbol) -> Opening | None:
        """Note that a client read a definition; None where no page of it showed that, or it was read before."""
        oldest = self._clock() - PAGE_LIFE_S
        with self._lock:
            for page in reversed(self._pages):
                if page.shown_at < oldest:
                    return None
                if page.client == client:
                    place = _place_of(page, repo, symbol)
                    if place is not None:
                        return _opening(page, place, symbol.id)
        return None

    def forget(self) -> None:
        """Drop all pages."""
        with self._lock:
            self._pages.clear()


def _place_of(page: _Page, repo: str, symbol: Symbol) -> int | None:
    """Return the number of the hit that showed a definition."""
    for i, hit in enumerate(page.hits):
        is_shown = hit.symbol_id == symbol.id or (symbol.name, symbol.span.start_line) in hit.also
        if hit.repo == repo and hit.path == symbol.path and is_shown:
            return i
    return None


def _opening(page: _Page, place: int, symbol_id: str) -> Opening | None:
    if symbol_id in page.opened:
        return None
    page.opened.add(symbol_id)
    page.opened_hits.add(place)
    passed = [i for i in range(place) if i not in page.opened_hits and i not in page.skipped]
    was_skipped = place in page.skipped
    page.skipped.discard(place)
    page.skipped.update(passed)
    repo = page.hits[place].repo
    return Opening(page.query, was_skipped, tuple(page.hits[i] for i in passed if page.hits[i].repo == repo))
