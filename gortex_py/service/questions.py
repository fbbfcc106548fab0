"""Answer questions from open indexes: searches, single definitions, counts.

Everything here runs on a search thread, which brings its own readers along.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TypeVar

from gortex_py.errors import Conflict, NotFound, NotReady, StoreFailed
from gortex_py.history.commits import HISTORY
from gortex_py.protocols import StoredSymbol, StoreReader
from gortex_py.service.feedback import Feedback, FoundPlace, find_place, only_place
from gortex_py.service.readiness import Health, Readiness, age_s
from gortex_py.service.status import RepositoryStatus
from gortex_py.service.tracked import Parts, Searching, Tracked
from gortex_py.types import IndexState, Query, SearchResult

FoundT = TypeVar("FoundT")


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """What an answer was made from."""

    generation: int  # the newest of the repositories searched
    age_s: float | None  # since the stalest last agreed with the disk; None before a first pass ended
    state: IndexState  # the least ready of them


@dataclass(frozen=True, slots=True)
class Answer:
    """A search result with the state of the index behind it."""

    result: SearchResult
    index: IndexInfo


@dataclass(frozen=True, slots=True)
class SymbolSource:
    """A definition with its text."""

    repo: str
    stored: StoredSymbol
    language: str | None
    source: str
    digest: str = ""  # of its file's content


class Desk:
    """A search thread's own reader and engine of one repository."""

    def __init__(self, tracked: Tracked, reader: StoreReader, engine: Searching) -> None:
        self.tracked = tracked
        self.reader = reader
        self.engine = engine

    def close(self) -> None:
        """Let go of the reader."""
        self.reader.close()


class Questions:
    """Answers from whatever desks a thread has."""

    def __init__(self, parts: Parts, readiness: Readiness) -> None:
        self._parts = parts
        self._readiness = readiness

    def search(self, query: Query, chosen: Sequence[Tracked], desks: dict[str, Desk]) -> Answer:
        """Search the chosen repositories; what cannot be seen becomes a warning."""
        self._drop_stale(desks)
        warnings = [] if chosen else ["no repository is tracked yet"]
        with ExitStack() as held:
            engines: dict[str, Searching] = {}
            for tracked in chosen:
                try:
                    held.enter_context(tracked.using())
                    engines[tracked.name] = self._desk(tracked, desks).engine
                except NotReady:
                    if self._readiness.get(tracked.name).state is not IndexState.INDEXING:  # warned of below
                        warnings.append(f"{tracked.name} is not open yet")
                except StoreFailed:
                    if not tracked.is_damaged:
                        raise
            result = self._search(query, engines, chosen)
        warnings.extend(
            f"the index of {tracked.name} is damaged and is made anew; ask again in a moment"
            for tracked in chosen
            if tracked.is_damaged
        )
        healths = [(tracked.name, self._readiness.get(tracked.name)) for tracked in chosen]
        for name, health in healths:
            warnings.extend(health_warnings(name, health))
        result = replace(result, warnings=(*warnings, *result.warnings))
        return Answer(result, _index_info(result.generation, [health for _, health in healths]))

    def _search(self, query: Query, engines: dict[str, Searching], chosen: Sequence[Tracked]) -> SearchResult:
        """Ask every engine; one whose index turns out to be damaged costs its own hits, not the answer."""
        while True:
            sound = [engines[tracked.name] for tracked in chosen if tracked.name in engines and not tracked.is_damaged]
            if not sound:
                return self._parts.search_nothing(query)
            try:
                return self._parts.search(sound, query)
            except StoreFailed:
                if len(sound) == sum(tracked.name in engines and not tracked.is_damaged for tracked in chosen):
                    raise

    def symbol(self, symbol_id: str, chosen: Sequence[Tracked], desks: dict[str, Desk]) -> SymbolSource:
        """Find a definition in the chosen repositories."""
        found = self._everywhere(chosen, desks, lambda repo, reader: _read_symbol(repo, symbol_id, reader))
        if not found:
            raise NotFound(f"no symbol with the id {symbol_id[:200]!r} is indexed", code="unknown-symbol")
        if len(found) > 1:
            names = ", ".join(source.repo for source in found)
            raise Conflict(
                f"several repositories have this symbol: {names}; name one with repo=", code="ambiguous-symbol"
            )
        return found[0]

    def place(self, given: Feedback, chosen: Sequence[Tracked], desks: dict[str, Desk]) -> FoundPlace:
        """Find the place that feedback names in the chosen repositories."""
        return only_place(given, self._everywhere(chosen, desks, lambda repo, reader: find_place(repo, given, reader)))

    def _everywhere(
        self, chosen: Sequence[Tracked], desks: dict[str, Desk], read: Callable[[str, StoreReader], FoundT | None]
    ) -> list[FoundT]:
        """Return what each repository that is open has."""
        self._drop_stale(desks)
        found: list[FoundT] = []
        for tracked in chosen:
            if not tracked.is_open:
                continue
            with tracked.using():
                one = read(tracked.name, self._desk(tracked, desks).reader)
            if one is not None:
                found.append(one)
        return found

    def _desk(self, tracked: Tracked, desks: dict[str, Desk]) -> Desk:
        desk = desks.get(tracked.name)
        if desk is None or desk.tracked is not tracked:
            if desk is not None:
                desk.close()
            reader = tracked.open().reader()
            engine = self._parts.make_engine(tracked.name, tracked.repository.root, reader)
            desk = desks[tracked.name] = Desk(tracked, reader, engine)
        return desk

    def _drop_stale(self, desks: dict[str, Desk]) -> None:
        for name in [name for name, desk in desks.items() if desk.tracked.is_closed]:
            desks.pop(name).close()

    def detail(self, status: RepositoryStatus, tracked: Tracked, desks: dict[str, Desk]) -> RepositoryStatus:
        """Return a repository's account with what only its index can tell."""
        try:
            with tracked.using():
                reader = self._desk(tracked, desks).reader
                return status.with_index(reader.stats(), reader.skipped())
        except NotReady:
            return status


