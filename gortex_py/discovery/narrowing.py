"""What a search may leave out or put first, beyond the ranking itself. Nothing of it by default."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

# Words that say nothing of what a tool does; a query's share of covered words is counted without them.
STOP_WORDS = frozenset(
    "a about all an and any are as at be by can do for from get give has have how i in into is it its me my of on or "
    "our please should so some that the their them then there these this those to up us use using want was we what "
    "when where which who will with would you your".split()
)


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Which matches stay, and which goes first."""

    min_coverage: float = 0.0  # share of the query's distinct words that a tool must have
    relative_floor: float = 0.0  # share of the best score that a tool must have
    exact_name_first: bool = False


WIDE = Narrowing()


def content_words(tokens: Iterable[str]) -> frozenset[str]:
    """Return the tokens of a query that say something; all of them when none does.

    >>> sorted(content_words(["find", "the", "definition"])), sorted(content_words(["the", "a"]))
    (['definition', 'find'], ['a', 'the'])
    """
    asked = frozenset(tokens)
    return asked - STOP_WORDS or asked
