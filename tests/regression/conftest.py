"""Whole repositories, indexed and searched by the real parts in this process; no daemon, no network."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from gortex_py.embed.choose import EmbedOptions, choose_embedder
from gortex_py.index.indexer import Indexer, IndexOptions
from gortex_py.index.workers import WorkerPool
from gortex_py.protocols import Embedder
from gortex_py.search.engine import Engine
from gortex_py.settings.paths import bundled
from gortex_py.source.walk import WalkOptions
from gortex_py.store.database import Store, StoreIdentity
from gortex_py.types import Corpus, Hit, IndexReport, Query, SearchResult, Skipped

Content = str | bytes


@dataclass
class Workshop:
    """What all tests share: one pool of workers and one word table."""

    pool: WorkerPool
    embedder: Embedder


@dataclass
class Indexed:
    """A folder with its index, brought up to date when told."""

    root: Path
    folder: Path
    shop: Workshop
    walk: WalkOptions = field(default_factory=WalkOptions)
    pool: WorkerPool | None = None

    def __post_init__(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        self.options = IndexOptions(walk=self.walk)
        self.store = self._open_store()
        self.reader = self.store.reader()
        self.engine = Engine("here", self.reader, self.shop.embedder)

    def write(self, files: Mapping[str, Content], *, index: bool = True) -> Indexed:
        """Write files below the root and index."""
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        if index:
            self.index()
        return self

    def index(self, changed: Collection[str] | None = None) -> IndexReport:
        """Run one pass, as the daemon does."""
        pool = self.pool or self.shop.pool
        return Indexer(self.root, self.store, self.shop.embedder, self.options, pool=pool).run(changed)

    def ask(self, text: str, *, limit: int = 10, offset: int = 0, corpus: Corpus = Corpus.ALL) -> SearchResult:
        """Search everything."""
        return self.engine.search(Query(text, corpus=corpus, limit=limit, offset=offset))

    def hits(self, text: str, *, limit: int = 10, offset: int = 0) -> list[str]:
        """Return the paths of the hits, best first."""
        return [hit.path for hit in self.ask(text, limit=limit, offset=offset).hits]

    def first(self, text: str) -> Hit:
        """Return the best hit."""
        return self.ask(text).hits[0]

    def saying(self, word: str) -> list[str]:
        """Return the paths of hits whose snippet shows the word; vectors find neighbours as well."""
        return sorted(hit.path for hit in self.ask(word, limit=100).hits if word.lower() in hit.snippet.lower())

    def paths(self) -> list[str]:
        """Return every indexed path."""
        return sorted(self.reader.digests())

    def skipped(self) -> dict[str, Skipped]:
        """Return what is known and left out, by path."""
        return {entry.path: entry for entry in self.reader.skipped()}

    def counts(self) -> dict[str, int]:
        """Return the size of everything that grows when something is left behind."""
        stats = self.reader.stats()
        vocabulary = dict(self.reader.terms_with_prefix("", 1_000_000))
        ids = self.reader.file_facts().ids.tolist()
        vector = np.ones(self.shop.embedder.dim, np.float32)
        found, ordinals, _ = self.reader.search_vectors(vector, Corpus.ALL, 1_000_000)
        return {
            "files": stats.files,
            "symbols": stats.symbols,
            "units": stats.units,
            "terms": len(vocabulary),
            "postings": sum(vocabulary.values()),
            "bags": sum(len(bag.keys) for bag in self.reader.bags(ids)),
            "vectors": len(set(zip(found.tolist(), ordinals.tolist(), strict=True))),
        }

    def reopen(self) -> Store:
        """Close the index and open it again, as a restart does; returns the new store."""
        self.close()
        self.store = self._open_store()
        self.reader = self.store.reader()
        self.engine = Engine("here", self.reader, self.shop.embedder)
        return self.store

    def close(self) -> None:
        self.store.close()

    def _open_store(self) -> Store:
        embedder = self.shop.embedder
        return Store.open(self.folder, StoreIdentity(self.options.fingerprint, embedder.fingerprint, embedder.dim))


@pytest.fixture(scope="session")
def workshop() -> Iterator[Workshop]:
    choice = choose_embedder(EmbedOptions(), bundled("embeddings"))
    assert choice.embedder is not None, choice.problems
    with closing(WorkerPool(1)) as pool:
        yield Workshop(pool, choice.embedder)


Make = Callable[..., Indexed]


@pytest.fixture
def make(workshop: Workshop, tmp_path: Path) -> Iterator[Make]:
    """Make an index of a folder; of a new one unless a root is named."""
    made: list[Indexed] = []

    def build(root: Path | None = None, **options: object) -> Indexed:
        number = len(made)
        indexed = Indexed(
            root if root is not None else tmp_path / f"repo{number}",
            tmp_path / "indexes" / str(number),
            workshop,
            **options,  # type: ignore[arg-type]
        )
        made.append(indexed)
        return indexed

    yield build
    for indexed in made:
        indexed.close()


@pytest.fixture
def repo(make: Make) -> Indexed:
    """An empty folder with its index."""
    return make()
