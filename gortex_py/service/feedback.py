"""What a client says was the answer to a query, and the place in a repository that it means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gortex_py.errors import Conflict, NotFound, UsageError
from gortex_py.protocols import StoreReader
from gortex_py.store.memory import Place
from gortex_py.types import Symbol

MAX_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Feedback:
    """A query and what it was to find: a symbol by its id, or a path, with a line in it if possible."""

    query: str
    repo: str | None = None
    symbol_id: str | None = None
    path: str | None = None
    line: int | None = None  # 1-based
    useful: bool = True


@dataclass(frozen=True, slots=True)
class FoundPlace:
    """The place that feedback names."""

    repo: str
    place: Place
    symbol_id: str | None


@dataclass(frozen=True, slots=True)
class Taken:
    """Feedback that was learned."""

    given: Feedback
    found: FoundPlace
    selections: int  # of this place for this query, this one included


def find_place(repo: str, given: Feedback, reader: StoreReader) -> FoundPlace | None:
    """Return the place in one repository, None where it has no such symbol or file.

    :raises UsageError: when feedback names no place, or two, or a line that the file does not have.
    """
    if (given.symbol_id is None) == (given.path is None):
        raise UsageError("name what was opened: either by id, or by path and line", code="no-place")
    with reader.session():
        if given.symbol_id is not None:
            stored = reader.symbol(given.symbol_id)
            return None if stored is None else _found(repo, stored.symbol.path, stored.symbol, reader)
        path = str(given.path)
        file_id = reader.file_id(path)
        if file_id is None:
            return None
        symbol = None if given.line is None else _symbol_at(given.line, file_id, path, reader)
        return _found(repo, path, symbol, reader)


def only_place(given: Feedback, found: Sequence[FoundPlace]) -> FoundPlace:
    """Return the one place that was found.

    :raises NotFound: when there is none.
    :raises Conflict: when several repositories have one.
    """
    names = ", ".join(each.repo for each in found)
    if given.symbol_id is not None:
        if not found:
            raise NotFound(f"no symbol with the id {given.symbol_id[:MAX_SHOWN]!r} is indexed", code="unknown-symbol")
        if len(found) > 1:
            raise Conflict(f"several repositories have this symbol: {names}; name one", code="ambiguous-symbol")
    elif not found:
        raise NotFound(f"no file {str(given.path)[:MAX_SHOWN]!r} is indexed", code="unknown-file")
    elif len(found) > 1:
        raise Conflict(f"several repositories have this file: {names}; name one", code="ambiguous-file")
    return found[0]


def _found(repo: str, path: str, symbol: Symbol | None, reader: StoreReader) -> FoundPlace:
    digest = dict(reader.file_digests([path])).get(path, "")
    place = Place(path, symbol.qualified_name if symbol else "", digest)
    return FoundPlace(repo, place, symbol.id if symbol else None)


def _symbol_at(line: int, file_id: int, path: str, reader: StoreReader) -> Symbol | None:
    """Return the innermost definition that holds a line."""
    count = reader.text(file_id).count("\n") + 1
    if not 1 <= line <= count:
        raise UsageError(f"{path} has {count} lines, so there is no line {line}", code="bad-line")
    ((symbols),) = reader.file_symbols([file_id])
    holding = [symbol for symbol in symbols if symbol.span.start_line <= line <= symbol.span.end_line]
    return min(holding, key=lambda symbol: symbol.span.end_line - symbol.span.start_line, default=None)
