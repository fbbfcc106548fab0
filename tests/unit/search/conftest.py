"""Small repositories, indexed for real, to ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from gortex_py.chunk import ChunkOptions
from gortex_py.index.analyze import analyze
from gortex_py.index.vectors import VectorBuild
from gortex_py.parse.parser import SourceParser
from gortex_py.protocols import Embedder
from gortex_py.search.engine import Engine
from gortex_py.search.options import SearchOptions
from gortex_py.source.categories import category_of
from gortex_py.source.languages import language_of
from gortex_py.store import Store, StoreIdentity
from gortex_py.types import Hit, Query, SearchResult, SourceFile

PARSER = SourceParser()


class Asking:
    """One indexed repository."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def search(self, text: str, **options: Any) -> SearchResult:
        return self.engine.search(Query(text, **options))

    def hits(self, text: str, **options: Any) -> tuple[Hit, ...]:
        return self.search(text, **options).hits

    def paths(self, text: str, **options: Any) -> list[str]:
        return [hit.path for hit in self.hits(text, **options)]

    def first(self, text: str, **options: Any) -> Hit:
        return self.hits(text, **options)[0]


Ask = Callable[..., Asking]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Return a function that indexes files, path -> text, and gives something to ask."""
    opened: list[Store] = []

    def index(
        files: Mapping[str, str], *, embedder: Embedder | None = None, name: str = "repo", **options: Any
    ) -> Asking:
        folder: Path = tmp_path_factory.mktemp("index")
        fingerprint, dim = (embedder.fingerprint, embedder.dim) if embedder else ("", 0)
        store = Store.open(folder, StoreIdentity("test", fingerprint, dim))
        opened.append(store)
        writer, vectors = store.writer(), VectorBuild(embedder)
        with writer.batch():
            for path, text in files.items():
                language = language_of(path, text)
                data = text.encode()
                digest = blake2b(data, digest_size=16).hexdigest()
                file = SourceFile(path, language, category_of(path, language, text), len(data), 1, digest)
                analysis = analyze(file, text, PARSER, ChunkOptions())
                writer.replace_file(store.pack(analysis.file))
                vectors.offer([unit.text_hash for unit in analysis.file.units], analysis.unit_texts)
            vectors.flush(writer)
        return Asking(Engine(name, store.reader(), embedder, options=SearchOptions(**options)))

    yield index
    for store in opened:
        store.close()
