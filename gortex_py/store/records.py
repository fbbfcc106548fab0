"""Database rows as records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gortex_py.protocols import FileFacts, StoredSymbol
from gortex_py.store.schema import ORDINAL_BITS, ORDINALS
from gortex_py.types import FIELD_COUNT, Span, Symbol, SymbolKind

SYMBOL_COLUMNS = (
    "s.id, s.kind, s.name, s.qualified_name, s.symbol_id, s.start_line, s.end_line, s.start_byte, s.end_byte, "
    "s.signature, s.doc, s.parent, s.name_line"
)

FILE_DIGESTS = """
SELECT path, digest FROM files WHERE path IN (SELECT value FROM json_each(?))
UNION SELECT path, digest FROM files WHERE digest IN (SELECT value FROM json_each(?)) ORDER BY path
"""


def file_facts_from(rows: Sequence[tuple[Any, ...]]) -> FileFacts:
    """Return the rows of all files as columns."""
    ids, paths, languages, categories, lines, units, *lengths = zip(*rows, strict=True) if rows else ((),) * 11
    return FileFacts(
        ids=np.array(ids, np.int64),
        paths=tuple(paths),
        languages=tuple(languages),
        categories=tuple(categories),
        lines=np.array(lines, np.int64),
        units=np.array(units, np.int64),
        lengths=np.array(lengths, np.int64).T.reshape(len(ids), FIELD_COUNT),
    )


def stored_symbol_from(row: tuple[Any, ...]) -> StoredSymbol:
    """Return the symbol of a (path, SYMBOL_COLUMNS) row."""
    path, row_id, kind, name, qualified_name, symbol_id, start, end, start_byte, end_byte = row[:10]
    signature, doc, parent, name_line = row[10:]
    symbol = Symbol(
        id=symbol_id or f"{path}::{qualified_name}",
        kind=SymbolKind(kind),
        name=name,
        qualified_name=qualified_name,
        path=path,
        span=Span(start, end, start_byte, end_byte),
        signature=signature,
        doc=doc,
        parent=parent,
        name_line=name_line,
    )
    return StoredSymbol(symbol, row_id >> ORDINAL_BITS, row_id & ORDINALS - 1)
