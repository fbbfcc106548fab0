"""How much it says for a place that it was opened after earlier queries.

An association holds for one query, or for one keyword, and one place. Its counts fade from
selection to selection, and what it lifts fades since the last one: both by half in three days. An
association that was not selected for seven days is no more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

DAY_S = 86_400.0
HALF_LIFE_S = 3 * DAY_S
EXPIRY_S = 7 * DAY_S

# A boost of 1 changes nothing, one of 3 is a lift of 1.
NO_BOOST, FULL_BOOST = 1.0, 3.0
# The whole query: from the third selection on, all of the lift.
WHOLE_SELECTIONS, WHOLE_STEP, WHOLE_MOST = 3, 0.3, 3.0
# A keyword says less: from the second selection on, three tenths of the lift at most.
KEYWORD_SELECTIONS, KEYWORD_STEP, KEYWORD_MOST = 2, 0.12, 1.6
# More selections than these lift no further; to count them would only make forgetting slow.
MOST_HITS = 10.0

# To be passed over for something below undoes a quarter of a selection; to be called wrong, all of one.
SKIPPED = 0.25
REJECTED = 1.0


class Association(NamedTuple):
    """What selections and skips of one place add up to, for one query or keyword."""

    # A search makes up to two hundred of these, a frozen dataclass takes three times as long.

    selections: int  # all of them, so that "three times" means three times
    hits: float  # faded selections as at last_used
    misses: float  # faded skips and rejections, on the same footing
    last_used: float  # of the last selection, in seconds since the epoch

    @property
    def net(self) -> float:
        """Return the selections that are left after what speaks against the place."""
        return self.hits - self.misses

    def is_expired(self, now: float) -> bool:
        """Tell whether the last selection is too long ago to say anything."""
        return now - self.last_used > EXPIRY_S


def fade(age_s: float) -> float:
    """Return what is left after a time, in (0, 1]; a clock that was set back takes nothing.

    >>> fade(0), fade(HALF_LIFE_S), fade(2 * HALF_LIFE_S)
    (1.0, 0.5, 0.25)
    """
    return float(2.0 ** (-max(0.0, age_s) / HALF_LIFE_S))


def selected(known: Association | None, now: float, *, revoked: float = 0.0) -> Association:
    """Return an association after one more selection.

    :param revoked: misses that this selection proves wrong.
    """
    if known is None or known.is_expired(now):
        return Association(1, 1.0, 0.0, now)
    left = fade(now - known.last_used)
    return Association(
        selections=known.selections + 1,
        hits=min(MOST_HITS, known.hits * left + 1.0),
        misses=max(0.0, known.misses - revoked) * left,
        last_used=max(now, known.last_used),
    )


def passed_over(known: Association, weight: float) -> Association:
    """Return an association after its place was skipped or called wrong."""
    return known._replace(misses=min(MOST_HITS, known.misses + weight))


def whole_lift(association: Association, now: float) -> float:
    """Return what an association with the whole query lifts, in [0, 1].

    >>> round(whole_lift(Association(3, 3.0, 0.0, 0.0), 0.0), 6)
    0.15
    """
    if association.selections < WHOLE_SELECTIONS or association.is_expired(now):
        return 0.0
    boost = min(WHOLE_MOST, NO_BOOST + WHOLE_STEP * (association.net - (WHOLE_SELECTIONS - 1)))
    return _lift(boost) * fade(now - association.last_used)


def keyword_lift(associations: Iterable[Association], keywords: int, now: float) -> float:
    """Return what a place's associations with some of a query's keywords lift, in [0, 0.3].

    :param keywords: how many keywords the query has.

    >>> round(keyword_lift([Association(3, 3.0, 0.0, 0.0)], 2, 0.0), 6)
    0.06
    """
    amounts = [
        (association.net - 1.0) * fade(now - association.last_used)
        for association in associations
        if association.selections >= KEYWORD_SELECTIONS and association.net > 1.0 and not association.is_expired(now)
    ]
    if not amounts:
        return 0.0
    mean, share = sum(amounts) / len(amounts), len(amounts) / max(keywords, len(amounts))
    return _lift(min(KEYWORD_MOST, NO_BOOST + mean * KEYWORD_STEP * share))


def _lift(boost: float) -> float:
    return max(0.0, (boost - NO_BOOST) / (FULL_BOOST - NO_BOOST))
