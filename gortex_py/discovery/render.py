"""The search tool's call and answer as text for a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from gortex_py.discovery.bm25plus import Match
from gortex_py.discovery.order import TEXT_STEP, rounded
from gortex_py.discovery.search_tool import Found

TITLE = "Tool Discovery"
SUCCESS, WARNING, PENDING = "✓", "⚠", "◔"
COLLAPSED_ITEMS = 5
QUERY_CELLS = LABEL_CELLS = 72
DESCRIPTION_CELLS = 96
FALLBACK_CELLS = 110
EMPTY_CORPUS = "No discoverable tools are currently loaded."
NO_MATCH = "No matching tools found."
NO_TEXT = "Tool discovery completed"
_TAB = "   "


def render_call(query: str, limit: object = None) -> str:
    """Return the line shown while a call is under way."""
    asked = _line(query.strip()) or "(empty query)"
    return _status(PENDING, asked, [] if limit is None else [f"limit:{limit}"])


def render_found(found: Found, *, expanded: bool = False) -> str:
    """Return the answer: a status line, then at most COLLAPSED_ITEMS tools unless expanded."""
    count = len(found.matches)
    metas = [
        f"{count} match{'' if count == 1 else 'es'}",
        f"{len(found.selected)} active",
        f"{found.total_tools} total",
        f"limit:{found.limit}",
    ]
    header = _status(SUCCESS if count else WARNING, cut(_line(found.query), QUERY_CELLS), metas)
    if not count:
        return f"{header}\n{NO_MATCH if found.total_tools else EMPTY_CORPUS}"
    return "\n".join([header, *_tree(found.matches, count if expanded else COLLAPSED_ITEMS)])


def render_text_only(lines: Sequence[str]) -> str:
    """Return an answer that came without its details."""
    shown = [cut(_line(line), FALLBACK_CELLS) for text in lines for line in text.splitlines()]
    return "\n".join([_status(WARNING, "", []), *(shown or [NO_TEXT])])


def cut(text: str, cells: int) -> str:
    """Return a text that takes at most so many cells of a terminal, with an ellipsis where it was cut.

    >>> cut("abcdef", 4), cut("日本語", 4), cut("abcd", 4)
    ('abc…', '日…', 'abcd')
    """
    if sum(map(_width, text)) <= cells:
        return text
    kept: list[str] = []
    room = cells - 1
    for c in text:
        room -= _width(c)
        if room < 0:
            break
        kept.append(c)
    return "".join(kept) + "…"


def _tree(matches: Sequence[Match], shown: int) -> list[str]:
    lines = []
    left = len(matches) - shown
    for i, match in enumerate(matches[:shown]):
        is_last = left <= 0 and i == len(matches) - 1
        first, *rest = _item(match)
        lines.append(f"{'└─' if is_last else '├─'} {first}")
        lines += [f"{'  ' if is_last else '│ '} {line}" for line in rest]
    if left > 0:
        lines.append(f"└─ … {left} more tool{'' if left == 1 else 's'}")
    return lines


def _item(match: Match) -> list[str]:
    card = match.card
    server = f"{_line(card.server_name)} · " if card.server_name else ""
    # From the six places that details show, so that both surfaces agree.
    first = f"{cut(_line(card.label), LABEL_CELLS)} {server}score {rounded(float(rounded(match.score)), TEXT_STEP)}"
    description = cut(_line(card.summary).strip(), DESCRIPTION_CELLS)
    return [first, description] if description else [first]


def _status(icon: str, description: str, metas: Sequence[str]) -> str:
    head = f"{icon} {TITLE}: {description}" if description else f"{icon} {TITLE}"
    shown = " · ".join(meta for meta in metas if meta.strip())
    return f"{head} {shown}" if shown else head


def _line(text: str) -> str:
    """Return text that stays on its line: metadata is a stranger's, and may hold what moves a cursor."""
    flat = text.replace("\r\n", " ").replace("\n", " ").replace("\r", " ").replace("\t", _TAB)
    return "".join(c for c in flat if unicodedata.category(c) != "Cc")


def _width(c: str) -> int:
    if unicodedata.category(c) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1
