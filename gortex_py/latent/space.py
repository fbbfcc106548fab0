"""The space: one vector a term, from which files and queries get theirs."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gortex_py.latent.entries import Keys, normalised, read_entries
from gortex_py.text.tokens import term_key
from gortex_py.types import Bag, FloatArray, IntArray

# magic, dimensions, terms, files, CRC-32 of the rest
_HEADER = struct.Struct("<4sIIII")
_MAGIC = b"LSA1"
_TOP = 127  # of an int8 component
FOLD_FILES = 256  # at once; bounds memory to a few MB


@dataclass(frozen=True, slots=True)
class LatentSpace:
    """Which terms go together in one repository."""

    keys: Keys  # (t,) term keys, ascending
    rarity: FloatArray  # (t,) idf over units
    scale: FloatArray  # (t,) what one step of a component is worth
    vectors: NDArray[np.int8]  # (t, dim)
    files: int  # of the repository when it was fitted
    fingerprint: int = 0  # tells spaces apart; set by decoding

    @property
    def dim(self) -> int:
        """Number of dimensions; 0 where the repository is too small for a space."""
        return int(self.vectors.shape[1])

    def columns(self, keys: Keys) -> IntArray:
        """Return the row of each key, -1 where the space does not know it."""
        if not len(self.keys):
            return np.full(len(keys), -1, np.int64)
        places = self.keys.searchsorted(keys)
        return np.where(self.keys.take(places, mode="clip") == keys, places, -1)

    def fold_in(self, bags: Sequence[Bag]) -> NDArray[np.int8]:
        """Return (n, dim) the vectors of files, scaled to int8; zeros for one of whose words none is known.

        A file's vector does not depend on the other files.
        """
        folded = [self._fold(bags[at : at + FOLD_FILES]) for at in range(0, len(bags), FOLD_FILES)]
        return np.concatenate(folded) if folded else np.zeros((0, self.dim), np.int8)

    def place(self, weights: Mapping[str, float]) -> FloatArray:
        """Return (dim,) the unit vector of weighted terms; zeros where none is known."""
        rows = self.columns(np.array([term_key(term) for term in weights], np.uint64))
        weight = np.array(list(weights.values()), np.float32)[rows >= 0]
        rows = rows[rows >= 0]
        placed = ((weight * self.scale[rows])[:, None] * self.vectors[rows]).sum(axis=0, keepdims=True)
        unit: FloatArray = unit_rows(placed)[0]
        return unit

    def _fold(self, bags: Sequence[Bag]) -> NDArray[np.int8]:
        entries = read_entries(bags, self.columns)
        cell = entries.unit_file[entries.unit] * len(self.keys) + entries.column
        weight = normalised(entries, self.rarity) * self.scale[entries.column]
        said = np.bincount(cell, weight, minlength=len(bags) * len(self.keys)).reshape(len(bags), -1)
        # In float64, where what a product rounds differently by its place is far below one step of an int8.
        return quantised(said.astype(np.float64, copy=False) @ self.vectors.astype(np.float64))[0]


def quantised(vectors: NDArray[np.floating[Any]]) -> tuple[NDArray[np.int8], FloatArray]:
    """Return rows as int8, and what one step of each is worth; a row of zeros stays one."""
    top = np.abs(vectors).max(axis=1, initial=0)
    steps = np.divide(_TOP, top, out=np.zeros_like(top), where=top > 0)
    return np.rint(vectors * steps[:, None]).astype(np.int8), (top / _TOP).astype(np.float32)


def unit_rows(vectors: NDArray[np.generic]) -> FloatArray:
    """Return rows of length 1; a row of zeros stays one."""
    rows = vectors.astype(np.float32)
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    units: FloatArray = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return units


def encode_space(space: LatentSpace) -> bytes:
    """Return a space as bytes; the same space always gives the same."""
    arrays = (
        space.keys.astype("<u8", copy=False),
        space.rarity.astype("<f4", copy=False),
        space.scale.astype("<f4", copy=False),
        space.vectors,
    )
    payload = b"".join(array.tobytes() for array in arrays)
    return _HEADER.pack(_MAGIC, space.dim, len(space.keys), space.files, zlib.crc32(payload)) + payload


def decode_space(data: bytes) -> LatentSpace | None:
    """Return the space written by encode_space; None for bytes that are none, as it can be fitted anew."""
    if len(data) < _HEADER.size:
        return None
    magic, dim, terms, files, checksum = _HEADER.unpack_from(data)
    payload = memoryview(data)[_HEADER.size :]
    if magic != _MAGIC or len(payload) != terms * (16 + dim) or zlib.crc32(payload) != checksum:
        return None
    return LatentSpace(
        keys=np.frombuffer(payload, "<u8", terms),
        rarity=np.frombuffer(payload, "<f4", terms, 8 * terms),
        scale=np.frombuffer(payload, "<f4", terms, 12 * terms),
        vectors=np.frombuffer(payload, np.int8, terms * dim, 16 * terms).reshape(terms, dim),
        files=files,
        fingerprint=checksum,
    )
