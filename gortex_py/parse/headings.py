"""Find the headings of prose files by line.

Markdown goes through markdown-it's block parser, which knows what is a heading and what only
looks like one (in code, in a quote, in an HTML block). Above a size it goes through a plain line
scan instead, since the block parser has inputs on which it is slower than linear.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

# markdown-it 4.3 is quadratic in some inputs (one paragraph of short lines under 20 quote marks:
# 12 s at 300,000 characters). At this size the worst of 40 odd inputs takes about a second, and the
# line scan finds the headings of every Markdown file of the checked corpora on the same lines.
MAX_BLOCK_PARSER_CHARS = 100_000
MAX_BLOCK_PARSER_LINES = 5_000
# Headings are looked for in this many lines; no hand-written document has more.
MAX_SCANNED_LINES = 100_000
# A file of more headings is a table or a log; what follows belongs to the last section.
MAX_HEADINGS = 2_000
MAX_TITLE_CHARS = 200

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$", re.DOTALL)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$", re.DOTALL)
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NO_PARAGRAPH = re.compile(r"[ \t]{4}|\t| {0,3}(?:[-+*>|<]|\d{1,9}[.)][ \t])")
_MARKUP = re.compile(r"[*_`\[\]<>&\\!\n]")
_RST_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*[ \t]*$")
_RST_INLINE = (
    (re.compile(r"``(.+?)``"), r"\1"),
    (re.compile(r"(?::[\w:+.-]+:)?`([^`<]+?)\s*(?:<[^`>]*>)?`_{0,2}"), r"\1"),  # :ref:`name <target>`, `name <url>`_
    (re.compile(r"(?::[\w:+.-]+:)?`<([^`>]*)>`_{0,2}"), r"\1"),
    (re.compile(r"\*\*(.+?)\*\*"), r"\1"),
    (re.compile(r"(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\w*])"), r"\1"),
    (re.compile(r"\|([^|]+)\|"), r"\1"),
    (re.compile(r"\\(.)"), r"\1"),
)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading with the lines it takes, markers and underlines included."""

    level: int  # from 1
    title: str  # without markup, not empty
    first_line: int  # 1-based
    title_line: int  # 1-based; differs from first_line under an overline
    last_line: int  # 1-based, inclusive


def markdown_headings(lines: Sequence[str]) -> list[Heading]:
    """Return the headings of a Markdown file that stand outside quotes, lists, code and HTML."""
    skip = front_matter_lines(lines)
    if len(lines) > MAX_BLOCK_PARSER_LINES or sum(map(len, lines)) + len(lines) > MAX_BLOCK_PARSER_CHARS:
        return scan_markdown(lines, skip)
    # The front matter stays as blank lines so that line numbers agree; a lone carriage return
    # would count as a line end for markdown-it and does not here.
    text = "\n" * skip + "\n".join(lines[skip:]).replace("\r", " ")
    links: dict[str, Any] = {}  # filled by the block parser; names of reference links in titles need it
    tokens = _block_parser().parse(text, links)
    found: list[Heading] = []
    for opening, inline in pairwise(tokens):
        if opening.type != "heading_open" or opening.level != 0 or opening.map is None:
            continue
        first, end = opening.map
        title = _markdown_title(inline.content, links)
        if title:
            found.append(Heading(int(opening.tag[1:]), title, first + 1, first + 1, end))
            if len(found) == MAX_HEADINGS:
                break
    return found


def scan_markdown(lines: Sequence[str], skip: int) -> list[Heading]:
    """Return the headings of a Markdown file by looking at single lines; linear in the text.

    Knows fences, ATX headings and one-line setext headings; sees no HTML blocks.
    """
    found: list[Heading] = []
    fence = ""
    for number, line in enumerate(lines[skip:MAX_SCANNED_LINES], skip + 1):
        head = line[: MAX_TITLE_CHARS * 4]
        if mark := _FENCE.match(head):
            fence = _next_fence(fence, mark.group(1), mark.group(2))
            continue
        if fence:
            continue
        heading = _atx(head, number) or _setext(lines, number, skip)
        if heading is not None and heading.title:
            found.append(heading)
            if len(found) == MAX_HEADINGS:
                break
    return found


def rst_headings(lines: Sequence[str]) -> list[Heading]:
    """Return the section titles of a reStructuredText file.

    A style (character, with or without overline) takes the next level when it first appears.
    """
    found: list[Heading] = []
    styles: list[tuple[str, bool]] = []
    number = 1
    while number < min(len(lines), MAX_SCANNED_LINES) and len(found) < MAX_HEADINGS:
        heading = _rst_title(lines, number, styles)
        if heading is None:
            number += 1
            continue
        found.append(heading)
        number = heading.last_line + 1
    return found


