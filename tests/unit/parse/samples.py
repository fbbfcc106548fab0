"""Read a sample the way the tests of the languages do: short lines that say what was found."""

from __future__ import annotations

from gortex_py.parse import SourceParser
from gortex_py.types import ParsedFile, Symbol

_PARSER = SourceParser()


def parse(language: str, source: str) -> ParsedFile:
    """Return what the parser makes of a sample."""
    parsed = _PARSER.parse(f"sample.{language}", language, source)
    assert parsed.degraded is None
    return parsed


def outline(language: str, source: str) -> list[str]:
    """Return one line a symbol: kind, qualified name, first and last line."""
    return [
        f"{s.kind} {s.qualified_name} {s.span.start_line}-{s.span.end_line}" for s in parse(language, source).symbols
    ]


def symbol(language: str, source: str, qualified_name: str) -> Symbol:
    """Return the first symbol with that qualified name."""
    return next(s for s in parse(language, source).symbols if s.qualified_name == qualified_name)


def references(language: str, source: str) -> set[str]:
    """Return each mention as "kind name line"."""
    return {f"{r.kind} {r.name} {r.line}" for r in parse(language, source).references}


def comments(language: str, source: str) -> list[str]:
    """Return the first line of each comment."""
    text = source.encode()
    return [text[start:end].decode().split("\n")[0] for start, end in parse(language, source).comments]
