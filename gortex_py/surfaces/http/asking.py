"""What a request asks: parameters checked and turned into a query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from starlette.requests import HTTPConnection

from gortex_py.errors import UsageError
from gortex_py.source.languages import LANGUAGES, canonical_language
from gortex_py.surfaces.http.bodies import SearchBody, SearchParameters
from gortex_py.types import Corpus, Query, SymbolKind

MAX_CLIENT_CHARS = 200


@dataclass(frozen=True, slots=True)
class Asked:
    """A query and the repositories it is put to; none means all."""

    query: Query
    repos: tuple[str, ...]


def client_of(request: HTTPConnection) -> str:
    """Return who asks: what the client calls itself in ``Gortex-Client``, else its address and its User-Agent."""
    named = request.headers.get("gortex-client", "").strip()[:MAX_CLIENT_CHARS]
    if named:
        return f"named {named}"
    host = request.client.host if request.client else ""
    return f"{host} {request.headers.get('user-agent', '')[:MAX_CLIENT_CHARS]}"


def read_search(given: SearchParameters | SearchBody) -> Asked:
    """Return the query that parameters or a body ask.

    :raises UsageError: when the query is blank, or a corpus, language or kind is not known.
    """
    if not given.q.strip():
        raise UsageError("the query is empty; say what to look for", code="empty-query")
    corpus = given.corpus.strip() or Corpus.CODE
    if corpus not in tuple(Corpus):
        raise _unknown("corpus", corpus, tuple(Corpus))
    query = Query(
        text=given.q,
        corpus=Corpus(corpus),
        limit=given.limit,
        offset=given.offset,
        paths=tuple(path for path in given.path if path.strip()),
        languages=tuple(_language(name) for name in _names(given.lang)),
        kinds=tuple(_kind(name) for name in _names(given.kind)),
        explain=given.explain,
    )
    return Asked(query, tuple(_names(given.repo)))


def _names(value: Sequence[str]) -> list[str]:
    """Return the names of a filter; blank ones say nothing.

    >>> _names(["a, b", ""])
    ['a', 'b']
    """
    return [name.strip() for item in value for name in item.split(",") if name.strip()]


def _language(name: str) -> str:
    language = canonical_language(name)
    if language not in LANGUAGES:
        raise _unknown("language", name, sorted(LANGUAGES))
    return language


def _kind(name: str) -> str:
    kind = name.lower()
    if kind not in tuple(SymbolKind):
        raise _unknown("kind", name, tuple(SymbolKind))
    return kind


def _unknown(what: str, given: str, known: Iterable[str]) -> UsageError:
    names = [str(name) for name in known]
    near = get_close_matches(given.lower()[:50], names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(names[:30])}"
    return UsageError(f"unknown {what} {given[:50]!r}; {hint}", code=f"unknown-{what}")
