"""What a space knows of a repository's words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from gortex_py.latent import fit
from gortex_py.latent.fit import fit_space
from gortex_py.latent.space import LatentSpace, decode_space, encode_space, unit_rows
from gortex_py.types import Bag, Field
from tests.builders import make_bag


def body(*terms: str) -> dict[Field, Sequence[str]]:
    return {Field.BODY: terms}


# "boat" and "harbour" never meet, but both keep company with "sail"; "tax" and "invoice" are another world.
SEA = [make_bag([body("boat", "sail", "wind")]), make_bag([body("harbour", "sail", "wind")])] * 2
OFFICE = [make_bag([body("invoice", "tax", "ledger")]), make_bag([body("receipt", "tax", "ledger")])] * 2


def fitted(bags: Sequence[Bag]) -> LatentSpace:
    space = decode_space(encode_space(fit_space([bags], len(bags))))
    assert space is not None
    return space


def nearness(space: LatentSpace, a: str, b: str) -> float:
    return float(space.place({a: 1.0}) @ space.place({b: 1.0}))


def test_words_that_share_company_are_near_though_they_never_meet() -> None:
    space = fitted(SEA + OFFICE)
    assert nearness(space, "boat", "harbour") > 0.5
    assert abs(nearness(space, "boat", "invoice")) < 0.1


def test_a_query_lies_near_files_that_say_it_in_other_words() -> None:
    space = fitted(SEA + OFFICE)
    files = unit_rows(space.fold_in([make_bag([body("harbour", "wind")]), make_bag([body("receipt", "ledger")])]))
    near, far = files @ space.place({"boat": 2.0, "unheard": 5.0})
    assert near > 0.5 > far


def test_a_name_says_more_than_a_body() -> None:
    space = fitted(SEA + OFFICE)
    mixed = make_bag([{Field.NAME: ("boat",), Field.BODY: ("invoice",)}])
    (vector,) = unit_rows(space.fold_in([mixed]))
    assert vector @ space.place({"boat": 1.0}) > vector @ space.place({"invoice": 1.0})


def test_the_same_files_give_the_same_bytes() -> None:
    assert encode_space(fit_space([SEA, OFFICE], 8)) == encode_space(fit_space([SEA + OFFICE], 8))


def test_a_file_is_folded_in_as_if_it_were_alone() -> None:
    space = fitted(SEA + OFFICE)
    together = space.fold_in(SEA + OFFICE)
    for bag, row in zip(SEA + OFFICE, together, strict=True):
        assert np.array_equal(space.fold_in([bag])[0], row)


@pytest.mark.parametrize("bags", [SEA[:4], [], [make_bag([])] * 6, [make_bag([body(f"only{i}")]) for i in range(9)]])
def test_where_nothing_goes_together_there_is_no_space(bags: list[Bag]) -> None:
    space = fitted(bags)
    assert space.dim == 0
    assert space.fold_in(SEA).shape == (len(SEA), 0)
    assert space.place({"boat": 1.0}).shape == (0,)


def test_a_file_of_unknown_words_lies_nowhere() -> None:
    space = fitted(SEA + OFFICE)
    assert not space.fold_in([make_bag([body("unheard", "of")]), make_bag([])]).any()
    assert not space.place({"unheard": 1.0}).any()


def test_more_units_than_buckets_are_added_up_without_losing_what_they_say() -> None:
    many = (SEA + OFFICE) * 80
    assert len(many) > fit.BUCKETS
    space = fitted(many)
    assert nearness(space, "boat", "sail") > 0.4
    assert abs(nearness(space, "boat", "invoice")) < 0.2


def test_only_the_most_telling_terms_are_kept() -> None:
    words = [f"w{i}" for i in range(fit.MAX_TERMS + 50)]
    space = fitted([make_bag([body(*words, "boat", "sail")])] * 3 + SEA)
    assert len(space.keys) == fit.MAX_TERMS
    assert space.vectors.nbytes == fit.MAX_TERMS * space.dim


def test_damaged_bytes_are_no_space() -> None:
    data = encode_space(fit_space([SEA + OFFICE], 8))
    assert decode_space(data) is not None
    for broken in (b"", data[:10], data[:-1], data[:40] + b"\xff" + data[41:], b"XXXX" + data[4:], data + b"\0"):
        assert decode_space(broken) is None
