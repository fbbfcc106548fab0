"""Bridge vocabularies: put beside each term of a query what may stand for it in this repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from gortex_py.protocols import StoreReader
from gortex_py.text.concepts import Weighted

MAX_RELATED = 8  # of one query: related words are guesses at what else is wanted


class Expander(Protocol):
    """One source of variants."""

    @property
    def most(self) -> int | None:
        """How many variants it may bring to one query, in the order of its terms; None for any number."""

    def propose(self, terms: Sequence[str], reader: StoreReader) -> Mapping[str, Weighted]:
        """Return each term's variants, nearest first; they need not occur in the repository."""


@dataclass(frozen=True, slots=True)
class TableLookup:
    """Proposes what a table of words says."""

    table: Mapping[str, Weighted]
    most: int | None = None

    def propose(self, terms: Sequence[str], reader: StoreReader) -> Mapping[str, Weighted]:
        """Return what the table has for each term."""
        return {term: self.table[term] for term in terms if term in self.table}


def expand(
    frequencies: dict[str, int], terms: Sequence[str], reader: StoreReader, expanders: Sequence[Expander]
) -> dict[str, Weighted]:
    """Return the variants of each term that occur in the repository, strongest first.

    A variant that two expanders name has the larger weight.

    :param frequencies: files by term; gains those of the variants
    """
    proposals = [expander.propose(terms, reader) for expander in expanders]
    asked = {variant for proposed in proposals for variants in proposed.values() for variant, _ in variants}
    frequencies.update(reader.document_frequencies(asked - frequencies.keys()))
    chosen: dict[str, dict[str, float]] = {term: {} for term in terms}
    for expander, proposed in zip(expanders, proposals, strict=True):
        room = expander.most if expander.most is not None else len(asked)
        for term in terms:
            variants = chosen[term]
            for variant, weight in proposed.get(term, ()):
                if variant in chosen or not frequencies.get(variant):
                    continue
                if variant in variants:
                    variants[variant] = max(variants[variant], weight)
                elif room:
                    room -= 1
                    variants[variant] = weight
    return {
        term: tuple(sorted(variants.items(), key=lambda entry: (-entry[1], entry[0])))
        for term, variants in chosen.items()
    }
