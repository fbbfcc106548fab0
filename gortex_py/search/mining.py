"""Mine a repository's own concepts: words that its names put together more often than chance would."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import log

from gortex_py.protocols import StoreReader
from gortex_py.text.concepts import Weighted
from gortex_py.text.stopwords import STOP_WORDS
from gortex_py.text.tokens import identifier_parts, stem

MIN_CHARS = 3
MIN_SUPPORT = 3  # names that hold both words
MAX_VOCABULARY = 4_000
MAX_PARTNERS = 6
MAX_NAMES = 50_000  # of a very large repository; bounds the first query after a change
MAX_WORDS = 8  # of one name; longer names are sentences (test names) and would pair everything
WEIGHT = 0.2

# Words that names are filled with; they go with everything and mean nothing.
_FILLERS = """
get set new from handle handler func function run make init test impl data value item result error err
ctx context opts option options name type kind list def class self this str obj args arg param
"""
STOP_TERMS = frozenset(map(stem, {*STOP_WORDS, *_FILLERS.split()}))


def mine(names: Iterable[str]) -> Mapping[str, Weighted]:
    """Return each term's strongest partners by normalised pointwise mutual information over distinct names."""
    documents = [terms for terms in map(_terms, sorted(set(names))[:MAX_NAMES]) if len(terms) > 1]
    held = Counter(term for terms in documents for term in terms)
    commonest = sorted(held, key=lambda term: (-held[term], term))[:MAX_VOCABULARY]
    known = set(commonest)
    pairs = Counter(pair for terms in documents for pair in combinations([term for term in terms if term in known], 2))
    partners: dict[str, list[tuple[float, str]]] = {}
    for (first, second), together in pairs.items():
        if together < MIN_SUPPORT:
            continue
        lift = log(together * len(documents) / (held[first] * held[second]))
        if lift <= 0:
            continue
        strength = lift / -log(together / len(documents)) if together < len(documents) else 1.0
        partners.setdefault(first, []).append((strength, second))
        partners.setdefault(second, []).append((strength, first))
    return {
        term: tuple((other, WEIGHT * strength) for strength, other in sorted(found, key=_best_first)[:MAX_PARTNERS])
        for term, found in partners.items()
    }


class MinedConcepts:
    """Proposes what was mined of the names of the reader's state; mined anew when the state changes."""

    most: int | None = None

    def __init__(self) -> None:
        self._table: Mapping[str, Weighted] = {}
        self._generation = -1

    def propose(self, terms: Sequence[str], reader: StoreReader) -> Mapping[str, Weighted]:
        """Return the mined partners of each term."""
        if self._generation != reader.generation:
            self._table = mine(reader.symbol_names(MAX_NAMES))
            self._generation = reader.generation
        return {term: self._table[term] for term in terms if term in self._table}


def _terms(name: str) -> list[str]:
    """Return a name's distinct telling terms in order of the alphabet, none for a sentence."""
    parts = identifier_parts(name)
    if len(parts) > MAX_WORDS:
        return []
    terms = {stem(part) for part in parts if len(part) >= MIN_CHARS and not part.isdecimal()}
    return sorted(terms - STOP_TERMS)


def _best_first(entry: tuple[float, str]) -> tuple[float, str]:
    return -entry[0], entry[1]
