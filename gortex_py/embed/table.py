"""Read and verify the word table that ships with the package.

A table file is a header and a payload, little-endian, without padding:

======== ===================== ====================================================
bytes    field                 meaning
======== ===================== ====================================================
8        magic                 ``GXWORDS`` and the format number, one byte
4        dim                   numbers in a row
4        count                 words
8        payload size          bytes that follow the header
32       digest                SHA-256 of the payload
4 count  frequency             float32, share of running text, in (0, 1]
4 count  scale                 float32, factor of the row
dim x    rows                  int8, row-major; a vector is its row times its scale
count
rest     words                 UTF-8, one a line, the most frequent first
======== ===================== ====================================================
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gortex_py.errors import EmbeddingFailed
from gortex_py.types import FloatArray

MAGIC = b"GXWORDS\x01"
_HEADER = struct.Struct("<8sIIQ32s")
# 127 and not 128: the range of int8 that is symmetric about zero.
_STEPS = 127


@dataclass(frozen=True, slots=True)
class WordTable:
    """Words with their vectors and frequencies; row i of each belongs to words[i]."""

    words: tuple[str, ...]  # folded, unstemmed, the most frequent first
    frequency: FloatArray  # (n,) share of running text, in (0, 1]
    vectors: FloatArray  # (n, dim), centred, not unit
    digest: str  # hex SHA-256 of the payload

    @property
    def dim(self) -> int:
        return int(self.vectors.shape[1])


def read_table(path: Path, *, expected_dim: int | None = None) -> WordTable:
    """Return the table in a file, verified against its own header.

    :param expected_dim: refuse a table of another width.
    :raises EmbeddingFailed: with the path and the remedy, when the file cannot be read, is not a
        word table, is cut short, altered, or of another width.
    """
    try:
        blob = path.read_bytes()
    except OSError as error:
        raise _broken(path, f"cannot be read ({error.strerror or error})") from error
    return decode_table(blob, path, expected_dim=expected_dim)


def decode_table(blob: bytes, path: Path, *, expected_dim: int | None = None) -> WordTable:
    """Return the table in a blob; ``path`` is what messages call it. Raises as read_table does."""
    if len(blob) < _HEADER.size or blob[: len(MAGIC) - 1] != MAGIC[:-1]:
        raise _broken(path, "is not a word table")
    magic, dim, count, size, digest = _HEADER.unpack_from(blob)
    if magic != MAGIC:
        raise _broken(path, f"has format {magic[-1]}, this version reads format {MAGIC[-1]}")
    if expected_dim is not None and dim != expected_dim:
        raise _broken(path, f"has {dim} numbers a word, expected {expected_dim}")
    payload = memoryview(blob)[_HEADER.size :]
    if len(payload) != size:
        raise _broken(path, f"holds {len(payload):,} bytes after its header, expected {size:,}")
    if sha256(payload).digest() != digest:
        raise _broken(path, "was altered: its checksum does not match")
    words_at = count * (8 + dim)
    if words_at > size:
        raise _broken(path, f"is too short for {count:,} words of {dim} numbers")
    words = _decode_words(payload[words_at:], path)
    if len(words) != count:
        raise _broken(path, f"holds {len(words):,} words, expected {count:,}")
    frequency, scale = (np.frombuffer(payload, "<f4", count, at * count * 4).astype(np.float32) for at in (0, 1))
    rows = np.frombuffer(payload, np.int8, count * dim, count * 8).reshape(count, dim)
    vectors = np.multiply(rows, scale[:, None], dtype=np.float32)
    return WordTable(words, frequency, vectors, digest.hex())


def encode_table(words: Sequence[str], frequency: FloatArray, vectors: NDArray[np.floating]) -> bytes:
    """Return the bytes of a table file. Equal arguments give equal bytes.

    :param words: distinct, without white space, the most frequent first.
    :param frequency: (n,) in (0, 1].
    :param vectors: (n, dim).
    """
    scale = np.maximum(np.abs(vectors).max(axis=1) / _STEPS, np.finfo(np.float32).tiny).astype("<f4")
    rows = np.rint(vectors / scale[:, None]).clip(-_STEPS, _STEPS).astype(np.int8)
    payload = b"".join(
        (frequency.astype("<f4").tobytes(), scale.tobytes(), rows.tobytes(), "\n".join(words).encode("utf-8"))
    )
    return _HEADER.pack(MAGIC, rows.shape[1], len(words), len(payload), sha256(payload).digest()) + payload


def _decode_words(raw: memoryview, path: Path) -> tuple[str, ...]:
    try:
        return tuple(bytes(raw).decode("utf-8").split("\n"))
    except UnicodeDecodeError as error:
        raise _broken(path, "holds words that are not UTF-8") from error


def _broken(path: Path, what: str) -> EmbeddingFailed:
    return EmbeddingFailed(
        f"the word table {path} {what}; install the package again, or in a checkout build it (embeddings/README.md)",
        code="word-table-broken",
    )
