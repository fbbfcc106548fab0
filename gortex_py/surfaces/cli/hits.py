"""Lay out an answer of ``GET /v1/search`` as text. Missing fields are left out, never an error."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gortex_py.surfaces.cli.console import Console, printable

INDENT = "    "
MAX_LINE_CHARS = 200  # a longer line is data or minified; the part around the first match is shown
ALSO_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Layout:
    """How hits are shown."""

    snippet_lines: int  # 0 shows none
    roots: Mapping[str, Path]  # repository name -> its root
    cwd: Path


def show_hit(console: Console, hit: Mapping[str, Any], layout: Layout) -> None:
    """Write one hit: where it is and what it is, its snippet, further matches in the file."""
    start, end = hit.get("start_line"), hit.get("end_line")
    where = console.style("path", printable(shown_path(hit, layout)))
    if start is not None:
        where += ":" + console.style("line", f"{start}-{end}")
    what = " ".join(str(hit[key]) for key in ("kind", "qualified_name") if hit.get(key))
    console.result(f"{where}  {console.style('name', printable(what))}" if what else where)
    for line in snippet_lines(console, hit, layout.snippet_lines):
        console.result((INDENT + line).rstrip())
    also = _also(hit.get("also"))
    if also and layout.snippet_lines:
        console.result(INDENT + console.style("dim", printable(also)))
    for line in contribution_lines(hit.get("contributions")):
        console.result(INDENT + line)


def shown_path(hit: Mapping[str, Any], layout: Layout) -> str:
    """Return a path that can be opened from where the command was typed."""
    path = str(hit.get("path", ""))
    root = layout.roots.get(str(hit.get("repo")))
    if root is None:
        return path
    full = root / path
    if full.is_relative_to(layout.cwd):
        return str(full.relative_to(layout.cwd))
    return os.path.relpath(full, layout.cwd) if layout.cwd.is_relative_to(root) else str(full)


def snippet_lines(console: Console, hit: Mapping[str, Any], limit: int) -> list[str]:
    """Return at most ``limit`` of the snippet's lines, those with most highlights, and where some are left out."""
    snippet = str(hit.get("snippet") or "")
    if not snippet or limit < 1:
        return []
    marks = _ranges(hit.get("highlights"), len(snippet))
    lines: list[str] = []
    counts: list[int] = []
    offset = 0
    for line in snippet.split("\n"):
        end = offset + len(line)
        inside = [(max(a, offset) - offset, min(b, end) - offset) for a, b in marks if a < end and b > offset]
        lines.append(_marked(console, line, inside))
        counts.append(len(inside))
        offset = end + 1
    if len(lines) <= limit:
        return lines
    more = console.style("dim", "…")
    first = max(range(len(lines) - limit + 1), key=lambda i: (sum(counts[i : i + limit]), -i))
    if first == 0 or limit == 1:
        return [*lines[:limit], more]
    # What the hit is stands on its first line, whatever part of it matched.
    rest = lines[first + 1 : first + limit]
    return [lines[0], more, *rest, *([more] if first + limit < len(lines) else [])]


def contribution_lines(contributions: object) -> list[str]:
    """Return one line a signal, the largest share first."""
    rows = [row for row in contributions if isinstance(row, Mapping)] if isinstance(contributions, list) else []

    def share(row: Mapping[str, Any]) -> float:
        given = row.get("score")
        return _number(given) if given is not None else _number(row.get("raw")) * _number(row.get("weight"))

    lines = []
    for row in sorted(rows, key=lambda row: (-abs(share(row)), str(row.get("signal")))):
        product = f"{_number(row.get('raw')):.4f} x {_number(row.get('weight')):.3f}"
        lines.append(f"{share(row):+8.4f}  {row.get('signal', '?')}  ({product})")
    return lines


def remarks(answer: Mapping[str, Any]) -> list[str]:
    """Return what the answer says about itself: warnings, advice, an index that is not whole."""
    warnings = answer.get("warnings")
    said = [f"warning: {warning}" for warning in warnings] if isinstance(warnings, list) else []
    advice = answer.get("query_advice")
    if isinstance(advice, Mapping) and advice.get("reason"):
        parts = advice.get("split_into")
        asked = "; ask for: " + ", ".join(map(str, parts)) if isinstance(parts, list) and parts else ""
        said.append(f"hint: {advice['reason']}{asked}")
    return said


def shape_line(answer: Mapping[str, Any]) -> str:
    """Return what was made of the query and how long it took, for ``--explain``."""
    shape = answer.get("query_shape")
    elapsed = answer.get("elapsed_ms")
    parts = []
    if isinstance(shape, Mapping):
        parts.append(f"class {shape.get('class', '?')}, alpha {_number(shape.get('alpha')):.3f}")
    if isinstance(elapsed, Mapping):
        parts.append(", ".join(f"{stage} {_number(ms):.1f} ms" for stage, ms in elapsed.items()))
    return "; ".join(parts)


def _also(spans: object) -> str:
    rows = [span for span in spans if isinstance(span, Mapping)] if isinstance(spans, list) else []
    shown = [f"{row.get('start_line')}-{row.get('end_line')} {row.get('symbol') or ''}".rstrip() for row in rows]
    more = f", {len(rows) - ALSO_SHOWN} more" if len(rows) > ALSO_SHOWN else ""
    return "also " + ", ".join(shown[:ALSO_SHOWN]) + more if shown else ""


def _ranges(highlights: object, length: int) -> list[tuple[int, int]]:
    """Return (start, end) character ranges from pairs or from ``{start, end}`` objects."""
    ranges = []
    for item in highlights if isinstance(highlights, list) else ():
        pair = (item.get("start"), item.get("end")) if isinstance(item, Mapping) else item
        if isinstance(pair, Sequence) and len(pair) == 2 and all(isinstance(i, int) for i in pair):
            start, end = max(0, pair[0]), min(length, pair[1])
            if start < end:
                ranges.append((start, end))
    return sorted(ranges)


def _marked(console: Console, line: str, marks: Sequence[tuple[int, int]]) -> str:
    begin, stop = 0, len(line)
    if stop > MAX_LINE_CHARS:
        begin = max(0, min(marks[0][0] - MAX_LINE_CHARS // 4, stop - MAX_LINE_CHARS)) if marks else 0
        stop = begin + MAX_LINE_CHARS
    pieces = ["…"] if begin else []
    at = begin
    for first, last in marks:
        start, end = max(first, at), min(last, stop)
        if start < end:
            pieces += [printable(line[at:start]), console.style("match", printable(line[start:end]))]
            at = end
    pieces.append(printable(line[at:stop]))
    return "".join(pieces) + ("…" if stop < len(line) else "")


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0
