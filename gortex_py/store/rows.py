"""An analyzed file as rows and bytes: all that can be prepared before the database is touched."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from gortex_py.store.bags import FieldTexts, encode_bag, encode_terms, field_texts
from gortex_py.store.references import encode_references
from gortex_py.store.schema import ORDINALS
from gortex_py.text.tokens import squash, text_terms
from gortex_py.types import AnalyzedFile, FileCategory, PackedFile, Span, Symbol

SOURCE_COMPRESSION = 1  # higher levels save a tenth and cost three times as much

_Row = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class FileRows:
    """What a file adds to each table, without row ids."""

    file: _Row
    source: bytes
    bag: bytes
    bag_terms: bytes
    stem: str
    dir: str
    symbols: tuple[_Row, ...]
    units: tuple[_Row, ...]
    references: bytes
    texts: FieldTexts
    vocabulary: frozenset[str]
    is_prose: bool


def pack_file(analyzed: AnalyzedFile) -> PackedFile:
    """Return a file in the form the writer takes.

    :raises ValueError: when it has more symbols or units than a row id has room for.
    """
    file, bag = analyzed.file, analyzed.bag
    if max(len(analyzed.symbols), len(analyzed.units)) >= ORDINALS:
        raise ValueError(f"{file.path} has more than {ORDINALS} symbols or units")
    stem, directory = path_texts(file.path)
    is_prose = file.category is FileCategory.DOCS
    rows = FileRows(
        file=_file_values(analyzed),
        source=zlib.compress(analyzed.text.encode("utf-8", "surrogatepass"), SOURCE_COMPRESSION),
        bag=encode_bag(bag),
        bag_terms=encode_terms(bag.terms),
        stem=stem,
        dir=directory,
        symbols=tuple(map(_symbol_row, analyzed.symbols, analyzed.symbol_units)),
        units=tuple((unit.symbol, *_span(unit.span), unit.text_hash) for unit in analyzed.units),
        references=encode_references(analyzed.references),
        texts=field_texts(bag, by_unit=is_prose),
        vocabulary=frozenset((*bag.terms, *stem.split(), *directory.split())),
        is_prose=is_prose,
    )
    return PackedFile(file, analyzed.degraded, tuple(unit.text_hash for unit in analyzed.units), rows)


def path_texts(path: str) -> tuple[str, str]:
    """Return the terms of a path's file name without its extension, and of its directories.

    >>> path_texts("src/httpClient/retry_policy.test.py")
    ('retri polici retrypolicy test', 'src http client httpclient')
    """
    *directories, name = path.split("/")
    stem, dot, _ = name.rpartition(".")
    return " ".join(text_terms(stem if dot and stem else name)), " ".join(text_terms("/".join(directories)))


def _file_values(analyzed: AnalyzedFile) -> _Row:
    file = analyzed.file
    return (
        file.path,
        file.language,
        file.category.value,
        file.size_bytes,
        file.mtime_ns,
        file.digest,
        analyzed.line_count,
        len(analyzed.units),
        len(analyzed.symbols),
        *analyzed.bag.lengths.sum(axis=0).tolist(),
        analyzed.degraded,
    )


def _span(span: Span) -> tuple[int, int, int, int]:
    return span.start_line, span.end_line, span.start_byte, span.end_byte


def _symbol_row(symbol: Symbol, unit: int) -> _Row:
    usual = symbol.id == f"{symbol.path}::{symbol.qualified_name}"
    return (
        symbol.kind.value,
        symbol.name,
        squash(symbol.name),
        symbol.qualified_name,
        None if usual else symbol.id,
        *_span(symbol.span),
        symbol.signature,
        symbol.doc,
        symbol.parent,
        symbol.name_line,
        unit,
    )
