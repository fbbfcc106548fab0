"""Files' places, found by path."""

from __future__ import annotations

import numpy as np

from gortex_py.latent.files import FileVectors, decode_files, encode_files
from gortex_py.text.tokens import term_key

PATHS = sorted(("a.py", "src/b.py", "c.py"), key=term_key)
FILES = FileVectors(
    space=7,
    paths=np.array([term_key(path) for path in PATHS], np.uint64),
    contents=np.array([1, 2, 3], np.uint64),
    vectors=np.array([[3, 4], [0, 0], [-127, 0]], np.int8),
)


def test_a_path_has_its_vector_and_an_unknown_one_has_none() -> None:
    found = FILES.of([PATHS[2], "unknown.py", PATHS[0], PATHS[1]])
    assert np.allclose(found, [[-1, 0], [0, 0], [0.6, 0.8], [0, 0]])


def test_vectors_come_back_from_bytes() -> None:
    read = decode_files(encode_files(FILES))
    assert read is not None
    assert read.space == 7
    assert read.contents.tolist() == [1, 2, 3]
    assert np.array_equal(read.of(PATHS), FILES.of(PATHS))


def test_no_files_are_no_trouble() -> None:
    none = np.zeros(0, np.uint64)
    read = decode_files(encode_files(FileVectors(7, none, none, np.zeros((0, 0), np.int8))))
    assert read is not None
    assert read.of(["a.py"]).shape == (1, 0)


def test_damaged_bytes_are_no_vectors() -> None:
    data = encode_files(FILES)
    for broken in (b"", data[:-1], data[:30] + b"\xff" + data[31:], b"XXXX" + data[4:]):
        assert decode_files(broken) is None
