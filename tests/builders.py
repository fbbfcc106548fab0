"""Records with every argument defaulted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from gortex_py.rank.evidence import Evidence, Question, TermGroup
from gortex_py.text.tokens import term_key
from gortex_py.types import (
    FIELD_COUNT,
    AnalyzedFile,
    Bag,
    Field,
    FileCategory,
    Reference,
    SourceFile,
    Span,
    Symbol,
    SymbolKind,
    Unit,
)

Words = Mapping[Field, Sequence[str]]


def make_symbol(
    name: str = "parse_config",
    *,
    path: str = "src/config.py",
    kind: SymbolKind = SymbolKind.FUNCTION,
    qualified_name: str | None = None,
    start_line: int = 1,
    end_line: int = 10,
    signature: str | None = None,
    doc: str = "",
    parent: int | None = None,
    symbol_id: str | None = None,
) -> Symbol:
    """Return a definition whose id follows from its path and name."""
    qualified_name = qualified_name or name
    return Symbol(
        id=symbol_id or f"{path}::{qualified_name}",
        kind=kind,
        name=name,
        qualified_name=qualified_name,
        path=path,
        span=Span(start_line, end_line, start_line * 40, end_line * 40 + 40),
        signature=f"def {name}()" if signature is None else signature,
        doc=doc,
        parent=parent,
        name_line=start_line,
    )


def make_unit(symbol: int | None = None, *, start_line: int = 1, end_line: int = 10, text: str = "text") -> Unit:
    """Return a unit whose hash is that of the given text."""
    return Unit(
        symbol,
        Span(start_line, end_line, start_line * 40, end_line * 40 + 40),
        blake2b(text.encode(), digest_size=16).digest(),
    )


def make_bag(units: Sequence[Words] = ({Field.NAME: ("pars", "config"), Field.BODY: ("read", "read", "file")},)) -> Bag:
    """Return the bag of units given as field -> terms."""
    entries: dict[str, list[tuple[int, int, int]]] = {}
    lengths = np.zeros((len(units), FIELD_COUNT), np.int32)
    for ordinal, words in enumerate(units):
        for field, terms in sorted(words.items()):
            lengths[ordinal, field] = len(terms)
            for term, count in Counter(terms).items():
                entries.setdefault(term, []).append((ordinal, int(field), min(count, 65535)))
    terms = sorted(entries, key=term_key)
    flat = [entry for term in terms for entry in entries[term]]
    return Bag(
        terms=tuple(terms),
        keys=np.array([term_key(term) for term in terms], np.uint64),
        indptr=np.cumsum([0, *(len(entries[term]) for term in terms)], dtype=np.int32),
        units=np.array([unit for unit, _, _ in flat], np.uint16),
        fields=np.array([field for _, field, _ in flat], np.uint8),
        counts=np.array([count for _, _, count in flat], np.uint16),
        lengths=lengths,
        # A unit is a line here.
        line_indptr=np.cumsum([0, *(len({unit for unit, _, _ in entries[t]}) for t in terms)], dtype=np.int32),
        lines=np.array([unit + 1 for t in terms for unit in sorted({unit for unit, _, _ in entries[t]})], np.uint32),
    )


def make_analyzed(
    path: str = "src/config.py",
    units: Sequence[Words] = ({Field.NAME: ("pars", "config"), Field.BODY: ("read", "read", "file")},),
    *,
    category: FileCategory = FileCategory.SOURCE,
    language: str | None = "python",
    symbols: Sequence[Symbol] = (),
    references: Sequence[Reference] = (),
    unit_texts: Sequence[str] | None = None,
    text: str | None = None,
    mtime_ns: int = 1,
    degraded: str | None = None,
) -> AnalyzedFile:
    """Return a file with one unit a word map; unit texts differ by path unless given."""
    text = f"# {path}\n" if text is None else text
    unit_texts = [f"{path} {words}" for words in units] if unit_texts is None else unit_texts
    return AnalyzedFile(
        file=SourceFile(
            path=path,
            language=language,
            category=category,
            size_bytes=len(text.encode()),
            mtime_ns=mtime_ns,
            digest=blake2b(text.encode(), digest_size=16).hexdigest(),
        ),
        text=text,
        line_count=text.count("\n") + 1,
        symbols=tuple(symbols),
        symbol_units=tuple(i if i < len(unit_texts) else -1 for i in range(len(symbols))),
        references=tuple(references),
        units=tuple(
            make_unit(i if i < len(symbols) else None, start_line=10 * i + 1, end_line=10 * i + 10, text=unit_text)
            for i, unit_text in enumerate(unit_texts)
        ),
        bag=make_bag(units),
        degraded=degraded,
    )


def make_question(
    terms: Sequence[str] = ("pars", "config"),
    *,
    idf: Sequence[float] | None = None,
    words: Sequence[str] | None = None,
    variants: Mapping[str, Sequence[tuple[str, float]]] | None = None,
    is_telling: bool = False,
    asks: bool = False,
) -> Question:
    """Return a question with one group a term, each from a word of its own."""
    idf = [2.0] * len(terms) if idf is None else idf
    words = terms if words is None else words
    groups = tuple(
        TermGroup(term, ((term, 1.0), *(variants or {}).get(term, ())), rarity, i)
        for i, (term, rarity) in enumerate(zip(terms, idf, strict=True))
    )
    return Question(
        groups=groups,
        words=tuple(words),
        is_telling=is_telling,
        asks=asks,
        all_words=frozenset(word.lower() for word in words),
        mass=sum(idf),
    )


def make_evidence(
    paths: Sequence[str] = ("src/config.py", "src/http.py", "tests/test_config.py"),
    *,
    groups: int = 2,
    pairs: int = 1,
    units: Sequence[int] | None = None,
    **facts: Any,
) -> Evidence:
    """Return evidence about files of which nothing is known but what is given.

    :param units: number of units a file; 2 each unless given
    :param facts: fields of Evidence in place of the defaults
    """
    n = len(paths)
    unit_file = np.repeat(np.arange(n), [2] * n if units is None else units)
    m = len(unit_file)
    known: dict[str, Any] = {
        "paths": tuple(paths),
        "languages": (None,) * n,
        "categories": (FileCategory.SOURCE.value,) * n,
        "lines": np.zeros(n, np.int64),
        "unit_file": unit_file,
        "file_match": np.zeros((groups, n, FIELD_COUNT), np.float32),
        "unit_match": np.zeros((groups, m, FIELD_COUNT), np.float32),
        "unit_cover": np.zeros((groups, m), np.float32),
        "pair_match": np.zeros((pairs, n), np.float32),
        "line_match": np.zeros((pairs, n), np.float32),
        "window_share": np.zeros(n, np.float32),
        "definitions": (),
        "unit_cosine": np.zeros(m, np.float32),
        "latent_cosine": np.zeros(n, np.float32),
        "latent_vectors": np.zeros((n, 0), np.float32),
    }
    known |= {name: np.zeros((groups, n), np.float32) for name in ("stem_cover", "dir_cover", "dirs_cover")}
    known |= {
        name: np.zeros(n, np.float32)
        for name in ("stem_mass", "stem_hit_mass", "stem_equal", "name_match", "path_match", "history_match")
    }
    known |= {name: np.zeros(n, np.bool_) for name in ("is_compat", "is_foreign", "programming")}
    return Evidence(**(known | facts))
