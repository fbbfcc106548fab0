"""The parser: one file's text in, its symbols, references, comments and cuts out."""

from __future__ import annotations

import time
from bisect import bisect_right
from dataclasses import dataclass

from tree_sitter import Node

from gortex_py.parse.assemble import Assembler, Outline, enclosing_symbols
from gortex_py.parse.comments import merge_ranges
from gortex_py.parse.cuts import Cut, find_cuts
from gortex_py.parse.keys import blank_templates
from gortex_py.parse.lines import LineTable
from gortex_py.parse.macros import blank_macros
from gortex_py.parse.names import MAX_NAME_BYTES, MAX_NAME_CHARS, reference_name
from gortex_py.parse.registry import LANGUAGES, PROSE_LANGUAGES
from gortex_py.parse.treesitter import GrammarMissing, ParseStopped, Scan, load_grammar, scan_source
from gortex_py.types import ParsedFile, Reference, ReferenceKind, Symbol

_NOTHING = ParsedFile(symbols=(), references=(), comments=(), cuts={})


@dataclass(frozen=True, slots=True)
class ParserOptions:
    """Bounds of the work on one file."""

    long_symbol_lines: int = 60  # longer symbols get cuts
    timeout_s: float = 5.0  # of processor time, so that a busy machine indexes the same
    max_bytes: int = 16_000_000  # a syntax tree takes ten times as much memory and more
    max_symbols: int = 20_000
    max_references: int = 50_000


class SourceParser:
    """Parses files of every language of the registry; made once a worker process."""

    def __init__(self, options: ParserOptions | None = None) -> None:
        self._options = options or ParserOptions()

    def parse(self, path: str, language: str | None, text: str, /) -> ParsedFile:
        """Return what the file holds.

        A file of no known language has no symbols and no comments. Where a file cannot be
        parsed, ``degraded`` says why; nothing is raised for any text.
        """
        if language in PROSE_LANGUAGES:
            # Markdown and reStructuredText readers are slow to import and many workers never need them.
            from gortex_py.parse.prose import parse_prose

            return parse_prose(path, language, text)
        if language is None or language not in LANGUAGES:
            return _NOTHING
        source = text.encode("utf-8", "replace")
        if len(source) > self._options.max_bytes:
            return _degraded(f"larger than {self._options.max_bytes:,} bytes, not parsed")
        try:
            return self._parse(path, language, source)
        except ParseStopped as error:
            return _degraded(str(error) or "parse timed out")
        except GrammarMissing as error:
            return _degraded(str(error))
        except (ValueError, RuntimeError, SystemError, MemoryError) as error:
            # What the binding raises when the parser gives up or a node is out of its range.
            return _degraded(f"parser failed: {error or type(error).__name__}")

    def _parse(self, path: str, language: str, source: bytes) -> ParsedFile:
        grammar = load_grammar(language)
        deadline = time.thread_time() + self._options.timeout_s
        spec = LANGUAGES[language]
        lines = LineTable(source)
        readable = blank_macros(source) if spec.macros else blank_templates(source) if spec.templates else source
        scan, tree = scan_source(grammar, readable, lines, deadline)
        outline = Assembler(path, source, lines, spec).assemble(scan, max_symbols=self._options.max_symbols)
        return ParsedFile(
            symbols=tuple(outline.symbols),
            references=self._references(scan, source, lines, outline.symbols),
            comments=merge_ranges([*scan.comments, *scan.docstrings]),
            cuts=self._cuts(outline, lines, tree.root_node),
        )

    def _references(self, scan: Scan, source: bytes, lines: LineTable, symbols: list[Symbol]) -> tuple[Reference, ...]:
        starts = sorted(scan.references)[: self._options.max_references]
        names: dict[bytes, str] = {}
        line_starts = lines.starts
        found: list[Reference] = []
        for start, symbol in zip(starts, enclosing_symbols(starts, symbols), strict=True):
            end, kind = scan.references[start]
            spelled = source[start : min(end, start + MAX_NAME_BYTES)]
            name = names.get(spelled)
            if name is None:
                name = names[spelled] = reference_name(spelled.decode("utf-8", "replace"))
            if name:
                line = bisect_right(line_starts, start)
                found.append(Reference(name, kind, line, symbol, _spelled_import(spelled, name, kind)))
        return tuple(found)

    def _cuts(self, outline: Outline, lines: LineTable, root: Node) -> dict[int, tuple[Cut, ...]]:
        cuts = {}
        for index, (symbol, definition) in enumerate(zip(outline.symbols, outline.definitions, strict=True)):
            span = symbol.span
            if span.end_line - span.start_line + 1 <= self._options.long_symbol_lines:
                continue
            container = definition.body or root.descendant_for_byte_range(definition.start, definition.end)
            # Without a body of its own the smallest node around a definition may hold others as well.
            found = find_cuts(container, lines) if container is not None else ()
            if inside := tuple(cut for cut in found if span.start_line <= cut[0] <= span.end_line):
                cuts[index] = inside
        return cuts


def _spelled_import(spelled: bytes, name: str, kind: ReferenceKind) -> str:
    """Return an imported path or module as it stands there; its last name alone says too little."""
    if kind is not ReferenceKind.IMPORT or len(spelled) == len(name):
        return ""
    return spelled.decode("utf-8", "replace").strip()[:MAX_NAME_CHARS]


def _degraded(why: str) -> ParsedFile:
    return ParsedFile(symbols=(), references=(), comments=(), cuts={}, degraded=why)
