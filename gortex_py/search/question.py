"""Put a query's words to one repository: which terms exist here, and how rare they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from gortex_py.protocols import StoreReader
from gortex_py.query.words import QueryWords
from gortex_py.rank.evidence import Question, TermGroup
from gortex_py.search.expansion import Expander, expand
from gortex_py.search.rescue import near_terms
from gortex_py.text.concepts import Weighted
from gortex_py.text.tokens import identifier_terms

# A term that occurs nowhere must not outweigh, through variants, the terms that do occur.
MAX_BORROWED_IDF = 6.0


def pose(
    words: QueryWords,
    reader: StoreReader,
    files: int,
    expanders: Sequence[Expander] = (),
    *,
    near_spellings: bool = True,
) -> Question:
    """Return the question: one group of interchangeable terms for each term of the query.

    :param files: number of files in the repository
    :param expanders: what brings variants
    :param near_spellings: whether a term that occurs nowhere is taken for a misspelling
    """
    terms: dict[str, tuple[int, float]] = {}
    for ordinal, word in enumerate(words.words):
        for term in identifier_terms(word.text):
            known = terms.get(term)
            if known is None or known[1] < word.factor:
                terms[term] = (known[0] if known else ordinal, word.factor)
    frequencies = dict(reader.document_frequencies(terms))
    expanded = expand(frequencies, tuple(terms), reader, expanders)
    for term in terms:
        if near_spellings and not frequencies.get(term):
            expanded[term] = _strongest(expanded[term], _rescued(term, frequencies, reader))
    variants = {term: ((term, 1.0), *expanded[term]) for term in terms}
    groups = tuple(
        TermGroup(term, variants[term], _group_idf(variants[term], frequencies, files) * factor, ordinal)
        for term, (ordinal, factor) in terms.items()
    )
    return Question(
        groups=groups,
        words=tuple(word.text for word in words.words),
        is_telling=words.is_telling,
        asks=words.asks,
        all_words=words.all_words,
        mass=sum(group.idf for group in groups),
    )


def idf(frequency: int, files: int) -> float:
    """Return ln(1 + (N - df + 0.5) / (df + 0.5)), the rarity of a term (Robertson and Spärck Jones, as in Lucene)."""
    return log(1 + (max(files, frequency) - frequency + 0.5) / (frequency + 0.5))


def _rescued(term: str, frequencies: dict[str, int], reader: StoreReader) -> Weighted:
    """Return near spellings of a term that occurs nowhere, and note how often they occur."""
    near = near_terms(term, reader)
    frequencies.update({found: files for found, files, _ in near})
    return tuple((found, weight) for found, _, weight in near)


def _strongest(first: Weighted, second: Weighted) -> Weighted:
    """Return the variants of both, one of each, with its larger weight."""
    best = dict(first)
    for term, weight in second:
        best[term] = max(best.get(term, 0.0), weight)
    return tuple(best.items())


def _group_idf(variants: Weighted, frequencies: Mapping[str, int], files: int) -> float:
    """A group is as rare as its own term; one that occurs nowhere takes its commonest variant's rarity."""
    own = frequencies.get(variants[0][0], 0)
    if own:
        return idf(own, files)
    commonest = max((frequencies.get(term, 0) for term, _ in variants[1:]), default=0)
    return min(idf(commonest, files), MAX_BORROWED_IDF) if commonest else 0.0
