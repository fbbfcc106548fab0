"""The default embedder: a weighted mean of word vectors, on the CPU, from the table that ships."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from gortex_py.embed.table import WordTable
from gortex_py.text.tokens import identifier_parts, stem, words
from gortex_py.types import FloatArray

# Counts up whenever the arithmetic below gives the same text another vector.
ALGORITHM = 1
# A word of frequency p weighs a / (a + p): half at p = a. Measured on functions of the Python standard library
# asked for by their docstrings: MRR@10 0.129 at 1e-4, 0.158 at 1e-3, 0.162 at 3e-3, 0.156 at 1e-2.
SMOOTHING = 3e-3
# A shorter part has no stem to speak of; the English rules make "a" of "aed".
MIN_STEMMED_CHARS = 3
# Distinct identifiers of a large repository fit; the bound keeps a daemon's memory flat.
_CACHE_ENTRIES = 200_000


class StaticEmbedder:
    """Embed a text as the weighted mean of its words' vectors, made unit.

    Words are split as the index splits them, looked up unstemmed, and if absent by the most
    frequent word of the same stem. The vector of a text depends on that text alone, never on
    the others of the call. May be called from several threads.
    """

    def __init__(self, table: WordTable, *, name: str = "static") -> None:
        self._name = name
        self._dim = table.dim
        self._fingerprint = f"static-{ALGORITHM}-{table.digest[:16]}"
        self._weighted: FloatArray = table.vectors * (SMOOTHING / (SMOOTHING + table.frequency))[:, None]
        self._words = table.words
        self._rows = {word: row for row, word in enumerate(table.words)}
        self._stems: dict[str, int] | None = None
        self._cache: dict[str, tuple[int, ...]] = {}

    @property
    def name(self) -> str:
        return self._name

    @property
    def dim(self) -> int:
        return self._dim

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def embed(self, texts: Sequence[str], /) -> FloatArray:
        """Return (len(texts), dim) float32, unit rows; a zero row for a text of unknown words only."""
        out = np.zeros((len(texts), self._dim), dtype=np.float32)
        for i, text in enumerate(texts):
            rows = self._text_rows(text)
            if rows:
                np.add.reduce(self._weighted.take(rows, axis=0), axis=0, out=out[i])
        norms = np.sqrt(np.einsum("ij,ij->i", out, out))
        # The words of a text may cancel out; what is left of them then is rounding, not meaning.
        known = norms > 1e-6
        out[~known] = 0.0
        out[known] /= norms[known, None]
        return out

    def _text_rows(self, text: str) -> list[int]:
        found = words(text)
        cache = self._cache
        try:
            return list(chain.from_iterable([cache[word] for word in found]))
        except KeyError:
            return list(chain.from_iterable([self._word_rows(word) for word in found]))

    def _word_rows(self, word: str) -> tuple[int, ...]:
        rows = self._cache.get(word)
        if rows is None:
            if len(self._cache) >= _CACHE_ENTRIES:
                self._cache.clear()
            found = (self._part_row(part) for part in identifier_parts(word))
            rows = self._cache[word] = tuple(row for row in found if row is not None)
        return rows

    def _part_row(self, part: str) -> int | None:
        row = self._rows.get(part)
        if row is None and len(part) >= MIN_STEMMED_CHARS:
            row = self._stem_rows().get(stem(part))
        return row

    def _stem_rows(self) -> dict[str, int]:
        if self._stems is None:  # 20,000 stems take longer than the rest of the start; most short queries need none
            stems: dict[str, int] = {}
            for row, word in enumerate(self._words):
                stems.setdefault(stem(word), row)
            self._stems = stems
        return self._stems
