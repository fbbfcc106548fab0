"""Put together the evidence that the signals see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gortex_py.graph.record import GRAPH_FACTS, decode
from gortex_py.history.commits import HISTORY, decode_subjects
from gortex_py.protocols import Learned, NamedSymbol, StoreReader
from gortex_py.query.words import QueryWords
from gortex_py.rank.evidence import Definition, Evidence, Question
from gortex_py.search.candidates import Candidates, Named
from gortex_py.search.gathering import Matches, match_bags, word_pairs
from gortex_py.search.latent import latent_facts
from gortex_py.search.neighbours import standing_of
from gortex_py.search.options import SearchOptions
from gortex_py.search.paths import PathWords, names_a_platform, path_words
from gortex_py.search.question import idf
from gortex_py.source.languages import is_programming
from gortex_py.text.tokens import identifier_parts, squash, stem
from gortex_py.types import FloatArray, QueryShape, SymbolKind

# How sure an exact name is: as typed; qualified so, in another spelling; qualified differently; in another
# spelling; spelled by several words.
OWN_SPELLING = 1.0
OTHER_SPELLING_OF_QUALIFIER = 0.95
QUALIFIED_OTHER_SPELLING = 0.7
OTHER_QUALIFIER = 0.6
OTHER_SPELLING = 0.5
SPELLED_BY_WORDS = 0.25
# A title is made of plain words, so that to say them all is no sign that it is meant.
TITLE_BY_WORDS = 0.05
_TITLES = frozenset({SymbolKind.DOC, SymbolKind.KEY})
STEMMED_EQUAL = 0.9
MAX_STEM_WORDS = 3


@dataclass(frozen=True, slots=True)
class Reading:
    """A query as it was understood in one repository."""

    shape: QueryShape
    words: QueryWords
    named: Named
    vector: FloatArray | None  # (dim,); None without the vector channel
    learned: tuple[Learned, ...] = ()  # what the task memory says


def load_evidence(
    question: Question, read: Reading, candidates: Candidates, reader: StoreReader, options: SearchOptions
) -> tuple[Evidence, Matches]:
    """Return the evidence about the candidates, and the matches it was made from."""
    facts = reader.file_facts()
    ids = candidates.file_ids.tolist()
    matches = match_bags(question, reader.bags(ids), facts, candidates.rows)
    paths = tuple(facts.paths[row] for row in candidates.rows)
    said = [path_words(path) for path in paths]
    stem_mass, stem_hits = _stem_masses(question, said, reader, len(facts.ids))
    definitions = _definitions(read.words, read.named, ids, matches)
    cosines = reader.unit_cosines(ids, read.vector) if read.vector is not None else []
    latent_cosine, latent_vectors = latent_facts(question, paths, reader if options.latent else None)
    foreign_ok = names_a_platform(question.all_words)
    languages = tuple(facts.languages[row] for row in candidates.rows)
    evidence = Evidence(
        paths=paths,
        languages=languages,
        categories=tuple(facts.categories[row] for row in candidates.rows),
        lines=facts.lines[candidates.rows],
        unit_file=matches.unit_file,
        file_match=matches.file_match,
        unit_match=matches.unit_match,
        unit_cover=matches.unit_cover,
        stem_cover=_cover(question, [p.stem_terms | {p.stem_squashed} for p in said]),
        dir_cover=_cover(question, [p.dir_terms for p in said]),
        dirs_cover=_cover(question, [p.dirs_terms for p in said]),
        stem_mass=stem_mass,
        stem_hit_mass=stem_hits,
        stem_equal=_stem_equal(question, said),
        pair_match=_pairs_with_stems(question, matches.pair_match, said),
        line_match=matches.line_match,
        window_share=matches.window_share,
        definitions=definitions,
        name_match=_name_match(read.words, read.named, ids),
        path_match=_path_match(read.words, paths),
        unit_cosine=np.concatenate(cosines) if cosines else np.zeros(len(matches.unit_file), np.float32),
        history_match=_history_match(question, paths, reader if options.git_history else None),
        latent_cosine=latent_cosine,
        latent_vectors=latent_vectors,
        is_compat=np.array([p.is_compat for p in said], np.bool_),
        is_foreign=np.array([p.is_foreign and not foreign_ok for p in said], np.bool_),
        programming=np.array([is_programming(language) for language in languages], np.bool_),
        learned=_lifts(read.learned, paths),
        standing=standing_of(
            candidates.file_ids, reader.enriched(GRAPH_FACTS, decode) if options.graph_signals else None
        ),
    )
    return evidence, matches


def _cover(question: Question, terms: Sequence[frozenset[str]]) -> FloatArray:
    """Return (q, n) the weight of the best variant of each group among each file's terms."""
    cover = np.zeros((len(question.groups), len(terms)), np.float32)
    uses: dict[str, list[tuple[int, float]]] = {}
    for g, group in enumerate(question.groups):
        for term, weight in group.variants:
            uses.setdefault(term, []).append((g, weight))
    # A path has few terms and a query, with its variants, many: so the path's are looked up.
    for n, found in enumerate(terms):
        for term in found:
            for g, weight in uses.get(term, ()):
                cover[g, n] = max(cover[g, n], weight)
    return cover


