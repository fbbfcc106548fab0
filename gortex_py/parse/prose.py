"""Cut prose into sections: Markdown, reStructuredText and plain text.

A section is a DOC symbol that spans its heading and everything below it up to the next heading
of the same or a higher level. Its id comes from the path of headings that leads to it, so it
survives any edit of its body:

>>> [s.id for s in parse_prose("README.md", "markdown", "# Setup\\n\\n## Build\\n").symbols]
['README.md::doc:setup', 'README.md::doc:setup/build']
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import accumulate
from pathlib import PurePosixPath

from gortex_py.parse.headings import Heading, clean_title, front_matter_lines, markdown_headings, rst_headings
from gortex_py.types import ParsedFile, Span, Symbol, SymbolKind

MAX_DOC_CHARS = 300
MAX_SIGNATURE_CHARS = 300
MAX_SLUG_CHARS = 100
LONG_SECTION_LINES = 60
PARAGRAPH_GROUP_LINES = 40
# Plain text beyond this many groups is a log or a data dump: the last group takes the rest.
MAX_GROUPS = 2_000

_LIST_ITEM = re.compile(r"([ \t]*)(?:[-+*]|\d{1,9}[.)]|#\.)[ \t]+\S")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NOT_PROSE = re.compile(
    r"\s*(?:\||<[!a-zA-Z/]"  # a table, HTML
    r"|\.\.(?:\s|$)|:[\w-]+:"  # a directive, a field
    r"|[=~^\"'*+#-]{3,}\s*$"  # an adornment
    r"|!?\[!?\[.*\]\(.*\)\s*$)"  # a badge
)


def parse_prose(path: str, language: str | None, text: str) -> ParsedFile:
    """Return the sections of a prose file; never raises for odd input.

    :param path: relative to the root, forward slashes.
    :param language: ``markdown``, ``rst`` or anything else for plain text.
    :param text: decoded, newlines as ``\\n``.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    page = _Page(path, lines)
    if language == "markdown":
        page.add_sections(markdown_headings(lines))
    elif language == "rst":
        page.add_sections(rst_headings(lines))
    else:
        page.add_groups()
    symbols = tuple(page.symbols)
    return ParsedFile(symbols, (), (), page.cuts())


def slug(text: str) -> str:
    """Return text as one lower-case word: letters and digits of any script, ``-`` between runs.

    A text without either, such as an emoji, gives its code points, so that it still has an id.

    >>> slug("How to: build & run?"), slug("安装 指南"), slug("🚀")
    ('how-to-build-run', '安装-指南', '1f680')
    """
    kept: list[str] = []
    for c in unicodedata.normalize("NFKC", text).lower():
        category = unicodedata.category(c)[0]
        # A combining mark belongs to the letter it follows (Devanagari vowels); after a symbol it
        # is a presentation mark.
        if category in "LN" or (category == "M" and kept and kept[-1] != "-"):
            kept.append(c)
        elif kept and kept[-1] != "-":
            kept.append("-")
    word = "".join(kept)[:MAX_SLUG_CHARS].strip("-")
    return word or "-".join(f"{ord(c):x}" for c in text[:8] if not c.isspace()) or "section"


class _Page:
    """One prose file on its way to symbols."""

    def __init__(self, path: str, lines: Sequence[str]) -> None:
        self.path = path
        self.lines = lines
        self.symbols: list[Symbol] = []
        self._own_ends: list[int] = []  # last line before the first child, by symbol
        self._offsets = [0, *accumulate(_byte_count(line) + 1 for line in lines)]
        self._seen: dict[str, int] = {}
        self._file_name = PurePosixPath(path).name
        self._stem = clean_title(PurePosixPath(path).stem) or "text"

    def add_sections(self, headings: Sequence[Heading]) -> None:
        """Turn headings into nested symbols; what stands before the first is a section as well."""
        ends = _section_ends(headings, len(self.lines))
        paths: list[tuple[str, ...]] = []
        trail: list[tuple[int, int]] = []  # (level, index of the heading) of the open sections
        parents: list[int | None] = []
        for index, heading in enumerate(headings):
            while trail and trail[-1][0] >= heading.level:
                trail.pop()
            parents.append(trail[-1][1] if trail else None)
            trail.append((heading.level, index))
            paths.append(tuple(headings[i].title for _, i in trail))
        # Headings take their ids first: a preamble that is added later must not rename a section.
        ids = [self._new_id(titles) for titles in paths]
        preamble_end = headings[0].first_line - 1 if headings else len(self.lines)
        shift = self._add_plain(1, preamble_end)
        for index, heading in enumerate(headings):
            parent = parents[index]
            following = headings[index + 1].first_line - 1 if index + 1 < len(headings) else len(self.lines)
            self._own_ends.append(following)
            self.symbols.append(
                Symbol(
                    id=ids[index],
                    kind=SymbolKind.DOC,
                    name=heading.title,
                    qualified_name=" > ".join((self._file_name, *paths[index])),
                    path=self.path,
                    span=self._span(heading.first_line, ends[index]),
                    signature=clean_title(self.lines[heading.title_line - 1])[:MAX_SIGNATURE_CHARS],
                    doc=first_paragraph(self.lines, heading.last_line + 1, following),
                    parent=None if parent is None else parent + shift,
                    name_line=heading.title_line,
                )
            )

    def add_groups(self) -> None:
        """Turn plain text into symbols of whole paragraphs, at most 40 lines each."""
        for first, last in paragraph_groups(self.lines):
            self._add_plain(first, last)

    def cuts(self) -> dict[int, tuple[tuple[int, int], ...]]:
        """Return where a window may begin in the long sections, outside their children."""
        found = {}
        for index, symbol in enumerate(self.symbols):
            if symbol.span.end_line - symbol.span.start_line + 1 > LONG_SECTION_LINES:
                found[index] = tuple(block_starts(self.lines, symbol.span.start_line, self._own_ends[index]))
        return found

    def _add_plain(self, first: int, last: int) -> int:
        """Add a section without a heading if the lines hold any text; return how many were added."""
        while first <= last and not self.lines[first - 1].strip():
            first += 1
        if first > last:
            return 0
        text_line = first + front_matter_lines(self.lines) if first == 1 else first
        self._own_ends.append(last)
        self.symbols.append(
            Symbol(
                id=self._new_id((self._stem,)),
                kind=SymbolKind.DOC,
                name=self._stem,
                qualified_name=self._file_name,
                path=self.path,
                span=self._span(first, last),
                signature=clean_title(self._file_name),
                doc=first_paragraph(self.lines, text_line, last),
                parent=None,
                name_line=first,
            )
        )
        return 1

    def _new_id(self, titles: Sequence[str]) -> str:
        base = f"{self.path}::doc:{'/'.join(map(slug, titles))}"
        count = self._seen[base] = self._seen.get(base, 0) + 1
        return base if count == 1 else f"{base}~{count}"

    def _span(self, first: int, last: int) -> Span:
        return Span(first, last, self._offsets[first - 1], self._offsets[last] - 1)


