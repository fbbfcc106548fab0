"""What comments and docstrings say about a definition."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from gortex_py.parse.lines import LineTable

MAX_DOC_CHARS = 2_000
MAX_DOC_LINES = 400  # looked at above a definition; a block's head, which is kept, says most
MAX_DOC_BYTES = 16_000  # of a comment are read to get that many characters without markers
_MAX_GAP_BYTES = 1_000  # of white space between comment and definition

_Range = tuple[int, int]

_OPENING = re.compile(
    r"""^\s*(?:
        /\*+!?            # /* /** /*!
      | \*+/              # */
      | \*(?=\s|$)        # the star at the start of a block comment's line
      | //[/!<]*          # // /// //! ///<
      | --\[=*\[           # Lua
      | --+(?:[ ][|^](?=\s|$))?  # SQL, Lua, Haskell
      | \{-\|?            # Haskell
      | <!--+
      | \#+[!:]?
    )+[ \t]?""",
    re.VERBOSE,
)
# An attribute that holds a docstring, and the line that names an interpreter.
_FIRST_LINE = re.compile(r"^@(?:type)?doc\b\s*(?:~[sS])?|^#!.*")
_CLOSING = re.compile(r"\s*(?:\*+/|-->|-\}|\]=*\])\s*$")
_QUOTES = re.compile(r"^[A-Za-z]{0,2}(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')\s*$")
_RULES = frozenset(c * 3 for c in "-=*#~_")
_DECORATION = re.compile(r"^[-=*#~_]{3,}\s*|\s*[-=*#~_]{3,}$")
_LICENCE = re.compile(rb"(?i)copyright|licen[cs]e")


def merge_ranges(ranges: Iterable[_Range]) -> tuple[_Range, ...]:
    """Return the ranges ascending and disjoint; overlapping ones become one.

    >>> merge_ranges([(5, 9), (0, 3), (7, 12)])
    ((0, 3), (5, 12))
    """
    merged: list[_Range] = []
    for start, end in sorted(ranges):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > start:
            merged.append((start, end))
    return tuple(merged)


def comment_text(raw: str) -> str:
    """Return a comment block or docstring without its markers.

    >>> comment_text("/**\\n * Adds a route.\\n */")
    'Adds a route.'
    """
    lines = []
    for line in _unquote(_FIRST_LINE.sub("", raw.strip()).strip()).split("\n"):
        text = _CLOSING.sub("", _OPENING.sub("", line)).strip()
        if text[-3:] in _RULES or text[:3] in _RULES:
            text = _DECORATION.sub("", text)
        lines.append(text)
    return "\n".join(lines).strip()[:MAX_DOC_CHARS].rstrip()


class LeadingComments:
    """Finds the comment block directly above a definition."""

    def __init__(self, source: bytes, lines: LineTable, comments: Sequence[_Range], *, blank_line: bool) -> None:
        self._source = source
        self._lines = lines
        self._starts = [start for start, _ in comments]
        # Some grammars count the line break to a line comment.
        self._ends = [_trimmed_end(source, start, end) for start, end in comments]
        self._blank_line = blank_line

    def above(self, byte: int) -> str:
        """Return the text of the block above the definition that starts at ``byte``; may be empty."""
        first = last = bisect_left(self._starts, byte)
        bottom = self._lines.line_of(byte)
        breaks = 2 if self._blank_line else 1
        top = byte
        while first > 0 and self._joins(first - 1, top, breaks):
            start = self._starts[first - 1]
            if first != last and bottom - self._lines.line_of(start) > MAX_DOC_LINES:
                break
            first -= 1
            top = start
            breaks = 1  # a blank line ends the block itself in every language
        if first == last:
            return ""
        return comment_text(
            self._source[top : min(self._ends[last - 1], top + MAX_DOC_BYTES)].decode("utf-8", "replace")
        )

    def _joins(self, index: int, top: int, breaks: int) -> bool:
        start, end = self._starts[index], self._ends[index]
        if end > top or top - end > _MAX_GAP_BYTES:
            return False
        between = self._source[end:top]
        if between and not between.isspace():
            return False
        count = between.count(b"\n")
        if count > breaks:
            return False
        if not self._lines.begins_line(start):
            return False  # it trails other code
        is_header = count > 1 and start == 0 and _LICENCE.search(self._source, start, end) is not None
        return not is_header


def _trimmed_end(source: bytes, start: int, end: int) -> int:
    while end > start and source[end - 1] in b"\r\n":
        end -= 1
    return end


def _unquote(text: str) -> str:
    return _QUOTES.sub("", text)
