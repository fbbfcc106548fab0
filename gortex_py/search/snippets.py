"""Cut what a hit shows out of its file's text, and mark what matched."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gortex_py.text.tokens import WORD, identifier_terms, is_unspaced

MAX_LINES = 12
# A minified file is one line; what is shown of a line stays readable.
MAX_LINE_CHARS = 240
LEAD_CHARS = 60  # kept before a match in a line that is cut

_WORD_OR_LINE_END = re.compile(WORD.pattern + r"|\n")


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
        return list(self.each_span(line))

    def each_span(self, line: str) -> Iterator[tuple[int, int]]:
        """Yield the spans from the left, so that who wants the first does not pay for a line of megabytes."""
        for word in WORD.finditer(line):
            terms = self[word.group()]
            if terms and is_unspaced(word.group()):
                yield from _spans_within(word.group(), terms, word.start())
            elif terms:
                yield word.span()

    def terms_by_line(self, lines: Sequence[str]) -> list[set[str]]:
        """Return the query's terms that each line holds."""
        found: list[set[str]] = [set()]
        for word in _WORD_OR_LINE_END.findall("\n".join(lines)):
            if word == "\n":
                found.append(set())
            elif terms := self[word]:
                found[-1] |= terms
        return found


def _spans_within(word: str, terms: frozenset[str], offset: int) -> Iterator[tuple[int, int]]:
    """Yield what matches in a run of unspaced script: pairs if the query has any, as single signs are everywhere."""
    telling = [term for term in terms if len(term) > 1] or terms
    pattern = "|".join(map(re.escape, sorted(telling, key=lambda term: (-len(term), term))))
    start, end = 0, -1
    # Pairs overlap, so each is looked for from the second sign of the one before.
    for found in re.finditer(f"(?=({pattern}))", word):
        if found.start() > end:
            if end >= 0:
                yield offset + start, offset + end
            start = found.start()
        end = found.start() + len(found[1])
    yield (offset + start, offset + end) if end >= 0 else (offset, offset + len(word))


def cut_snippet(lines: Sequence[str], matcher: TermMatcher) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return a snippet of at most MAX_LINES of the lines and the (start, end) characters that match in it.

    Of more lines it shows the first when they match as well as any others, else those that match best.
    """
    cut = [_cut_line(line, matcher) for line in lines]
    terms = matcher.terms_by_line(cut)
    at = _best_window(terms) if len(cut) > MAX_LINES else 0
    shown = cut[at : at + MAX_LINES]
    highlights: list[tuple[int, int]] = []
    offset = 0
    for line, held in zip(shown, terms[at:], strict=False):
        if held:
            highlights.extend((offset + first, offset + last) for first, last in matcher.spans(line))
        offset += len(line) + 1
    return "\n".join(shown), tuple(highlights)


def _best_window(terms: Sequence[set[str]]) -> int:
    """Return where the MAX_LINES lines begin that hold most terms; of equal ones, where they occur most often.

    A term that stands in every line says nothing about where to look, so how many different ones there are goes first.
    """
    worth = []
    for at in range(len(terms) - MAX_LINES + 1):
        window = terms[at : at + MAX_LINES]
        worth.append((len(set().union(*window)), sum(map(len, window))))
    best = max(worth)
    starts_well = worth[0][0] * 2 >= best[0] and worth[0][1] * 2 >= best[1]
    return 0 if starts_well else worth.index(best)


def _cut_line(line: str, matcher: TermMatcher) -> str:
    if len(line) <= MAX_LINE_CHARS:
        return line
    first = next((start for start, _ in matcher.each_span(line)), 0)
    at = max(0, first - LEAD_CHARS)
    end = at + MAX_LINE_CHARS
    return ("…" if at else "") + line[at:end] + ("…" if end < len(line) else "")
