"""Short forms of what a parser found, to compare with."""

from __future__ import annotations

from gortex_py.types import ParsedFile, Symbol


def outline(parsed: ParsedFile) -> list[tuple[str, str, int, int]]:
    """Return (kind, qualified name, first line, last line) of each symbol."""
    return [(s.kind.value, s.qualified_name, s.span.start_line, s.span.end_line) for s in parsed.symbols]


def named(parsed: ParsedFile, qualified_name: str) -> Symbol:
    """Return the first symbol of that qualified name."""
    return next(s for s in parsed.symbols if s.qualified_name == qualified_name)


def mentions(parsed: ParsedFile, kind: str) -> list[str]:
    """Return the names that are mentioned in one way, in order."""
    return [r.name for r in parsed.references if r.kind == kind]


def comments(parsed: ParsedFile, text: str) -> list[str]:
    """Return the text of each comment."""
    source = text.encode()
    return [source[start:end].decode() for start, end in parsed.comments]
