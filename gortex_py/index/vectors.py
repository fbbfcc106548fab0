"""Give every unit a vector, embedding each text once however often it occurs or returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gortex_py.errors import EmbeddingFailed
from gortex_py.protocols import Embedder, StoreWriter
from gortex_py.types import FloatArray, Problem

BATCH_TEXTS = 4_096


@dataclass
class VectorBuild:
    """The vectors of one pass.

    A provider that fails ends the vector work of the pass, not the pass: vectors that exist stay,
    and what is missing is taken up again by the next pass.
    """

    embedder: Embedder | None
    embedded: int = 0
    dropped: int = 0
    problems: list[Problem] = field(default_factory=list)
    _texts: dict[bytes, str] = field(default_factory=dict)

    @property
    def is_active(self) -> bool:
        return self.embedder is not None and not self.problems

    def offer(self, hashes: Sequence[bytes], texts: Sequence[str]) -> None:
        """Note the texts of a file's units, in case the store asks for their vectors."""
        if self.is_active:
            self._texts.update(zip(hashes, texts, strict=True))

    def flush(self, writer: StoreWriter) -> None:
        """Embed what the store is missing of the texts on offer; call inside a batch."""
        if self.is_active and self._texts:
            self._embed(writer, self._texts)
        self._texts.clear()

    def _embed(self, writer: StoreWriter, texts: Mapping[bytes, str]) -> None:
        assert self.embedder is not None
        wanted = [text_hash for text_hash in writer.without_vectors(list(texts)) if text_hash in texts]
        for at in range(0, len(wanted), BATCH_TEXTS):
            batch = wanted[at : at + BATCH_TEXTS]
            try:
                vectors: FloatArray = self.embedder.embed([texts[text_hash] for text_hash in batch])
            except EmbeddingFailed as failure:
                self.problems.append(Problem("embedding", failure.message))
                return
            # A zero row is an answer: the embedder knows no word of the text. It is stored as none, and no trouble.
            wordless = int(np.count_nonzero(~vectors.any(axis=1))) if vectors.ndim == 2 else 0
            self.dropped += max(0, writer.add_vectors(batch, vectors) - wordless)
            self.embedded += len(batch)
