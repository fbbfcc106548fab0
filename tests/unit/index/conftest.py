"""A repository of real files with a real index, and worker processes shared by all tests here."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from gortex_py.index.indexer import Indexer, IndexOptions
from gortex_py.index.workers import WorkerPool
from gortex_py.protocols import Embedder
from gortex_py.store import SqliteReader, Store, StoreIdentity
from gortex_py.types import IndexReport
from tests.fakes import HashEmbedder

OPTIONS = IndexOptions()
OLD_NS = 1_600_000_000_000_000_000


@dataclass
class Repo:
    """A tree of files and its index."""

    root: Path
    folder: Path
    pool: WorkerPool
    embedder: Embedder | None = field(default_factory=HashEmbedder)
    _store: Store | None = None
    _clock: int = 0

    def write(self, path: str, text: str | bytes) -> None:
        """Write a file and give it a time of its own, long past."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        self._clock += 1_000_000_000
        os.utime(file, ns=(OLD_NS + self._clock, OLD_NS + self._clock))

    def delete(self, path: str) -> None:
        target = self.root / path
        if target.is_dir():
            shutil.rmtree(target)
        else:
            target.unlink()

    @property
    def store(self) -> Store:
        if self._store is None:
            fingerprint, dim = (self.embedder.fingerprint, self.embedder.dim) if self.embedder else ("", 0)
            self._store = Store.open(self.folder, StoreIdentity(OPTIONS.fingerprint, fingerprint, dim))
        return self._store

    def index(self, changed: set[str] | None = None, **options: Any) -> IndexReport:
        return Indexer(self.root, self.store, self.embedder, OPTIONS, pool=self.pool).run(changed, **options)

    def reader(self) -> SqliteReader:
        return self.store.reader()

    def paths(self) -> list[str]:
        return sorted(self.reader().digests())

    def close(self) -> None:
        """Close the index, so that it is opened anew."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def content(self) -> dict[str, object]:
        """Return everything that is indexed, by path and free of row numbers."""
        reader = self.reader()
        found: dict[str, object] = {"skipped": [(s.path, s.reason) for s in reader.skipped()]}
        for path, source in reader.digests().items():
            file_id = reader.file_id(path)
            assert file_id is not None
            (bag,), (units,) = reader.bags([file_id], with_terms=True), reader.units([file_id])
            (symbols,), (references,) = reader.file_symbols([file_id]), reader.file_references([file_id])
            arrays = tuple(getattr(bag, name).tolist() for name in ("indptr", "units", "fields", "counts", "lengths"))
            vectors: object = None
            if self.embedder is not None:
                query = self.embedder.embed(["parse config alpha beta retry"])[0]
                vectors = [round(float(c), 2) for c in reader.unit_cosines([file_id], query)[0]]
            rows = (source.digest, source.category, source.language, reader.text(file_id), units, symbols, references)
            found[path] = (*rows, bag.terms, arrays, vectors)
        return found


@pytest.fixture(scope="session")
def pool() -> Iterator[WorkerPool]:
    pool = WorkerPool(1)
    yield pool
    pool.close()


@pytest.fixture
def make_repo(tmp_path: Path, pool: WorkerPool) -> Iterator[Callable[..., Repo]]:
    made: list[Repo] = []

    def make(name: str = "repo", **options: Any) -> Repo:
        root = tmp_path / name
        root.mkdir(exist_ok=True)
        repo = Repo(root, tmp_path / f"index-{len(made)}", pool, **options)
        made.append(repo)
        return repo

    yield make
    for repo in made:
        repo.close()


@pytest.fixture
def repo(make_repo: Callable[..., Repo]) -> Repo:
    return make_repo()
