"""Place the query and the candidates in the repository's latent space."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gortex_py.latent.files import decode_files
from gortex_py.latent.space import decode_space
from gortex_py.protocols import StoreReader
from gortex_py.rank.evidence import Question
from gortex_py.types import FloatArray

# The names under which index/latent.py stores them.
LATENT_SPACE = "latent-space"
LATENT_FILES = "latent-files"


def latent_facts(question: Question, paths: Sequence[str], reader: StoreReader | None) -> tuple[FloatArray, FloatArray]:
    """Return (n,) cosines of the files with the query, at least 0, and (n, dim) the files' unit vectors.

    All zeros where there is no space, or the stored vectors lie in another one: the next pass
    makes them anew.

    :param reader: None leaves the space alone
    """
    space = reader.enriched(LATENT_SPACE, decode_space) if reader is not None else None
    files = reader.enriched(LATENT_FILES, decode_files) if reader is not None else None
    if space is None or files is None or space.fingerprint != files.space:
        return np.zeros(len(paths), np.float32), np.zeros((len(paths), 0), np.float32)
    weights: dict[str, float] = {}
    for group in question.groups:
        for term, weight in group.variants:
            weights[term] = weights.get(term, 0.0) + weight * group.idf
    vectors = files.of(paths)
    # Not a matrix product: it rounds equal rows differently by where they stand.
    cosines: FloatArray = np.maximum(0, (vectors * space.place(weights)).sum(axis=1))
    return cosines, vectors