def health_warnings(name: str, health: Health) -> list[str]:
    """Say what an answer may not have seen."""
    warnings: list[str] = []
    if health.state is IndexState.INDEXING:
        progress = health.progress
        seen = f" ({progress.done} of {progress.total} files)" if progress and progress.total else ""
        warnings.append(f"{name} is still being indexed{seen}; the answer covers what is indexed so far")
    elif health.state is IndexState.FAILED:
        warnings.append(f"{name} is not up to date: {health.reason or 'its last pass failed'}")
    elif health.state is IndexState.EMPTY:
        warnings.append(f"{name} has nothing indexed: {health.reason or 'no file to index'}")
    # Without past commits an answer is as good as in a folder without git, so only the status tells of it.
    warnings.extend(f"{name}: {sentence}" for part, sentence in health.degraded if part != HISTORY)
    return warnings


_LEAST_READY = (IndexState.FAILED, IndexState.INDEXING, IndexState.EMPTY, IndexState.READY)


def _index_info(generation: int, healths: Sequence[Health]) -> IndexInfo:
    states = {health.state for health in healths} or {IndexState.EMPTY}
    if len(states) > 1:
        states.discard(IndexState.EMPTY)  # an empty repository does not make the others less ready
    ages = [age_s(health) for health in healths]
    known = [age for age in ages if age is not None]
    return IndexInfo(
        generation=generation,
        age_s=max(known) if known and len(known) == len(ages) else None,
        state=next(state for state in _LEAST_READY if state in states),
    )


def _read_symbol(repo: str, symbol_id: str, reader: StoreReader) -> SymbolSource | None:
    with reader.session():
        stored = reader.symbol(symbol_id)
        if stored is None:
            return None
        facts = reader.file_facts()
        row = int(facts.ids.searchsorted(stored.file_id))
        lines = reader.text(stored.file_id).split("\n")
        digest = dict(reader.file_digests([stored.symbol.path])).get(stored.symbol.path, "")
    span = stored.symbol.span
    source = "\n".join(lines[span.start_line - 1 : span.end_line])
    return SymbolSource(repo, stored, facts.languages[row], source, digest)