def _stem_masses(
    question: Question, said: Sequence[PathWords], reader: StoreReader, files: int
) -> tuple[FloatArray, FloatArray]:
    """Return (n,) the idf mass of each stem's terms, and the part of it that the query says."""
    frequencies = reader.document_frequencies({term for p in said for term in p.stem_terms})
    rarity = {term: idf(frequency, files) for term, frequency in frequencies.items()}
    weights: dict[str, float] = {}
    for group in question.groups:
        if group.idf > 0:
            for term, weight in group.variants:
                weights[term] = max(weights.get(term, 0.0), weight)
    mass = [sum(rarity.get(term, 0.0) for term in p.stem_terms) for p in said]
    hits = [sum(rarity.get(t, 0.0) * weights[t] for t in p.stem_terms if t in weights) for p in said]
    return np.array(mass, np.float32), np.array(hits, np.float32)


def _stem_equal(question: Question, said: Sequence[PathWords]) -> FloatArray:
    split = [identifier_parts(word) for word in question.words]
    plain, stemmed = set(), set()
    for start in range(len(split)):
        for end in range(start + 1, min(start + MAX_STEM_WORDS, len(split)) + 1):
            parts = [part for word in split[start:end] for part in word]
            plain.add("".join(parts))
            stemmed.add("".join(map(stem, parts)))
    return np.array(
        [1.0 if p.stem_squashed in plain else STEMMED_EQUAL if p.stem_stemmed in stemmed else 0.0 for p in said],
        np.float32,
    )


def _pairs_with_stems(question: Question, pair_match: FloatArray, said: Sequence[PathWords]) -> FloatArray:
    """Return the pair matches with those raised to 1 where a pair is the file's stem."""
    raised = pair_match.copy()
    for i, pair in enumerate(word_pairs(question)):
        for n, p in enumerate(said):
            if p.stem_squashed == pair:
                raised[i, n] = 1.0
    return raised


def _definitions(words: QueryWords, named: Named, ids: Sequence[int], matches: Matches) -> tuple[Definition, ...]:
    row = {file_id: i for i, file_id in enumerate(ids)}
    found = []
    for word, symbols in named.by_word.items():
        files = len({symbol.file_id for symbol in symbols})
        text = words.words[word].text if word >= 0 else (words.name[-1] if words.name else "")
        for symbol in symbols:
            file = row.get(symbol.file_id)
            if file is None or symbol.unit < 0:
                continue
            found.append(
                Definition(
                    file=file,
                    unit=int(matches.first_unit[file]) + symbol.unit,
                    kind=symbol.kind,
                    word=word,
                    is_identifier=words.words[word].is_identifier if word >= 0 else bool(words.name),
                    is_capitalised=text[:1].isupper() and text[1:].islower(),
                    same_case=symbol.name == text,
                    files=files,
                    certainty=name_certainty(words, symbol) if word < 0 else 0.0,
                    symbol=symbol.ordinal,
                )
            )
    return tuple(found)


def _name_match(words: QueryWords, named: Named, ids: Sequence[int]) -> FloatArray:
    best: dict[int, float] = {}
    for stored in named.by_word.get(-1, ()):
        best[stored.file_id] = max(best.get(stored.file_id, 0.0), name_certainty(words, stored))
    return np.array([best.get(file_id, 0.0) for file_id in ids], np.float32)


def name_certainty(words: QueryWords, stored: NamedSymbol) -> float:
    """Return how surely the whole query names a symbol, in [0, 1]."""
    if not words.name:
        return TITLE_BY_WORDS if stored.kind in _TITLES else SPELLED_BY_WORDS
    own = stored.name == words.name[-1]
    if stored.squashed != squash(words.name[-1]):
        return OTHER_SPELLING
    if len(words.name) > 1:
        said = [squash(part) for part in words.name]
        qualified = [squash(part) for part in stored.qualified_name.split(".")]
        if qualified[-len(said) :] != said:
            return OTHER_QUALIFIER * (1.0 if own else OTHER_SPELLING)
        if not own:
            return QUALIFIED_OTHER_SPELLING
        as_written = f".{stored.qualified_name}".endswith("." + ".".join(words.name))
        return OWN_SPELLING if as_written else OTHER_SPELLING_OF_QUALIFIER
    return OWN_SPELLING if own else OTHER_SPELLING


def _lifts(learned: Sequence[Learned], paths: Sequence[str]) -> FloatArray:
    """Return (n,) what the task memory says for each file."""
    lifts = {each.path: each.lift for each in learned}
    return np.array([lifts.get(path, 0.0) for path in paths], np.float32)


def _history_match(question: Question, paths: Sequence[str], reader: StoreReader | None) -> FloatArray:
    subjects = reader.enriched(HISTORY, decode_subjects) if reader is not None else None
    if subjects is None:
        return np.zeros(len(paths), np.float32)
    return subjects.match([group.term for group in question.groups], paths)


def _path_match(words: QueryWords, paths: Sequence[str]) -> FloatArray:
    wanted = words.path
    if not wanted:
        return np.zeros(len(paths), np.float32)
    return np.array([1.0 if path == wanted or path.endswith("/" + wanted) else 0.0 for path in paths], np.float32)
