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


def unit_worth(question: Question, evidence: Evidence, units: slice) -> FloatArray:
    """Return how well each of one file's units answers within it, what it defines apart: (units,)."""
    lexical = question.mass_share((evidence.unit_match[:, units] * FIELD_WORTH).sum(axis=2))
    cover = question.mass_share(evidence.unit_cover[:, units])
    worth: FloatArray = (lexical * (0.5 + 0.5 * cover) + 1e-3 * evidence.unit_cosine[units]).astype(np.float32)
    return worth


def present(page: Sequence[int], repo: str, query: Query, ranking: Ranking, reader: StoreReader) -> tuple[Hit, ...]:
    """Return the hits of the candidates of a page, in their order."""
    evidence = ranking.evidence
    matcher = TermMatcher(frozenset(term for group in ranking.question.groups for term, _ in group.variants))
    shown_by_file = _places(_worthy_units(page, query, ranking), query, reader)
    hits = []
    for i, shown in zip(page, shown_by_file, strict=True):
        best = shown[0] if shown else Shown(Span(1, 1), None)
        file_id = int(ranking.candidates.file_ids[i])
        snippet, highlights = cut_snippet(reader.lines(file_id, best.span.start_line, best.span.end_line), matcher)
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


@dataclass(frozen=True, slots=True)
class _WorthyUnits:
    """What a file of the page has to show."""

    file_id: int
    worth: FloatArray  # (units,)
    named: Mapping[int, Definition]  # the definition in a unit that the query names

    def best(self) -> list[int]:
        """Return the ordinals of the units to show, best first: what the whole query names, the surest first."""
        certainty = np.zeros(len(self.worth), np.float32)
        for unit, definition in self.named.items():
            certainty[unit] = definition.certainty
        ranked = np.lexsort((np.arange(len(self.worth)), -self.worth, -certainty))[: ALSO_MAX + 1].tolist()
        least = ALSO_SHARE * self.worth[ranked[0]] if ranked else 0.0
        return [u for i, u in enumerate(ranked) if i == 0 or self.worth[u] >= least > 0]


def _worthy_units(page: Sequence[int], query: Query, ranking: Ranking) -> list[_WorthyUnits]:
    question, evidence = ranking.question, ranking.evidence
    bounds = [*ranking.matches.first_unit.tolist(), len(ranking.matches.unit_file)]
    strongest: dict[int, dict[int, tuple[float, Definition]]] = {i: {} for i in page}
    for definition in evidence.definitions:
        if definition.file not in strongest or (query.kinds and definition.kind not in query.kinds):
            continue
        unit = definition.unit - bounds[definition.file]
        strength = identifier_strength(definition, question) + definition.certainty
        if strength > strongest[definition.file].get(unit, (0.0, None))[0]:
            strongest[definition.file][unit] = strength, definition
    found = []
    for i in page:
        worth = unit_worth(question, evidence, slice(bounds[i], bounds[i + 1]))
        for unit, (strength, _) in strongest[i].items():
            worth[unit] += DEFINITION_WORTH * strength
        named = {unit: definition for unit, (_, definition) in strongest[i].items()}
        found.append(_WorthyUnits(int(ranking.candidates.file_ids[i]), worth, named))
    return found


def _places(files: Sequence[_WorthyUnits], query: Query, reader: StoreReader) -> list[list[Shown]]:
    """Return the places of each file to show, best first; a stretch of lines only once."""
    if query.kinds:
        return [_places_of_kinds(file.file_id, file.worth, query, reader) for file in files]
    kept = [(file, unit) for file in files for unit in file.best()]
    units = reader.units_at([(file.file_id, u) for file, u in kept])
    owners = [
        file.named[u].symbol if u in file.named else unit.symbol for (file, u), unit in zip(kept, units, strict=True)
    ]
    symbols = iter(
        reader.symbols_at([(f.file_id, owner) for (f, _), owner in zip(kept, owners, strict=True) if owner is not None])
    )
    places: dict[int, dict[tuple[int, int], Shown]] = {file.file_id: {} for file in files}
    for (file, _), unit, owner in zip(kept, units, owners, strict=True):
        symbol = next(symbols) if owner is not None else None
        # A field or constant has no unit of its own; its lines are what was asked for.
        span = symbol.span if symbol is not None and owner != unit.symbol else unit.span
        places[file.file_id].setdefault((span.start_line, span.end_line), Shown(span, symbol))
    return [list(places[file.file_id].values()) for file in files]


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