def first_paragraph(lines: Sequence[str], first: int, last: int) -> str:
    """Return the first paragraph between two lines on one line, at most 300 characters.

    Fences, tables, directives, badges and HTML are passed over.
    """
    words: list[str] = []
    passing = False  # inside a block that is no paragraph, up to the next blank line
    fence = ""
    for number in range(first, min(last, first + LONG_SECTION_LINES) + 1):
        line = lines[number - 1][: MAX_DOC_CHARS * 2]
        mark = _FENCE.match(line)
        if mark and (not fence or mark.group(1).startswith(fence)):
            fence = "" if fence else mark.group(1)
            passing = False
            if not words:
                continue
        if words and (mark or not line.strip()):
            break
        if not line.strip():
            passing = False
        elif not words and (fence or _NOT_PROSE.match(line)):
            passing = True
        elif not passing:
            words.extend(line.split())
    return _shorten(words)


def _shorten(words: Sequence[str]) -> str:
    """Return words on one line, cut at a word at 300 characters."""
    text = " ".join(words)
    if len(text) <= MAX_DOC_CHARS:
        return text
    return text[:MAX_DOC_CHARS].rpartition(" ")[0] or text[:MAX_DOC_CHARS]


def paragraph_groups(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return (first, last) lines of groups of whole paragraphs, at most 40 lines each.

    A longer paragraph is cut every 40 lines. The groups tile the lines.
    """
    groups: list[tuple[int, int]] = []
    first = 1
    cut = 0  # the last line after which a paragraph may be parted from the next, in this group
    for number, line in enumerate(lines, 1):
        if number - first + 1 > PARAGRAPH_GROUP_LINES:
            if len(groups) + 1 >= MAX_GROUPS:
                break
            last = cut if cut >= first else number - 1
            groups.append((first, last))
            first = last + 1
        if not line.strip():
            cut = number
    if lines:
        groups.append((first, len(lines)))
    return groups


def block_starts(lines: Sequence[str], first: int, last: int) -> list[tuple[int, int]]:
    """Return (line, depth) of each paragraph, block and list item between two lines.

    Depth 0 is a block at the margin, list items are one deeper for each level of indentation.
    """
    starts: list[tuple[int, int]] = []
    fence = ""
    after_blank = False
    for number in range(first, last + 1):
        line = lines[number - 1]
        mark = _FENCE.match(line)
        if fence:
            if mark and mark.group(1).startswith(fence):
                fence = ""
            continue
        item = _LIST_ITEM.match(line)
        if item:
            starts.append((number, 1 + min(len(item.group(1).expandtabs(4)) // 2, 8)))
        elif (after_blank or mark) and line.strip():
            starts.append((number, 0 if not line[0].isspace() else 1))
        if mark:
            fence = mark.group(1)
        after_blank = not line.strip()
    return starts


def _byte_count(line: str) -> int:
    return len(line) if line.isascii() else len(line.encode("utf-8", "surrogatepass"))


def _section_ends(headings: Sequence[Heading], line_count: int) -> list[int]:
    """Return the last line of each section: the line before the next of its level or higher."""
    ends = [line_count] * len(headings)
    open_sections: list[int] = []
    for index, heading in enumerate(headings):
        while open_sections and headings[open_sections[-1]].level >= heading.level:
            ends[open_sections.pop()] = heading.first_line - 1
        open_sections.append(index)
    return ends
