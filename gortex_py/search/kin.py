"""Find a term's kin in the vocabulary: words of one root that the stemmer keeps apart (valid, validat)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gortex_py.protocols import StoreReader
from gortex_py.text.concepts import Weighted
from gortex_py.text.tokens import stem

MIN_CHARS = 4
SURE_CHARS = 5  # words that share fewer letters than this are often strangers
MAX_LONGER = 5  # letters that one may have beyond the other's end
MAX_APART = 3  # letters that the longer may have beyond a common beginning
WEIGHT = 0.6
SHORT_WEIGHT = 0.48  # where the shorter has only MIN_CHARS letters
MAX_KIN = 8
MAX_SCANNED = 400  # most frequent terms of one beginning; what is rarer finds little
COMPOUND_CHARS = 3

# Endings that make a word of a word. Anything else that is a word by itself is the second part of a
# compound (authuser is no kin of auth).
_ENDINGS_TEXT = """
abl able age ance ant ate ation ative ator ature edge ence ent ful ial ible ific ing ion ise ism ist
ity ive ize izer less ment ness ous tion ture ual ure ward wise
"""
_ENDINGS = frozenset(map(stem, _ENDINGS_TEXT.split()))


class PrefixKin:
    """Proposes vocabulary terms that begin alike and end a few letters apart."""

    most: int | None = None

    def propose(self, terms: Sequence[str], reader: StoreReader) -> Mapping[str, Weighted]:
        """Return each term's kin in the repository's vocabulary, commonest first."""
        asked = [term for term in terms if _has_kin(term)]
        shorter = reader.document_frequencies(cut for term in asked for cut in _cuts(term))
        candidates = {term: _candidates(term, shorter, reader) for term in asked}
        rests = {stem(rest) for term, found in candidates.items() for other in found for rest in _rest(term, other)}
        words = reader.document_frequencies(rests - _ENDINGS)
        return {
            term: tuple(
                (other, weight)
                for other, weight in found.items()
                if not any(stem(rest) in words for rest in _rest(term, other))
            )[:MAX_KIN]
            for term, found in candidates.items()
        }


def kinship(term: str, other: str) -> float:
    """Return how near two terms are by their letters alone, 0 for strangers.

    >>> kinship("valid", "validat"), kinship("auth", "author"), kinship("serializ", "serial"), kinship("cat", "cate")
    (0.6, 0.48, 0.6, 0.0)
    """
    shorter, longer = sorted((term, other), key=len)
    common = _common(shorter, longer)
    if common == len(shorter):
        near = common >= MIN_CHARS and 0 < len(longer) - common <= MAX_LONGER
    else:
        near = common >= max(SURE_CHARS, len(longer) - MAX_APART)
    return 0.0 if not near else SHORT_WEIGHT if len(shorter) == MIN_CHARS else WEIGHT


def _has_kin(term: str) -> bool:
    return len(term) >= MIN_CHARS and term.isalpha()


def _beginning(term: str) -> str:
    """Return what every kin has in common with a term, short ones apart."""
    return term[: max(SURE_CHARS, len(term) - MAX_APART)]


def _cuts(term: str) -> list[str]:
    """Return the beginnings of a term that are kin by themselves, but too short for a range of the vocabulary."""
    return [term[:end] for end in range(max(MIN_CHARS, len(term) - MAX_LONGER), len(_beginning(term)))]


def _candidates(term: str, shorter: Mapping[str, int], reader: StoreReader) -> dict[str, float]:
    """Return the kin by letters with their weight, commonest first."""
    frequencies = dict(reader.terms_with_prefix(_beginning(term), MAX_SCANNED))
    frequencies.update({cut: shorter[cut] for cut in _cuts(term) if cut in shorter})
    found = {other: kinship(term, other) for other in frequencies if _has_kin(other)}
    commonest = sorted((other for other, weight in found.items() if weight), key=lambda o: (-frequencies[o], o))
    return {other: found[other] for other in commonest}


def _rest(term: str, other: str) -> Iterator[str]:
    """Give what the longer of two has beyond the shorter, where that could be a word."""
    shorter, longer = sorted((term, other), key=len)
    if longer.startswith(shorter) and len(longer) - len(shorter) >= COMPOUND_CHARS:
        yield longer[len(shorter) :]


def _common(first: str, second: str) -> int:
    """Return how many letters two terms begin with alike."""
    for i, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            return i
    return min(len(first), len(second))
