from __future__ import annotations

import struct

import numpy as np
import pytest

from gortex_py.errors import StoreFailed
from gortex_py.store.bags import decode_bag, decode_terms, encode_bag, encode_terms, field_texts
from gortex_py.types import Field
from tests.builders import make_bag


@pytest.mark.parametrize(
    "units",
    [
        [],
        [{}],
        [{Field.BODY: ["a"] * 70_000, Field.NAME: ["用户", "a"]}, {}, {Field.DOC: ["é"] * 300}],
        [{Field.BODY: ["x"]}] * 400,
        [{Field.BODY: [f"t{i}" for i in range(1000)]}],
    ],
)
def test_a_bag_survives_its_bytes(units: list[dict[Field, list[str]]]) -> None:
    bag = make_bag(units)
    found = decode_bag(encode_bag(bag), decode_terms(encode_terms(bag.terms)))
    assert found.terms == bag.terms
    for name in ("keys", "indptr", "units", "fields", "counts", "lengths", "line_indptr", "lines"):
        np.testing.assert_array_equal(getattr(found, name), getattr(bag, name))
    assert field_texts(found, by_unit=True) == field_texts(bag, by_unit=True)


def test_field_texts_repeat_each_term_as_often_as_it_was_counted() -> None:
    bag = make_bag([{Field.BODY: ["b", "a", "b"], Field.NAME: ["n"]}, {Field.BODY: ["a"]}])
    texts = field_texts(bag, by_unit=True)
    words = {(unit, field): sorted(text.split()) for unit, field, text in texts.units}
    assert words == {(0, Field.BODY): ["a", "b", "b"], (0, Field.NAME): ["n"], (1, Field.BODY): ["a"]}
    assert [sorted(text.split()) for text in texts.files] == [["n"], [], [], [], ["a", "a", "b", "b"]]


@pytest.mark.parametrize("data", [b"", b"x" * 40, encode_bag(make_bag())[:-3], b"BAG1" + b"\x03" * 60])
def test_damaged_bytes_are_said_to_be_damaged(data: bytes) -> None:
    with pytest.raises(StoreFailed, match="damaged"):
        decode_bag(data)


def test_a_bag_of_the_older_form_is_read_without_lines() -> None:
    bag = make_bag([{Field.BODY: ["a", "b"], Field.NAME: ["n"]}])
    data = encode_bag(bag)
    counts = struct.unpack_from("<4s6B2xIIII", data)
    widths, (terms, entries, units, lines) = counts[1:5], counts[7:]
    body = data[32 : len(data) - lines * counts[6] - terms * counts[5]]
    old = struct.pack("<4sBBBBIII4x", b"BAG1", *widths, terms, entries, units) + body
    found = decode_bag(old, bag.terms)
    for name in ("keys", "indptr", "units", "fields", "counts", "lengths"):
        np.testing.assert_array_equal(getattr(found, name), getattr(bag, name))
    assert found.lines.tolist() == []
    assert found.line_indptr.tolist() == [0] * (len(bag.terms) + 1)
