"""Bytes to text, and what is no text."""

from __future__ import annotations

import codecs
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gortex_py.source.decode import SNIFF_BYTES, decode, why_binary

CODE = "class Needle16:\n    pass  # naïve 漢字 🚀\n"

WIDE = {
    "UTF-8": (CODE.encode(), "utf-8"),
    "UTF-8 with mark": (codecs.BOM_UTF8 + CODE.encode(), "utf-8"),
    "UTF-16-LE": (codecs.BOM_UTF16_LE + CODE.encode("utf-16-le"), "utf-16-le"),
    "UTF-16-BE": (codecs.BOM_UTF16_BE + CODE.encode("utf-16-be"), "utf-16-be"),
    "UTF-32-LE": (codecs.BOM_UTF32_LE + CODE.encode("utf-32-le"), "utf-32-le"),
    "UTF-32-BE": (codecs.BOM_UTF32_BE + CODE.encode("utf-32-be"), "utf-32-be"),
}


@pytest.mark.parametrize(("data", "encoding"), WIDE.values(), ids=WIDE.keys())
def test_marks_name_the_encoding(data: bytes, encoding: str) -> None:
    assert why_binary(data) == ""
    assert decode(data) == (CODE, encoding)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_wide_text_is_known_without_a_mark(encoding: str) -> None:
    data = "class Needle16: pass\n".encode(encoding)
    assert (why_binary(data), decode(data)) == ("", ("class Needle16: pass\n", encoding))


def test_a_latin_1_letter_is_kept() -> None:
    data = "# café\ndef crème(): pass\n".encode("latin-1")
    assert (why_binary(data), decode(data)) == ("", ("# café\ndef crème(): pass\n", "latin-1"))


def test_one_bad_byte_does_not_spoil_the_rest() -> None:
    text, encoding = decode("漢字の検索 ".encode() * 3 + b"\xff\n")
    assert encoding == "utf-8 with replacements"
    assert "漢字の検索" in text


def test_newlines_become_one_kind() -> None:
    assert decode(b"a\r\nb\rc\n\r\nd")[0] == "a\nb\nc\n\nd"


def test_a_late_nul_becomes_visible() -> None:
    assert decode(b"a\0b")[0] == "a\ufffdb"


TEXTS = {
    "word list": "\n".join(f"word{number:x}" for number in range(40_000)).encode(),
    "long line": b"x = '" + b"a" * 1400 + b"NEEDLE_LONGLINE" + b"b" * 1400 + b"'\n",
    "minified": b"!function(){var a=1};" * 10_000,
    "character cut by the sniff": b"a" * (SNIFF_BYTES - 1) + "é".encode() * 10,
    "colours": b"\x1b[31mred\x1b[0m plain\n" * 20,
    "form feeds": b"\x0c\n; code\n",
    "Shift-JIS": "// 日本語のコメント\nint main;\n".encode("shift-jis") * 5,
    "empty": b"",
}


@pytest.mark.parametrize("data", TEXTS.values(), ids=TEXTS.keys())
def test_text_is_text(data: bytes) -> None:
    assert why_binary(data[:SNIFF_BYTES]) == ""


BINARIES = {
    "a PDF": b"%PDF-1.4\n% plain words follow\n",
    "a PNG image": b"\x89PNG\r\n\x1a\n",
    "a zip archive": b"PK\x03\x04abc",
    "gzip data": b"\x1f\x8b\x08abc",
    "an ELF program": b"\x7fELF\x02",
    "NUL bytes in its beginning": b"text\0text\0\0 text",
    "256 control characters in its first 1024 bytes": (b"\x01abc" * 256),
}


@pytest.mark.parametrize(("reason", "data"), BINARIES.items(), ids=BINARIES.keys())
def test_binary_data_is_named(reason: str, data: bytes) -> None:
    assert why_binary(data) == reason


@pytest.mark.parametrize(
    ("mark", "size"),
    [(b"", 200), (b"", 2_000), (b"", 60_000), (codecs.BOM_UTF16_LE, 2_000), (codecs.BOM_UTF16_BE, 60_000)],
)
def test_random_bytes_are_binary(mark: bytes, size: int) -> None:
    assert all(why_binary(mark + random.Random(seed).randbytes(size)) for seed in range(50))


@given(st.binary(max_size=300))
def test_any_bytes_decode_to_storable_text(data: bytes) -> None:
    text, _ = decode(data)
    assert "\r" not in text and "\0" not in text
    text.encode("utf-8")
