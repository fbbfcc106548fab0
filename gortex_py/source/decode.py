"""Bytes to text: a sniff for what is no text, then by byte order mark, UTF-8, Latin-1."""

from __future__ import annotations

import codecs
import unicodedata

SNIFF_BYTES = 64 * 1024
_NUL_SNIFF_BYTES = 8 * 1024
_MIN_WIDE_BYTES = 8  # less is too little to tell wide text by its NULs
_BOMS = (  # the longer first: UTF-32-LE begins like UTF-16-LE
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Only marks that do not begin a text; most other formats show NULs at once.
_MAGIC = (
    (b"%PDF-", "a PDF"),
    (b"\x89PNG", "a PNG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"\xfd7zXZ", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\x7fELF", "an ELF program"),
    (b"\xca\xfe\xba\xbe", "a Java class or Mach-O program"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program"),
    (b"\0asm", "WebAssembly"),
    (b"!<arch>\n", "a library archive"),
    (b"SQLite format 3\0", "an SQLite database"),
)
_TEXT_CONTROLS = b"\t\n\r\f\b\x1b"
_CONTROLS = bytes(code for code in (*range(32), 127) if code not in _TEXT_CONTROLS)
# Terminal recordings hold some control characters. Random bytes hold 10 %, text in an old
# 8-bit or East Asian encoding none, so where it is not UTF-8 less is tolerated.
_MAX_CONTROL_SHARE = 0.10
_MAX_CONTROL_SHARE_NOT_UTF8 = 0.02
# A text with a few bad bytes among many good multi-byte characters is damaged UTF-8, not Latin-1.
_GOOD_PER_BAD = 4


def why_binary(head: bytes) -> str:
    """Return why a file that begins like this is no text, or an empty string."""
    for magic, noun in _MAGIC:
        if head.startswith(magic):
            return noun
    encoding = _unicode_encoding(head)
    if encoding.startswith(("utf-16", "utf-32")):
        return _why_no_unicode(head[:_NUL_SNIFF_BYTES].decode(encoding, "replace"), encoding)
    if b"\0" in head[:_NUL_SNIFF_BYTES]:
        return "NUL bytes in its beginning"
    controls = len(head) - len(head.translate(None, _CONTROLS))
    limit = _MAX_CONTROL_SHARE if _is_utf8_beginning(head) else _MAX_CONTROL_SHARE_NOT_UTF8
    if controls > limit * len(head):
        return f"{controls} control characters in its first {len(head)} bytes"
    return ""


def _why_no_unicode(text: str, encoding: str) -> str:
    """Return why wide text is none: random units are often unassigned, private or unpaired."""
    odd = sum(char not in "\t\n\r\f" and unicodedata.category(char) in ("Cc", "Cn", "Co") for char in text)
    odd += text.count("\ufffd")
    return f"{odd} impossible characters in {encoding} text" if odd > 1 + _MAX_CONTROL_SHARE * len(text) else ""


def decode(data: bytes) -> tuple[str, str]:
    """Return (text, encoding); every byte string gives some text.

    Newlines become ``\\n`` and a byte order mark is dropped. NULs become U+FFFD: text tables end
    a value at them.
    """
    text, encoding = _decode(data)
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd"), encoding


def _decode(data: bytes) -> tuple[str, str]:
    encoding = _unicode_encoding(data)
    if encoding:
        return data.decode(encoding, "replace"), encoding
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = len(text) - len(text.encode("ascii", "ignore")) - bad
    if good >= _GOOD_PER_BAD * bad:
        return text, "utf-8 with replacements"
    return data.decode("latin-1"), "latin-1"


def _unicode_encoding(data: bytes) -> str:
    """Return the encoding a byte order mark names, or UTF-16 that its NULs give away."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return encoding
    head = data[:_NUL_SNIFF_BYTES]
    if len(head) < _MIN_WIDE_BYTES:
        return ""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    # Latin letters in UTF-16 have a NUL in every second byte; other binary data is not so regular.
    if odd > 0.4 * len(head) / 2 and even == 0:
        return "utf-16-le"
    if even > 0.4 * len(head) / 2 and odd == 0:
        return "utf-16-be"
    return ""


def _is_utf8_beginning(head: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # a character cut at the end is fine
    except UnicodeDecodeError:
        return False
    return True
