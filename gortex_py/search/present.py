"""Turn the best files into hits: which lines to show, and what else in the file matched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gortex_py.protocols import StoreReader
from gortex_py.rank.evidence import Definition, Evidence, Question
from gortex_py.rank.pipeline import Scores
from gortex_py.rank.signals.names import identifier_strength
from gortex_py.search.candidates import Candidates
from gortex_py.search.gathering import Matches
from gortex_py.search.snippets import TermMatcher, cut_snippet
from gortex_py.text.tokens import identifier_terms, words
from gortex_py.types import FileCategory, FloatArray, Hit, HitSpan, Query, Span, Symbol

# A unit's worth within its file, by field: name scope signature doc body.
FIELD_WORTH = np.array([1.0, 0.3, 0.3, 0.7, 0.8], np.float32)
# A definition that the query names is what was asked for, whatever else matches.
DEFINITION_WORTH = 3.0
# ... and one that the whole query names more than one that a part of it names.
WHOLE_QUERY = 1.0
ALSO_MAX = 5
# Of the best unit's worth; weaker ones only share a common word.
ALSO_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Shown:
    """One place in a file that a hit shows."""

    span: Span
    symbol: Symbol | None


@dataclass(frozen=True, slots=True)
class Ranking:
    """Everything that was found out about a query in one repository."""

    question: Question
    candidates: Candidates
    evidence: Evidence
    matches: Matches
    scores: Scores


def unit_worth(question: Question, evidence: Evidence, query: Query) -> tuple[FloatArray, dict[int, Definition]]:
    """Return (m,) how well each unit answers within its file, and the named definition in each unit."""
    lexical = question.mass_share((evidence.unit_match * FIELD_WORTH).sum(axis=2))
    cover = question.mass_share(evidence.unit_cover)
    worth = (lexical * (0.5 + 0.5 * cover)).astype(np.float32)
    named: dict[int, Definition] = {}
    strengths: dict[int, float] = {}
    for definition in evidence.definitions:
        if query.kinds and definition.kind not in query.kinds:
            continue
        strength = identifier_strength(definition, question) + definition.certainty
        if definition.certainty > 0:
            strength += WHOLE_QUERY
        if strength > strengths.get(definition.unit, 0.0):
            strengths[definition.unit] = strength
            named[definition.unit] = definition
    for unit, strength in strengths.items():
        worth[unit] += DEFINITION_WORTH * strength
    worth += 1e-3 * evidence.unit_cosine
    return worth, named


def present(page: Sequence[int], repo: str, query: Query, ranking: Ranking, reader: StoreReader) -> tuple[Hit, ...]:
    """Return the hits of the candidates of a page, in their order."""
    evidence = ranking.evidence
    worth, named = unit_worth(ranking.question, evidence, query)
    matcher = TermMatcher(frozenset(term for group in ranking.question.groups for term, _ in group.variants))
    ids = [int(ranking.candidates.file_ids[i]) for i in page]
    bounds = [*ranking.matches.first_unit.tolist(), len(worth)]
    hits = []
    for i, file_id in zip(page, ids, strict=True):
        first, end = bounds[i], bounds[i + 1]
        definitions = {u - first: d for u, d in named.items() if first <= u < end}
        shown = _places(file_id, worth[first:end], definitions, query, reader)
        best = shown[0] if shown else Shown(Span(1, 1), None)
        lines = reader.lines(file_id)
        snippet, highlights = cut_snippet(lines, best.span.start_line, best.span.end_line, matcher)
        hits.append(
            Hit(
                repo=repo,
                path=evidence.paths[i],
                start_line=best.span.start_line,
                end_line=best.span.end_line,
                symbol_id=best.symbol.id if best.symbol else None,
                symbol=best.symbol.name if best.symbol else None,
                qualified_name=best.symbol.qualified_name if best.symbol else None,
                kind=best.symbol.kind if best.symbol else None,
                language=evidence.languages[i],
                category=FileCategory(evidence.categories[i]),
                score=float(ranking.scores.totals[i]),
                snippet=snippet,
                highlights=highlights,
                also=tuple(_further(place) for place in shown[1:]),
                contributions=ranking.scores.contributions(i) if query.explain else (),
            )
        )
    return tuple(hits)


def _places(
    file_id: int,
    worth: FloatArray,
    definitions: Mapping[int, Definition],
    query: Query,
    reader: StoreReader,
) -> list[Shown]:
    """Return the places of a file to show, best first; a stretch of lines only once."""
    if query.kinds:
        return _places_of_kinds(file_id, worth, query, reader)
    ranked = np.lexsort((np.arange(len(worth)), -worth))[: ALSO_MAX + 1].tolist()
    kept = [u for i, u in enumerate(ranked) if i == 0 or worth[u] >= ALSO_SHARE * worth[ranked[0]] > 0]
    units = reader.units_at([(file_id, u) for u in kept])
    owners = [definitions[u].symbol if u in definitions else unit.symbol for u, unit in zip(kept, units, strict=True)]
    symbols = iter(reader.symbols_at([(file_id, owner) for owner in owners if owner is not None]))
    places: dict[tuple[int, int], Shown] = {}
    for unit, owner in zip(units, owners, strict=True):
        symbol = next(symbols) if owner is not None else None
        # A field or constant has no unit of its own; its lines are what was asked for.
        span = symbol.span if symbol is not None and owner != unit.symbol else unit.span
        places.setdefault((span.start_line, span.end_line), Shown(span, symbol))
    return list(places.values())


def _places_of_kinds(file_id: int, worth: FloatArray, query: Query, reader: StoreReader) -> list[Shown]:
    """Return the symbols of the asked-for kinds, those in the worthiest units first."""
    ((units,), (symbols,)) = reader.units([file_id]), reader.file_symbols([file_id])
    own = {unit.symbol: (worth[i], unit.span) for i, unit in enumerate(units) if unit.symbol is not None}
    wanted = [(i, symbol) for i, symbol in enumerate(symbols) if symbol.kind in query.kinds]
    said = frozenset(term for word in words(query.text) for term in identifier_terms(word))
    wanted.sort(
        key=lambda pair: (
            -len(said.intersection(identifier_terms(pair[1].name))),
            -own.get(pair[0], (0.0, None))[0],
            pair[0],
        )
    )
    return [Shown(own[i][1] if i in own else symbol.span, symbol) for i, symbol in wanted[: ALSO_MAX + 1]]


def _further(place: Shown) -> HitSpan:
    symbol = place.symbol
    return HitSpan(
        place.span.start_line, place.span.end_line, symbol.name if symbol else None, symbol.kind if symbol else None
    )
