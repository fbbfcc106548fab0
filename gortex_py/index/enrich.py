"""After a pass: make what can only be known of all files together, where it no longer stands."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Protocol, runtime_checkable

from gortex_py.protocols import Enrichment, IndexStore, StoreReader
from gortex_py.types import Problem


class Enricher(Protocol):
    """Makes one kind of whole-repository facts."""

    @property
    def name(self) -> str:
        """Names the facts in the store."""

    def refresh(self, reader: StoreReader, before: Enrichment | None, *, thorough: bool) -> Enrichment | None:
        """Return the facts anew, or None where those of before still stand.

        Most passes touch a file or two, and the next one waits: facts that cost more than a
        moment are made anew only when enough files have changed since, or when asked to be thorough.
        """


@runtime_checkable
class Troubled(Protocol):
    """An enricher that depends on more than the index, and can say what it lacks."""

    @property
    def problems(self) -> Sequence[Problem]:
        """What kept the last refresh from making all that it should."""


def enrich(store: IndexStore, enrichers: Sequence[Enricher], *, thorough: bool) -> tuple[Problem, ...]:
    """Bring every kind of facts up to date; each is visible as soon as it is made. Returns the trouble met.

    :param thorough: whether a single changed file is reason enough
    """
    writer = store.writer()
    for enricher in enrichers:
        with closing(store.reader()) as reader:
            made = enricher.refresh(reader, reader.enrichment(enricher.name), thorough=thorough)
        if made is not None:
            with writer.batch():
                writer.put_enrichment(enricher.name, made)
    return tuple(problem for enricher in enrichers if isinstance(enricher, Troubled) for problem in enricher.problems)
