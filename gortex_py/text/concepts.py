"""What other words programmers use for a thing: equivalence classes, and the related concepts beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from gortex_py.errors import UsageError
from gortex_py.text.tokens import identifier_terms

Weighted: TypeAlias = tuple[tuple[str, float], ...]  # (index term, weight in (0, 1)), strongest first

CLASSES_FILE = "equivalences.txt"
RELATEDNESS_FILE = "relatedness.txt"

# A member says the head better than the head says a member: heads are the commoner words.
TO_MEMBER = 0.5
TO_HEAD = 0.4
MEMBER_STEP = 0.06  # of the full weight, by the member's place
MAX_MEMBERS = 8
# What is put in place of a word through a third one is less sure than either step, but still direct.
THROUGH_ANOTHER = 0.8
LEAST_DIRECT = 0.19

# Scaled so that the strongest related word stays below the weakest member of a class.
RELATED_SCALE = 0.3
RELATED = 0.60
RELATED_STEP = 0.03
RELATED_FLOOR = 0.45  # also the weight of a line read backwards


@dataclass(frozen=True, slots=True)
class Concepts:
    """The words that may stand for an index term, and those that are only met beside it."""

    synonyms: Mapping[str, Weighted]
    related: Mapping[str, Weighted]

    def with_extra(self, extra: Mapping[str, Sequence[str]]) -> Concepts:
        """Return the concepts with more classes: the words of one, and its label, all stand for each other.

        A word that is known already brings its own synonyms to the class's new words, and they it.
        """
        links = _links(self.synonyms)
        for label, words in extra.items():
            terms = [term for term in dict.fromkeys(map(concept_term, (label, *words))) if term]
            for place, term in enumerate(terms):
                for other in terms[:place]:
                    _strengthen(links, other, term, _falling(TO_MEMBER, min(place - 1, MAX_MEMBERS - 1)))
                    _strengthen(links, term, other, _falling(TO_HEAD, min(place - 1, MAX_MEMBERS - 1)))
            for known in terms:
                for synonym, direct in self.synonyms.get(known, ()):
                    weight = max(direct * THROUGH_ANOTHER, LEAST_DIRECT)
                    for new in terms:
                        if new not in self.synonyms:
                            _strengthen(links, new, synonym, weight)
                            _strengthen(links, synonym, new, weight)
        return Concepts(_ordered(links), self.related)


NO_CONCEPTS = Concepts(MappingProxyType({}), MappingProxyType({}))


def read_concepts(folder: Path) -> Concepts:
    """Read both layers from the folder that holds ``equivalences.txt`` and ``relatedness.txt``.

    :raises UsageError: naming the file and line that is not of the form ``word: word word``.
    :raises OSError: when a file cannot be read.
    """
    synonyms: dict[str, dict[str, float]] = {}
    for head, members in _lines(folder / CLASSES_FILE):
        for place, member in enumerate(members):
            _strengthen(synonyms, head, member, _falling(TO_MEMBER, place))
            _strengthen(synonyms, member, head, _falling(TO_HEAD, place))
    related: dict[str, dict[str, float]] = {}
    for head, members in _lines(folder / RELATEDNESS_FILE):
        for place, member in enumerate(members):
            weight = max(RELATED - RELATED_STEP * place, RELATED_FLOOR)
            _strengthen(related, head, member, weight * RELATED_SCALE)
            _strengthen(related, member, head, RELATED_FLOOR * RELATED_SCALE)
    # What stands for a word is not beside it as well.
    apart = {t: {o: w for o, w in others.items() if o not in synonyms.get(t, {})} for t, others in related.items()}
    return Concepts(_ordered(synonyms), _ordered(apart))


def concept_term(word: str) -> str:
    """Return the one index term that stands for a word or a compound; "" when it has no letters.

    >>> concept_term("permissions"), concept_term("rate_limit")
    ('permiss', 'ratelimit')
    """
    terms = identifier_terms(word)
    return terms[-1] if terms else ""


def _lines(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Give each line's head and members as terms, without those that the head's stem already covers."""
    for number, written in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = written.partition("#")[0].strip()
        if not line or (line.startswith("[") and line.endswith("]")):
            continue
        head, colon, members = line.partition(":")
        terms = list(dict.fromkeys(map(concept_term, members.split())))
        if not colon or len(head.split()) != 1 or not terms or "" in terms or len(terms) > MAX_MEMBERS:
            wanted = f"expected 'word: word word' with at most {MAX_MEMBERS} words after the colon"
            raise UsageError(f"{path}, line {number}, is {written!r}, {wanted}", code="bad-concept-line")
        own = concept_term(head)
        yield own, [term for term in terms if term != own]


def _falling(weight: float, place: int) -> float:
    """Return 0.5 (1 - 0.06 k) towards a member, 0.5 (0.8 - 0.06 k) towards a head."""
    return weight - TO_MEMBER * MEMBER_STEP * place


def _strengthen(links: dict[str, dict[str, float]], term: str, other: str, weight: float) -> None:
    if term != other:
        known = links.setdefault(term, {})
        known[other] = max(known.get(other, 0.0), weight)


def _links(layer: Mapping[str, Weighted]) -> dict[str, dict[str, float]]:
    return {term: dict(others) for term, others in layer.items()}


def _ordered(links: Mapping[str, Mapping[str, float]]) -> Mapping[str, Weighted]:
    return MappingProxyType(
        {term: tuple(sorted(others.items(), key=lambda entry: (-entry[1], entry[0]))) for term, others in links.items()}
    )
