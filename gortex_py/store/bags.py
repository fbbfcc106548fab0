"""A file's bag as bytes, and the texts that the field tables are fed from it."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gortex_py.errors import StoreFailed
from gortex_py.store.connection import DAMAGED
from gortex_py.types import FIELD_COUNT, Bag

# magic; widths in bytes of: entries per term, units, counts, lengths, lines per term, lines;
# numbers of: terms, entries, units, lines
_HEADER = struct.Struct("<4s6B2xIIII4x")
_MAGIC = b"BAG2"
# Without lines. What it is of is analysed anew, but until then it answers, and it is needed to take the file out.
_OLD_HEADER = struct.Struct("<4sBBBBIII4x")
_OLD_MAGIC = b"BAG1"
_TERM_SEPARATOR = "\n"
_MAX_U2 = 65_535


def encode_bag(bag: Bag) -> bytes:
    """Return the arrays of a bag, each in the narrowest width that holds it; terms are kept apart."""
    per_term = _narrow(np.diff(bag.indptr))
    units, counts, lengths = _narrow(bag.units), _narrow(bag.counts), _narrow(bag.lengths)
    lines_per_term, lines = _narrow(np.diff(bag.line_indptr)), _narrow(bag.lines)
    header = _HEADER.pack(
        _MAGIC,
        per_term.itemsize,
        units.itemsize,
        counts.itemsize,
        lengths.itemsize,
        lines_per_term.itemsize,
        lines.itemsize,
        len(bag.keys),
        len(units),
        len(bag.lengths),
        len(lines),
    )
    keys = bag.keys.astype("<u8", copy=False)
    arrays = (keys, per_term, units, bag.fields, counts, lengths, lines_per_term, lines)
    return b"".join([header, *(array.tobytes() for array in arrays)])


def decode_bag(data: bytes, terms: tuple[str, ...] = ()) -> Bag:
    """Return the bag written by encode_bag, with the given terms.

    :raises StoreFailed: when the bytes are not a bag.
    """
    try:
        if data[:4] == _OLD_MAGIC:
            _, w_terms, w_units, w_counts, w_lengths, n, m, u = _OLD_HEADER.unpack_from(data)
            at, w_line_terms, w_lines, k = _OLD_HEADER.size, 1, 1, 0
        else:
            magic, w_terms, w_units, w_counts, w_lengths, w_line_terms, w_lines, n, m, u, k = _HEADER.unpack_from(data)
            if magic != _MAGIC:
                raise ValueError("wrong magic")
            at = _HEADER.size
        keys = np.frombuffer(data, "<u8", n, at)
        at += 8 * n
        per_term = np.frombuffer(data, f"<u{w_terms}", n, at)
        at += w_terms * n
        units = np.frombuffer(data, f"<u{w_units}", m, at)
        at += w_units * m
        fields = np.frombuffer(data, np.uint8, m, at)
        at += m
        counts = np.frombuffer(data, f"<u{w_counts}", m, at)
        at += w_counts * m
        lengths = np.frombuffer(data, f"<u{w_lengths}", u * FIELD_COUNT, at)
        at += w_lengths * u * FIELD_COUNT
        lines_per_term = np.frombuffer(data, f"<u{w_line_terms}", n, at) if k else np.zeros(n, np.uint8)
        lines = np.frombuffer(data, f"<u{w_lines}", k, at + w_line_terms * n) if k else np.zeros(0, np.uint8)
    except (struct.error, ValueError, TypeError) as error:
        raise StoreFailed(f"a stored bag is damaged ({error}); rebuild the index", code=DAMAGED) from error
    indptr = np.zeros(n + 1, np.int32)
    np.cumsum(per_term, out=indptr[1:])
    line_indptr = np.zeros(n + 1, np.int32)
    np.cumsum(lines_per_term, out=line_indptr[1:])
    return Bag(
        terms=terms,
        keys=keys,
        indptr=indptr,
        units=units,
        fields=fields,
        counts=counts,
        lengths=lengths.reshape(u, FIELD_COUNT),
        line_indptr=line_indptr,
        lines=lines,
    )


def encode_terms(terms: tuple[str, ...]) -> bytes:
    """Return a bag's terms, compressed."""
    return zlib.compress(_TERM_SEPARATOR.join(terms).encode(), 1)


def decode_terms(data: bytes) -> tuple[str, ...]:
    """Return the terms written by encode_terms."""
    text = zlib.decompress(data).decode()
    return tuple(text.split(_TERM_SEPARATOR)) if text else ()


@dataclass(frozen=True, slots=True)
class FieldTexts:
    """The words of a file by field, and by unit and field; only those that are not empty."""

    files: tuple[str, ...]  # FIELD_COUNT texts, "" where there are none
    units: tuple[tuple[int, int, str], ...]  # (unit, field, text), ascending


def field_texts(bag: Bag, *, by_unit: bool) -> FieldTexts:
    """Return the texts whose words are the bag's terms, each as often as it was counted.

    Without ``by_unit`` only the texts of the whole file are made.

    A contentless table forgets its texts, and to delete a row it must be told the same words
    again: the same bag always gives the same texts.
    """
    terms = np.repeat(np.arange(len(bag.keys)), np.diff(bag.indptr))
    slots = bag.fields.astype(np.int32)
    if by_unit:
        slots += bag.units.astype(np.int32) * FIELD_COUNT
    order = np.argsort(slots, kind="stable")
    slots = slots[order]
    spaced = [term + " " for term in bag.terms]
    pieces = [
        spaced[term] if count == 1 else spaced[term] * count
        for term, count in zip(terms[order].tolist(), bag.counts[order].tolist(), strict=True)
    ]
    starts = np.flatnonzero(np.diff(slots, prepend=-1))
    edges = [*starts.tolist(), len(pieces)]
    units: list[tuple[int, int, str]] = []
    files: list[list[str]] = [[] for _ in range(FIELD_COUNT)]
    for slot, start, end in zip(slots[starts].tolist(), edges, edges[1:], strict=False):
        unit, field = divmod(slot, FIELD_COUNT)
        text = "".join(pieces[start:end])
        if by_unit:
            units.append((unit, field, text))
        files[field].append(text)
    return FieldTexts(tuple("".join(texts) for texts in files), tuple(units))


def _narrow(values: NDArray[np.generic]) -> NDArray[np.generic]:
    top = int(values.max()) if values.size else 0
    return values.astype("<u1" if top < 256 else "<u2" if top <= _MAX_U2 else "<u4")
