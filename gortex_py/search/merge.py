"""Search several repositories as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from gortex_py.search.engine import Engine
from gortex_py.types import Query, SearchResult


def search_repositories(engines: Sequence[Engine], query: Query) -> SearchResult:
    """Return the merged answer of several repositories, best first.

    Scores are comparable between repositories: rarity is measured within each, and a text signal
    is a share of what its repository could have matched. ``generation`` is that of the newest
    state, ``elapsed_ms`` the sum by stage.

    :param engines: at least one
    """
    if len(engines) == 1:
        return engines[0].search(query)
    whole = replace(query, offset=0, limit=query.offset + query.limit)
    results = [engine.search(whole) for engine in engines]
    # Deep in a long answer a score may exceed those above it; a hit never passes one of its own repository.
    lowest = [list(accumulate((hit.score for hit in result.hits), min)) for result in results]
    placed = [
        (-score, hit.repo, place, hit)
        for result, scores in zip(results, lowest, strict=True)
        for place, (score, hit) in enumerate(zip(scores, result.hits, strict=True))
    ]
    hits = [hit for *_, hit in sorted(placed, key=lambda entry: entry[:3])]
    elapsed: dict[str, float] = {}
    for result in results:
        for stage, ms in result.elapsed_ms.items():
            elapsed[stage] = elapsed.get(stage, 0.0) + ms
    return SearchResult(
        query=query,
        shape=min((result.shape for result in results), key=lambda shape: shape.alpha),
        hits=tuple(hits[query.offset : query.offset + query.limit]),
        total=sum(result.total for result in results),
        warnings=tuple(dict.fromkeys(warning for result in results for warning in result.warnings)),
        generation=max(result.generation for result in results),
        elapsed_ms=elapsed,
    )
