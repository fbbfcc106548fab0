"""Vectors in one append-only file beside the database, mapped into memory to be read.

The database is the truth about the file: how many rows count, their running checksum, and the
id the file must carry. Bytes beyond the recorded rows are what a crash left; they are written over.
"""

from __future__ import annotations

import os
import secrets
import struct
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gortex_py.types import FloatArray, IntArray

BLOCK_ROWS = 4096  # converted to float32 at once: stays in the cache of one core
_INT8_MAX = 127.0
EXACT_FLOAT32 = 1 << 24  # whole numbers up to here are exact
_FORMAT = 1
_MAGIC = b"GORTXVEC"
_HEADER = struct.Struct("<8sIII16s28x")  # magic, format, dim, data offset, id; 64 bytes

VectorRows = NDArray[Any]  # structured: "inverse_norm" float32, "values" int8 (dim,)


@dataclass(frozen=True, slots=True)
class VectorState:
    """What the database records of the vector file."""

    number: int  # of the file's name
    id: str  # 32 hex digits
    dim: int
    rows: int
    checksum: int  # crc32 of the rows' bytes

    @property
    def file_name(self) -> str:
        return f"vectors-{self.number}.bin"

    @property
    def size_bytes(self) -> int:
        return _HEADER.size + self.rows * row_type(self.dim).itemsize


def row_type(dim: int) -> np.dtype[Any]:
    """Return the type of a stored row."""
    return np.dtype([("inverse_norm", "<f4"), ("values", "i1", (dim,))])


def create_vectors(folder: Path, number: int, dim: int) -> VectorState:
    """Begin an empty vector file; one of the same name is written over."""
    state = VectorState(number, secrets.token_hex(16), dim, 0, 0)
    header = _HEADER.pack(_MAGIC, _FORMAT, dim, _HEADER.size, bytes.fromhex(state.id))
    (folder / state.file_name).write_bytes(header)
    return state


def append_rows(folder: Path, state: VectorState, rows: VectorRows) -> VectorState:
    """Write rows behind the recorded ones and return the state to be recorded with them."""
    data = rows.tobytes()
    descriptor = os.open(folder / state.file_name, os.O_WRONLY)
    try:
        _write_at(descriptor, data, state.size_bytes)
    finally:
        os.close(descriptor)
    return replace(state, rows=state.rows + len(rows), checksum=zlib.crc32(data, state.checksum))


def verify(folder: Path, state: VectorState) -> str | None:
    """Say what is wrong with the file, or None; cuts off what a crash left behind the rows."""
    path = folder / state.file_name
    try:
        with path.open("rb") as file:
            magic, version, dim, offset, file_id = _HEADER.unpack(file.read(_HEADER.size))
            if (magic, version, dim, offset) != (_MAGIC, _FORMAT, state.dim, _HEADER.size):
                return "its header is not what was written"
            if file_id.hex() != state.id:
                return "it belongs to another index"
        if path.stat().st_size < state.size_bytes:
            return "it is shorter than recorded"
        if zlib.crc32(map_rows(folder, state).data) != state.checksum:
            return "its checksum does not agree"
        os.truncate(path, state.size_bytes)
    except FileNotFoundError:
        return "it is missing"
    except struct.error:
        return "it is shorter than its header"
    return None


def map_rows(folder: Path, state: VectorState) -> VectorRows:
    """Map the recorded rows; they never change, so the mapping outlives later commits."""
    kind = row_type(state.dim)
    if not state.rows:
        return np.empty(0, kind)
    return np.memmap(folder / state.file_name, kind, "r", _HEADER.size, (state.rows,))


def quantise(vectors: FloatArray) -> VectorRows:
    """Return rows of int8, each scaled to its largest component; they must be finite and not zero."""
    scale = _INT8_MAX / np.abs(vectors).max(axis=1, keepdims=True)
    rows = np.empty(len(vectors), row_type(vectors.shape[1]))
    values = np.rint(vectors * scale)
    rows["values"] = values
    rows["inverse_norm"] = 1.0 / np.linalg.norm(values, axis=1)
    return rows


def usable(vectors: FloatArray) -> NDArray[np.bool_]:
    """Return which rows are finite and not zero."""
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    good: NDArray[np.bool_] = np.isfinite(largest) & (largest > np.finfo(np.float32).tiny)
    return good


def unit_vector(vector: FloatArray, dim: int) -> FloatArray | None:
    """Return the vector at length one, or None when it has another width or no direction."""
    flat = np.asarray(vector, np.float32).reshape(-1)
    if len(flat) != dim or not usable(flat[None, :])[0]:
        return None
    return flat / np.linalg.norm(flat)


def cosines(rows: VectorRows, vector: FloatArray) -> FloatArray:
    """Return the cosine of each row with a unit vector, float32.

    The vector is rounded to whole numbers so small that every sum is exact: otherwise equal rows get
    unequal cosines by where they stand, and ties fall one way today and another way tomorrow.
    """
    result = np.empty(len(rows), np.float32)
    levels = min(32_767, EXACT_FLOAT32 // (int(_INT8_MAX) * max(1, len(vector))))
    vector = np.rint(vector * (levels / max(float(np.abs(vector).max(initial=0.0)), 1e-30)))
    vector_norm = np.float32(1.0 / max(float(np.linalg.norm(vector.astype(np.float64))), 1e-30))
    for start in range(0, len(rows), BLOCK_ROWS):
        block = rows[start : start + BLOCK_ROWS]
        result[start : start + BLOCK_ROWS] = (
            block["values"].astype(np.float32) @ vector * block["inverse_norm"] * vector_norm
        )
    return result


def best_rows(scores: FloatArray, count: int) -> IntArray:
    """Return the indices of the highest scores, ascending, and of all that equal the lowest of them."""
    if count >= len(scores):
        return np.arange(len(scores))
    return np.flatnonzero(scores >= np.partition(scores, len(scores) - count)[len(scores) - count])


def remove_files(folder: Path, *, keep_from: int) -> None:
    """Delete vector files numbered below ``keep_from``; a reader that mapped one keeps its mapping."""
    for path in folder.glob("vectors-*.bin"):
        number = path.stem.removeprefix("vectors-")
        if number.isdecimal() and int(number) < keep_from:
            path.unlink(missing_ok=True)


def _write_at(descriptor: int, data: bytes, offset: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(descriptor, view, offset)
        view, offset = view[written:], offset + written
