"""Order and rounding as the first implementation's language has them: its answers are compared byte by byte."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import TypeAlias

# The root collation's order of ASCII; a character outside it comes after all of these, by code point.
_ORDER = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"
_RANKS = {c: rank for rank, c in enumerate(_ORDER)}
_BEYOND = 1000

DETAIL_STEP = Decimal("0.000001")
TEXT_STEP = Decimal("0.001")

CollationKey: TypeAlias = tuple[tuple[int, ...], tuple[bool, ...], str]


def collation_key(name: str) -> CollationKey:
    """Return the key that sorts names as a locale-aware comparison does.

    >>> sorted(["tool1", "List", "a-b", "a_b", "list", "tool_1"], key=collation_key)
    ['a_b', 'a-b', 'list', 'List', 'tool_1', 'tool1']
    """
    ranks = tuple(_RANKS.get(c, _BEYOND + ord(c)) for c in name.lower())
    return ranks, tuple(c.isupper() for c in name), name


def rounded(score: float, step: Decimal = DETAIL_STEP) -> Decimal:
    """Return a score rounded to a step, exact ties up.

    >>> rounded(1 / 128), rounded(2.0625, TEXT_STEP)
    (Decimal('0.007813'), Decimal('2.063'))
    """
    return Decimal(score).quantize(step, ROUND_HALF_UP)
