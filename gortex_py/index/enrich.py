"""After a pass: make what can only be known of all files together, where it no longer stands."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Protocol

from gortex_py.protocols import Enrichment, IndexStore, StoreReader


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


def enrich(store: IndexStore, enrichers: Sequence[Enricher], *, thorough: bool) -> None:
    """Bring every kind of facts up to date; each is visible as soon as it is made.

    :param thorough: whether a single changed file is reason enough
    """
    writer = store.writer()
    for enricher in enrichers:
        with closing(store.reader()) as reader:
            made = enricher.refresh(reader, reader.enrichment(enricher.name), thorough=thorough)
        if made is not None:
            with writer.batch():
                writer.put_enrichment(enricher.name, made)
