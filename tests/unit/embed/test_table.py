from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gortex_py.embed.table import decode_table, encode_table, read_table
from gortex_py.embed.variants import VARIANTS, table_file
from gortex_py.errors import EmbeddingFailed
from gortex_py.settings.paths import bundled

HERE = Path("some/table.bin")


@pytest.fixture
def blob() -> bytes:
    vectors = np.array([[1.0, -0.5, 0.25], [0.0, 0.0, 0.0], [3.0, 2.0, 1.0]])
    return encode_table(["one", "two", "three"], np.array([0.5, 0.25, 0.125], dtype=np.float32), vectors)


def test_what_was_written_is_read_again(blob: bytes) -> None:
    table = decode_table(blob, HERE)
    assert table.words == ("one", "two", "three")
    assert table.frequency.tolist() == [0.5, 0.25, 0.125]
    # A step of a row is its largest number / 127, and rounding is off by half a step at most.
    assert np.allclose(table.vectors, [[1.0, -0.5, 0.25], [0, 0, 0], [3.0, 2.0, 1.0]], atol=3.0 / 127 / 2 + 1e-6)


def test_equal_arguments_give_equal_bytes(blob: bytes) -> None:
    table = decode_table(blob, HERE)
    assert encode_table(table.words, table.frequency, table.vectors) == encode_table(
        table.words, table.frequency, table.vectors
    )


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_table_that_ships_is_whole(variant: str) -> None:
    path = bundled("embeddings") / table_file(variant)
    table = read_table(path, expected_dim=int(variant.split("-")[1][:-1]))
    assert len(table.words) == len(set(table.words)) == 20_000
    assert path.stat().st_size <= 5_000_000
    assert {"delete", "parse", "login", "config", "async", "params", "impl", "uuid", "regex"} <= set(table.words)
    assert (table.frequency > 0).all()
    assert np.isfinite(table.vectors).all()


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda b: b"", "is not a word table"),
        (lambda b: b[:40], "is not a word table"),
        (lambda b: b"PK" + b[2:], "is not a word table"),
        (lambda b: b[:7] + b"\x02" + b[8:], "has format 2"),
        (lambda b: b[:-4], "expected"),
        (lambda b: b + b"x", "expected"),
        (lambda b: b[:70] + bytes([b[70] ^ 1]) + b[71:], "altered"),
        (lambda b: b[:12] + (2).to_bytes(4, "little") + b[16:], "holds .*words"),
        (lambda b: b[:12] + (1 << 30).to_bytes(4, "little") + b[16:], "too short"),
    ],
    ids=["empty", "header cut", "other file", "newer format", "cut", "longer", "bit flipped", "count", "huge count"],
)
def test_a_damaged_table_is_named_with_the_remedy(blob: bytes, damage: object, complaint: str) -> None:
    assert callable(damage)
    with pytest.raises(EmbeddingFailed, match=complaint) as caught:
        decode_table(damage(blob), HERE)
    assert str(HERE) in caught.value.message
    assert "install the package again" in caught.value.message
    assert caught.value.code == "word-table-broken"


def test_another_width_is_refused(blob: bytes) -> None:
    with pytest.raises(EmbeddingFailed, match="3 numbers a word, expected 50"):
        decode_table(blob, HERE, expected_dim=50)


def test_an_absent_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingFailed, match="cannot be read"):
        read_table(tmp_path / "none.bin")
