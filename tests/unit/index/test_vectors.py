"""Each text is embedded once; trouble ends the vector work and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from gortex_py.index.vectors import VectorBuild
from tests.fakes import HashEmbedder
from tests.unit.index.conftest import Repo

TEXT = "def f():\n    return 1\n"


def test_a_text_that_is_there_already_is_not_embedded_again(repo: Repo) -> None:
    repo.write("lib/a.py", TEXT)
    repo.index()
    repo.delete("lib/a.py")
    repo.write("other/lib/a.py", TEXT)
    repo.write("third/lib/a.py", TEXT)
    assert repo.index().embedded == 0
    assert repo.reader().stats().vectors == 1


def test_a_text_that_left_and_returned_is_embedded_once_more(repo: Repo) -> None:
    repo.write("a.py", TEXT)
    repo.write("b.py", "x = 1\n")
    repo.index()
    repo.delete("a.py")
    repo.index()
    repo.write("a.py", TEXT)
    repo.index()
    assert repo.reader().stats().vectors == repo.reader().stats().units == 2


@pytest.mark.parametrize(("value", "dropped"), [(np.nan, 1), (0.0, 0)])
def test_malformed_vectors_are_counted_and_texts_of_unknown_words_are_none_of_them(
    repo: Repo, value: float, dropped: int
) -> None:
    class Alike(HashEmbedder):
        def embed(self, texts: list[str], /) -> np.ndarray:  # type: ignore[override]
            self.embedded.extend(texts)
            return np.full((len(texts), self.dim), value, np.float32)

    repo.embedder = Alike()
    repo.write("a.py", TEXT)
    assert repo.index().dropped_vectors == dropped
    assert repo.index().embedded == 0


def test_after_a_failure_nothing_more_is_asked_of_the_provider(repo: Repo) -> None:
    embedder = HashEmbedder()
    build = VectorBuild(embedder)
    embedder.fails = True
    writer = repo.store.writer()
    repo.write("a.py", TEXT)
    repo.embedder = None
    repo.index()
    build.offer(writer.missing_vectors(5), ["text"])
    with writer.batch():
        build.flush(writer)
    assert len(build.problems) == 1
    embedder.fails = False
    build.offer(writer.missing_vectors(5), ["text"])
    with writer.batch():
        build.flush(writer)
    assert (build.embedded, embedder.embedded) == (0, [])


def test_without_an_embedder_nothing_is_held() -> None:
    build = VectorBuild(None)
    build.offer([b"1"], ["text"])
    assert not build.is_active
    assert build._texts == {}
