"""Weighted reciprocal rank fusion.

score(d) = (1 - alpha) / (k + text rank) + alpha / (k + vector rank), ranks from 1, k = 60; a
channel in which d is absent adds nothing. (Cormack, Clarke and Büttcher, SIGIR 2009, with the
channels' shares as weights.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

RRF_K = 60

IdT = TypeVar("IdT", int, str)


def reciprocal_rank(rank: int | None) -> float:
    """Return a channel's vote for a rank from 1; 0 for None.

    >>> round(reciprocal_rank(1), 6)
    0.016393
    """
    return 0.0 if rank is None else 1.0 / (RRF_K + rank)


def fuse(text_rank: int | None, vector_rank: int | None, alpha: float) -> float:
    """Return the fused score of one document.

    >>> round(fuse(6, 1, 0.5), 6), round(fuse(None, 1, 0.3), 6)
    (0.015772, 0.004918)
    """
    share = min(1.0, max(0.0, alpha))
    return (1 - share) * reciprocal_rank(text_rank) + share * reciprocal_rank(vector_rank)


def fuse_rankings(text: Sequence[IdT], vector: Sequence[IdT], alpha: float) -> list[IdT]:
    """Return the ids of two rankings, best first, each once; ties by id.

    :param text: ids by text rank, best first
    :param vector: ids by vector rank, best first
    """
    text_ranks = _ranks(text)
    vector_ranks = _ranks(vector)
    ids = text_ranks.keys() | vector_ranks.keys()
    return sorted(ids, key=lambda i: (-fuse(text_ranks.get(i), vector_ranks.get(i), alpha), i))


def _ranks(ids: Sequence[IdT]) -> Mapping[IdT, int]:
    ranks: dict[IdT, int] = {}
    for rank, document in enumerate(ids, 1):
        ranks.setdefault(document, rank)
    return ranks
