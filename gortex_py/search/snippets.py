"""Cut what a hit shows out of its file's text, and mark what matched."""

from __future__ import annotations

from collections.abc import Sequence, Set

from gortex_py.text.tokens import WORD, identifier_terms

MAX_LINES = 12
# A minified file is one line; what is shown of a line stays readable.
MAX_LINE_CHARS = 240
LEAD_CHARS = 60  # kept before a match in a line that is cut


def cut_snippet(
    lines: Sequence[str], start_line: int, end_line: int, terms: Set[str]
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return a snippet of at most MAX_LINES lines and the (start, end) characters that match in it.

    A span that is longer shows its start when that matches as well as any other place, else the
    place that matches best.

    :param lines: the file's lines
    :param start_line: 1-based; ``end_line`` is inclusive
    :param terms: index terms that count as a match
    """
    shown = lines[start_line - 1 : end_line]
    if len(shown) > MAX_LINES:
        hits = [len(_matching_terms(line, terms)) for line in shown]
        windows = [sum(hits[at : at + MAX_LINES]) for at in range(len(shown) - MAX_LINES + 1)]
        best = max(windows)
        at = 0 if windows[0] * 2 >= best else windows.index(best)
        shown = shown[at : at + MAX_LINES]
    cut = [_cut_line(line, terms) for line in shown]
    highlights = []
    offset = 0
    for line in cut:
        highlights.extend((offset + first, offset + last) for first, last in _matches(line, terms))
        offset += len(line) + 1
    return "\n".join(cut), tuple(highlights)


def _cut_line(line: str, terms: Set[str]) -> str:
    if len(line) <= MAX_LINE_CHARS:
        return line
    first = next((start for start, _ in _matches(line, terms)), 0)
    at = max(0, first - LEAD_CHARS)
    end = at + MAX_LINE_CHARS
    return ("…" if at else "") + line[at:end] + ("…" if end < len(line) else "")


def _matches(line: str, terms: Set[str]) -> list[tuple[int, int]]:
    return [m.span() for m in WORD.finditer(line) if not terms.isdisjoint(identifier_terms(m.group()))]


def _matching_terms(line: str, terms: Set[str]) -> set[str]:
    return {term for word in WORD.findall(line) for term in identifier_terms(word) if term in terms}
