"""Turn byte offsets into lines."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

_MAX_INDENT = 400


class LineTable:
    """Where each line of a file's UTF-8 text starts.

    >>> LineTable(b"one\\ntwo").line_of(4)
    2
    """

    __slots__ = ("_source", "starts")

    def __init__(self, source: bytes) -> None:
        self._source = source
        lengths = [len(line) + 1 for line in source.split(b"\n")]
        lengths.pop()
        self.starts: list[int] = list(accumulate(lengths, initial=0))  # byte at which line i + 1 starts

    def line_of(self, byte: int) -> int:
        """Return the 1-based line that holds a byte."""
        return bisect_right(self.starts, byte)

    def begins_line(self, byte: int) -> bool:
        """Tell whether only white space stands before a byte on its line."""
        start = self.starts[bisect_right(self.starts, byte) - 1]
        # Deeper than any indentation: a file of one long line is not to be copied at every look.
        return byte - start < _MAX_INDENT and not self._source[start:byte].strip()

    def start_of(self, line: int) -> int:
        """Return the byte at which a 1-based line starts."""
        return self.starts[line - 1]