def front_matter_lines(lines: Sequence[str]) -> int:
    """Return how many lines the front matter takes (``---`` or ``+++`` on the very first line), or 0."""
    if not lines or lines[0].rstrip() not in ("---", "+++"):
        return 0
    fence = lines[0].rstrip()
    for number, line in enumerate(lines[1:200], 2):
        if line.rstrip() == fence or (fence == "---" and line.rstrip() == "..."):
            return number
        if not line.strip() and number == 2:
            return 0  # a thematic break, then text
    return 0


@cache
def _block_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # 40 ms that only a file of this kind should cost

    # Inline text is parsed for headings only: that is most of the time and most of the odd cases.
    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])


@cache
def _inline_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def _markdown_title(content: str, links: dict[str, Any]) -> str:
    """Return a heading's text without markup; images count only if nothing else is there."""
    if not _MARKUP.search(content):
        return clean_title(content)
    texts: list[str] = []
    images: list[str] = []
    for token in _inline_parser().parseInline(content[: MAX_TITLE_CHARS * 4], links):
        for child in token.children or ():
            if child.type in ("text", "code_inline", "text_special"):
                texts.append(child.content)
            elif child.type in ("softbreak", "hardbreak"):
                texts.append(" ")
            elif child.type == "image":
                images.append(child.content)
    return clean_title("".join(texts)) or clean_title(" ".join(images))


def clean_title(text: str) -> str:
    """Return a title on one line, bounded, without control characters."""
    printable = "".join(" " if unicodedata.category(c) == "Cc" else c for c in text[: MAX_TITLE_CHARS * 4])
    return " ".join(printable.split())[:MAX_TITLE_CHARS].rstrip()


def _next_fence(fence: str, marker: str, rest: str) -> str:
    """Return the fence that is open after a fence line, empty for none."""
    if not fence:
        return "" if marker[0] == "`" and "`" in rest else marker
    closes = marker[0] == fence[0] and len(marker) >= len(fence) and not rest.strip()
    return "" if closes else fence


def _atx(head: str, number: int) -> Heading | None:
    match = _ATX.match(head)
    if match is None:
        return None
    title = (match.group(2) or "").rstrip()
    without_marks = title.rstrip("#")
    if without_marks != title and (not without_marks or without_marks[-1] in " \t"):
        title = without_marks
    return Heading(len(match.group(1)), _markdown_title(title, {}), number, number, number)


def _setext(lines: Sequence[str], number: int, skip: int) -> Heading | None:
    """Return the heading whose title is this line, if an underline follows and no text precedes."""
    line = lines[number - 1]
    if number >= len(lines) or not line.strip() or _NO_PARAGRAPH.match(line):
        return None
    underline = _SETEXT.match(lines[number][:MAX_TITLE_CHARS])
    if underline is None or (number - 2 >= skip and lines[number - 2].strip()):
        return None
    level = 1 if underline.group(1)[0] == "=" else 2
    return Heading(level, _markdown_title(line[: MAX_TITLE_CHARS * 4], {}), number, number, number + 1)


def _rst_title(lines: Sequence[str], number: int, styles: list[tuple[str, bool]]) -> Heading | None:
    """Return the section title that begins on this line; its style is added to the styles if new."""
    first = lines[number - 1]
    mark = _adornment(first)
    if not (mark or _adornment(lines[number])) or not _begins_block(lines, number):
        return None
    if mark and number + 1 < len(lines) and _adornment(lines[number + 1]) == mark:
        title, title_line, last_line = lines[number], number + 1, number + 2
        long_enough = min(len(first.rstrip()), len(lines[number + 1].rstrip())) >= _columns(title.strip())
    else:
        mark = _adornment(lines[number])
        title, title_line, last_line = first, number, number + 1
        # Docutils takes a short underline from four characters on, with a warning.
        long_enough = len(lines[number].rstrip()) >= min(4, _columns(title.rstrip())) and not title[:1].isspace()
    if not mark or not long_enough or not title.strip() or _adornment(title):
        return None
    style = (mark, title_line != number)
    if style not in styles:
        styles.append(style)
    name = clean_title(_rst_text(title[: MAX_TITLE_CHARS * 4]))
    return Heading(styles.index(style) + 1, name, number, title_line, last_line) if name else None


def _begins_block(lines: Sequence[str], number: int) -> bool:
    """Tell whether a block can begin here: after a blank line, an explicit mark-up or an indented line."""
    if number == 1:
        return True
    before = lines[number - 2]
    return not before.strip() or before[0].isspace() or before.startswith("..") or _adornment(before) != ""


def _adornment(line: str) -> str:
    """Return the character a line repeats, or "" if the line is no adornment."""
    match = _RST_ADORNMENT.match(line) if len(line) <= MAX_TITLE_CHARS * 2 else None
    return match.group(1) if match else ""


def _columns(text: str) -> int:
    """Return the width of a text as an underline must cover it: wide characters count twice."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _rst_text(title: str) -> str:
    for pattern, replacement in _RST_INLINE:
        title = pattern.sub(replacement, title)
    return title.strip()
