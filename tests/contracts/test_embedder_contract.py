"""What every embedder keeps to, whatever it is made of."""

from __future__ import annotations

import numpy as np
import pytest

from gortex_py.embed.choose import EmbedOptions, choose_embedder
from gortex_py.embed.variants import VARIANTS
from gortex_py.protocols import Embedder
from gortex_py.settings.paths import bundled

TEXTS = ["parse the configuration file", "def delete_user(self, user_id):", "retry with backoff"]


@pytest.fixture(scope="module", params=VARIANTS)
def embedder(request: pytest.FixtureRequest) -> Embedder:
    choice = choose_embedder(EmbedOptions(variant=request.param), bundled("embeddings"))
    assert choice.embedder is not None
    return choice.embedder


def test_vectors_are_float32_unit_rows_of_the_stated_width(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (3, embedder.dim)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_no_texts_give_no_rows_of_the_same_width(embedder: Embedder) -> None:
    vectors = embedder.embed([])
    assert vectors.shape == (0, embedder.dim)
    assert vectors.dtype == np.float32


def test_a_text_without_known_words_is_a_zero_row_among_finite_ones(embedder: Embedder) -> None:
    vectors = embedder.embed(["", "!!! 12 %%", "zzqxv", "open the file"])
    assert np.isfinite(vectors).all()
    assert not vectors[:3].any()
    assert vectors[3].any()


def test_a_text_has_one_vector_whoever_its_neighbours_are(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS)
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    assert np.array_equal(together, alone)


def test_it_says_what_it_is(embedder: Embedder) -> None:
    assert embedder.name
    assert embedder.fingerprint
