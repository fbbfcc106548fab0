"""The real engine, composed for an evaluation: a store in the given folder, no daemon."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from gortex_py.index.enrich import Enricher
from gortex_py.index.graph import GraphEnricher
from gortex_py.index.history import HistoryEnricher
from gortex_py.index.indexer import Indexer, IndexOptions
from gortex_py.index.latent import latent_enrichers
from gortex_py.index.workers import WorkerPool
from gortex_py.protocols import Embedder
from gortex_py.search.engine import Engine
from gortex_py.search.options import SearchOptions
from gortex_py.store.database import Store, StoreIdentity


class LocalPipeline:
    """Indexes and searches in this process, with worker processes shared by all corpora.

    Close it when done; the workers end then.
    """

    def __init__(
        self,
        embedder: Embedder | None,
        *,
        options: IndexOptions | None = None,
        search_options: SearchOptions | None = None,
        method: str = "gortex",
    ) -> None:
        """Take what both steps need.

        :param search_options: None searches with the engine's own, which know no concepts.
        """
        self.method = method
        self._embedder = embedder
        self._options = options or IndexOptions()
        self._search_options = search_options or SearchOptions()
        self._pool = WorkerPool()

    def index(self, root: Path, folder: Path) -> int:
        """Bring the folder's index up to date with the root; returns the number of files in it."""
        with closing(self._open_store(folder)) as store:
            enrichers: list[Enricher] = []
            if self._search_options.graph_signals:
                enrichers.append(GraphEnricher())
            if self._search_options.git_history:
                enrichers.append(HistoryEnricher(root))
            if self._search_options.latent:
                enrichers += latent_enrichers()
            Indexer(root, store, self._embedder, self._options, pool=self._pool, enrichers=enrichers).run()
            with closing(store.reader()) as reader:
                return reader.stats().files

    @property
    def search_options(self) -> SearchOptions:
        """What is switched on."""
        return self._search_options

    @contextmanager
    def open(self, name: str, folder: Path) -> Iterator[Engine]:
        """Open the folder's index for searching, under the name of its repository."""
        with self.open_variants(name, folder, [self._search_options]) as (engine,):
            yield engine

    @contextmanager
    def open_variants(self, name: str, folder: Path, variants: Sequence[SearchOptions]) -> Iterator[list[Engine]]:
        """Open the folder's index once for several ways of searching it; returns an engine for each."""
        with closing(self._open_store(folder)) as store, closing(store.reader()) as reader:
            yield [Engine(name, reader, self._embedder, options=options) for options in variants]

    def close(self) -> None:
        """End the worker processes."""
        self._pool.close()

    def _open_store(self, folder: Path) -> Store:
        fingerprint, dim = ("none", 0) if self._embedder is None else (self._embedder.fingerprint, self._embedder.dim)
        return Store.open(folder, StoreIdentity(self._options.fingerprint, fingerprint, dim))
