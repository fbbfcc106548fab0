"""Matches are those of the plain way: look each term up in each bag and keep the best variant."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gortex_py.protocols import FileFacts
from gortex_py.search.gathering import (
    FILE_B,
    FILE_K1,
    PAIR_STRENGTH,
    UNIT_B,
    UNIT_K1,
    WINDOW_LINES,
    Matches,
    match_bags,
    word_pairs,
)
from gortex_py.types import FIELD_COUNT, Bag, Field
from tests.builders import Words, make_bag, make_question

TERMS = ["alpha", "beta", "gamma", "delta", "alphabeta", "pad"]
units = st.dictionaries(st.sampled_from(Field), st.lists(st.sampled_from(TERMS), min_size=1, max_size=5), max_size=3)
files = st.lists(st.lists(units, max_size=3), max_size=4)


def facts_of(bags: Sequence[Bag]) -> FileFacts:
    n = len(bags)
    return FileFacts(
        ids=np.arange(1, n + 1),
        paths=tuple(f"f{i}" for i in range(n)),
        languages=(None,) * n,
        categories=("source",) * n,
        lines=np.ones(n, np.int64),
        units=np.array([len(bag.lengths) for bag in bags], np.int64),
        lengths=np.array([bag.lengths.sum(axis=0) for bag in bags], np.int64).reshape(-1, FIELD_COUNT),
    )


def match(question: object, worded: Sequence[Sequence[Words]]) -> Matches:
    bags = [make_bag(words) for words in worded]
    return match_bags(question, bags, facts_of(bags), np.arange(len(bags)))  # type: ignore[arg-type]


def saturate(tf: int, k1: float, b: float, length: int, mean: float) -> float:
    return tf / (tf + k1 * (1 - b + b * length / max(1.0, mean))) if tf else 0.0


@settings(max_examples=60, deadline=None)
@given(files)
def test_matches_are_those_of_the_plain_way(worded: list[list[Words]]) -> None:
    question = make_question(["alpha", "beta"], variants={"beta": [("gamma", 0.5), ("delta", 0.25)]})
    matches = match(question, worded)
    flat = [(f, unit) for f, file in enumerate(worded) for unit in file]
    assert matches.unit_file.tolist() == [f for f, _ in flat]
    for field in Field:
        said = [[term for unit in file for term in unit.get(field, ())] for file in worded]
        file_mean = sum(map(len, said)) / max(1, len(worded))
        unit_mean = sum(map(len, said)) / max(1, len(flat))
        for g, group in enumerate(question.groups):
            for f, words in enumerate(said):
                wanted = max(
                    w * saturate(words.count(t), FILE_K1[field], FILE_B[field], len(words), file_mean)
                    for t, w in group.variants
                )
                assert matches.file_match[g, f, field] == pytest.approx(wanted, abs=1e-5)
            for u, (_, unit) in enumerate(flat):
                words = list(unit.get(field, ()))
                wanted = max(
                    w * saturate(words.count(t), UNIT_K1[field], UNIT_B[field], len(words), unit_mean)
                    for t, w in group.variants
                )
                assert matches.unit_match[g, u, field] == pytest.approx(wanted, abs=1e-5)
    for g, group in enumerate(question.groups):
        for u, (_, unit) in enumerate(flat):
            held = {term for terms in unit.values() for term in terms}
            assert matches.unit_cover[g, u] == max((w for t, w in group.variants if t in held), default=0)


def test_a_pair_of_words_counts_where_it_is_one_identifier_by_field() -> None:
    worded = [[{Field.NAME: ["alphabeta"]}], [{Field.DOC: ["alphabeta"]}], [{Field.BODY: ["alpha", "beta"]}]]
    question = make_question(["alpha", "beta"])
    assert word_pairs(question) == ["alphabeta"]
    (values,) = match(question, worded).pair_match.tolist()
    assert values == pytest.approx([PAIR_STRENGTH[Field.NAME] / 2, PAIR_STRENGTH[Field.DOC] / 2, 0])


def test_files_without_units_take_no_place_among_the_units() -> None:
    matches = match(make_question(["alpha"]), [[], [{Field.BODY: ["alpha"]}], [], [{Field.BODY: ["alpha"]}]])
    assert matches.unit_file.tolist() == [1, 3]
    assert matches.first_unit.tolist() == [0, 0, 1, 1]
    assert (matches.file_match[0, :, Field.BODY] > 0).tolist() == [False, True, False, True]


def test_no_files_and_no_terms_give_empty_matches() -> None:
    assert match(make_question(["alpha"]), []).file_match.shape == (1, 0, FIELD_COUNT)
    assert match(make_question([]), [[{Field.BODY: ["alpha"]}]]).unit_match.shape == (0, 1, FIELD_COUNT)


@settings(max_examples=60, deadline=None)
@given(files)
def test_lines_are_those_of_the_plain_way(worded: list[list[Words]]) -> None:
    terms, idf = ["alpha", "beta", "gamma"], [3.0, 1.0, 2.0]
    matches = match(make_question(terms, idf=idf, variants={"beta": [("delta", 0.5)]}), worded)
    for f, file in enumerate(worded):
        # In these bags a unit is a line.
        lines = [{term for said in unit.values() for term in said} for unit in file]
        for pair, (first, second) in enumerate(pairwise(terms)):
            together = sum(first in line and second in line for line in lines)
            assert matches.line_match[pair, f] == pytest.approx(together / (together + 1))
        windows = [set().union(*lines[at : at + WINDOW_LINES]) for at in range(len(lines))]
        masses = [sum(idf[terms.index(term)] for term in window & {*terms}) for window in windows]
        assert matches.window_share[f] == pytest.approx(max(masses, default=0) / sum(idf))


@pytest.mark.parametrize(("line", "share"), [(WINDOW_LINES, 1.0), (WINDOW_LINES + 1, 0.75)])
def test_a_window_is_five_lines(line: int, share: float) -> None:
    said: list[Words] = [{Field.BODY: ["pad"]} for _ in range(8)]
    said[0], said[line - 1] = {Field.BODY: ["alpha"]}, {Field.BODY: ["beta"]}
    assert match(make_question(["alpha", "beta"], idf=[3.0, 1.0]), [said]).window_share.tolist() == [share]
