"""Cut what a hit shows out of its file's text, and mark what matched."""

from __future__ import annotations

from collections.abc import Sequence

from gortex_py.text.tokens import WORD, identifier_terms

MAX_LINES = 12
# A minified file is one line; what is shown of a line stays readable.
MAX_LINE_CHARS = 240
LEAD_CHARS = 60  # kept before a match in a line that is cut


class TermMatcher(dict[str, frozenset[str]]):
    """The terms of a query that each word of a text holds; a word is split when it is first met."""

    def __init__(self, terms: frozenset[str]) -> None:
        super().__init__()
        self._terms = terms

    def __missing__(self, word: str) -> frozenset[str]:
        matched = self[word] = self._terms.intersection(identifier_terms(word))
        return matched

    def spans(self, line: str) -> list[tuple[int, int]]:
        """Return the (start, end) characters of the words that match in a line."""
        return [m.span() for m in WORD.finditer(line) if self[m.group()]]

    def count(self, line: str) -> int:
        """Return the number of distinct terms that a line holds."""
        return len(frozenset().union(*map(self.__getitem__, WORD.findall(line))))


def cut_snippet(
    lines: Sequence[str], start_line: int, end_line: int, matcher: TermMatcher
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return a snippet of at most MAX_LINES lines and the (start, end) characters that match in it.

    A span that is longer shows its start when that matches as well as any other place, else the
    place that matches best.

    :param lines: the file's lines
    :param start_line: 1-based; ``end_line`` is inclusive
    """
    shown = lines[start_line - 1 : end_line]
    if len(shown) > MAX_LINES:
        counts = [matcher.count(line) for line in shown]
        windows = [sum(counts[at : at + MAX_LINES]) for at in range(len(shown) - MAX_LINES + 1)]
        best = max(windows)
        at = 0 if windows[0] * 2 >= best else windows.index(best)
        shown = shown[at : at + MAX_LINES]
    cut = [_cut_line(line, matcher) for line in shown]
    highlights: list[tuple[int, int]] = []
    offset = 0
    for line in cut:
        highlights.extend((offset + first, offset + last) for first, last in matcher.spans(line))
        offset += len(line) + 1
    return "\n".join(cut), tuple(highlights)


def _cut_line(line: str, matcher: TermMatcher) -> str:
    if len(line) <= MAX_LINE_CHARS:
        return line
    first = next((start for start, _ in matcher.spans(line)), 0)
    at = max(0, first - LEAD_CHARS)
    end = at + MAX_LINE_CHARS
    return ("…" if at else "") + line[at:end] + ("…" if end < len(line) else "")
