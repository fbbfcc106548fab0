"""Turn one file's text into everything the store keeps of it: pure, so that a worker can do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from gortex_py.chunk import ChunkOptions
from gortex_py.embed.text import MAX_BODY_CHARS, unit_text
from gortex_py.index.bags import build_bag
from gortex_py.index.units import Piece, divide, symbol_pieces
from gortex_py.protocols import Parser
from gortex_py.types import AnalyzedFile, ParsedFile, SourceFile, Span, Unit

# Raised whenever the same file would give other rows, so that existing indexes are rebuilt.
ANALYSIS_VERSION = 5


@dataclass(frozen=True, slots=True)
class Analysis:
    """A file's rows and the texts its units are embedded from, in unit order."""

    file: AnalyzedFile
    unit_texts: tuple[str, ...]


def analyze(file: SourceFile, text: str, parser: Parser, options: ChunkOptions) -> Analysis:
    """Return the rows of one file."""
    parsed = parser.parse(file.path, file.language, text)
    lines = text.split("\n")
    line_count = len(lines) - (1 if lines[-1] == "" else 0)
    code_text, doc_text = separate_comments(text, parsed.comments)
    code_lines, doc_lines = code_text.split("\n"), doc_text.split("\n")
    pieces = divide(parsed, lines, options)
    shown = symbol_pieces(parsed.symbols, pieces)
    bag = build_bag(parsed, pieces, shown, code_lines, doc_lines)
    texts = tuple(_unit_text(piece, parsed, file.path, code_lines, doc_lines) for piece in pieces)
    units = tuple(
        Unit(piece.symbol, Span(piece.start_line, piece.end_line), blake2b(t.encode(), digest_size=16).digest())
        for piece, t in zip(pieces, texts, strict=True)
    )
    return Analysis(
        AnalyzedFile(
            file=file,
            text=text,
            line_count=line_count,
            symbols=parsed.symbols,
            symbol_units=shown,
            references=parsed.references,
            units=units,
            bag=bag,
            degraded=parsed.degraded,
        ),
        texts,
    )


def separate_comments(text: str, comments: Sequence[tuple[int, int]]) -> tuple[str, str]:
    """Return the text without its comments, and the comments alone; line numbers stay the same.

    :param comments: ascending, disjoint byte ranges of the text in UTF-8
    """
    if not comments:
        return text, "\n" * text.count("\n")
    data = text.encode()
    code: list[bytes] = []
    docs: list[bytes] = []
    end = 0
    for first, last in comments:
        between, comment = data[end:first], data[first:last]
        code += (between, b" ", b"\n" * comment.count(b"\n"))
        docs += (b"\n" * between.count(b"\n"), b" ", comment)
        end = last
    code.append(data[end:])
    docs.append(b"\n" * data[end:].count(b"\n"))
    return b"".join(code).decode(errors="replace"), b"".join(docs).decode(errors="replace")


def _unit_text(piece: Piece, parsed: ParsedFile, path: str, code_lines: Sequence[str], doc_lines: Sequence[str]) -> str:
    symbol = parsed.symbols[piece.symbol] if piece.symbol is not None else None
    body = _head(code_lines, piece)
    doc = symbol.doc if symbol is not None and piece.is_first and symbol.doc else _head(doc_lines, piece)
    return unit_text(
        symbol.kind if symbol else None,
        symbol.qualified_name if symbol else "",
        path=path,
        signature=symbol.signature if symbol and piece.is_first else "",
        doc=doc,
        body_head=body,
    )


def _head(lines: Sequence[str], piece: Piece) -> str:
    """Return the start of a piece's text, indentation removed."""
    taken: list[str] = []
    size = 0
    for line in piece.lines:
        stripped = lines[line - 1].strip()
        if stripped:
            taken.append(stripped)
            size += len(stripped) + 1
            if size >= MAX_BODY_CHARS:
                break
    return "\n".join(taken)[:MAX_BODY_CHARS]
