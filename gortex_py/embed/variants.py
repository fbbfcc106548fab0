"""Name the word tables that ship; apart from what reads them, so that settings need not load it."""

from __future__ import annotations

# The first is the static provider's default.
VARIANTS: tuple[str, ...] = ("code-128d", "glove-50d")


def table_file(variant: str) -> str:
    """Return the name of a variant's file in the folder of the tables.

    >>> table_file("glove-50d")
    'glove-50d.bin'
    """
    return f"{variant}.bin"
