"""Turn byte offsets into lines."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate


class LineTable:
    """Where each line of a file's UTF-8 text starts.

    >>> LineTable(b"one\\ntwo").line_of(4)
    2
    """

    __slots__ = ("starts",)

    def __init__(self, source: bytes) -> None:
        lengths = [len(line) + 1 for line in source.split(b"\n")]
        lengths.pop()
        self.starts: list[int] = list(accumulate(lengths, initial=0))  # byte at which line i + 1 starts

    def line_of(self, byte: int) -> int:
        """Return the 1-based line that holds a byte."""
        return bisect_right(self.starts, byte)

    def start_of(self, line: int) -> int:
        """Return the byte at which a 1-based line starts."""
        return self.starts[line - 1]
