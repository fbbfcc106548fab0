"""Where each file lies in its repository's space."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gortex_py.latent.entries import Keys
from gortex_py.latent.space import unit_rows
from gortex_py.text.tokens import term_key
from gortex_py.types import FloatArray

# magic, dimensions, files, fingerprint of the space, CRC-32 of the rest
_HEADER = struct.Struct("<4sIIII")
_MAGIC = b"LSF1"


@dataclass(frozen=True, slots=True)
class FileVectors:
    """One vector a file. Rows are found by path, so that they do not hang on the order of indexing."""

    space: int  # fingerprint of the space they lie in
    paths: Keys  # (n,) term_key() of the path, ascending
    contents: Keys  # (n,) the first half of the digest of what was folded in
    vectors: NDArray[np.int8]  # (n, dim)

    def rows(self, paths: Keys) -> NDArray[np.int64]:
        """Return the row of each path, -1 for one that is not there."""
        if not len(self.paths):
            return np.full(len(paths), -1, np.int64)
        places = self.paths.searchsorted(paths)
        return np.where(self.paths.take(places, mode="clip") == paths, places, -1)

    def of(self, paths: Sequence[str]) -> FloatArray:
        """Return (len(paths), dim) unit vectors; zeros for a file that is not there."""
        rows = self.rows(np.array([term_key(path) for path in paths], np.uint64))
        vectors = np.zeros((len(rows), self.vectors.shape[1]), np.float32)
        vectors[rows >= 0] = unit_rows(self.vectors[rows[rows >= 0]])
        return vectors


def encode_files(files: FileVectors) -> bytes:
    """Return the vectors as bytes."""
    arrays = (files.paths.astype("<u8", copy=False), files.contents.astype("<u8", copy=False), files.vectors)
    payload = b"".join(array.tobytes() for array in arrays)
    count, dim = files.vectors.shape
    return _HEADER.pack(_MAGIC, dim, count, files.space, zlib.crc32(payload)) + payload


def decode_files(data: bytes) -> FileVectors | None:
    """Return the vectors written by encode_files; None for bytes that are none, as they can be made anew."""
    if len(data) < _HEADER.size:
        return None
    magic, dim, count, space, checksum = _HEADER.unpack_from(data)
    payload = memoryview(data)[_HEADER.size :]
    if magic != _MAGIC or len(payload) != count * (16 + dim) or zlib.crc32(payload) != checksum:
        return None
    return FileVectors(
        space=space,
        paths=np.frombuffer(payload, "<u8", count),
        contents=np.frombuffer(payload, "<u8", count, 8 * count),
        vectors=np.frombuffer(payload, np.int8, count * dim, 16 * count).reshape(count, dim),
    )
