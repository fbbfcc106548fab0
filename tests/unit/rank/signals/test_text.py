"""What text says: a share of the query's rarity, in the best single place of a file."""

from __future__ import annotations

import numpy as np
import pytest

from gortex_py.rank.signals import SIGNALS
from gortex_py.types import FIELD_COUNT, Field
from tests.builders import make_evidence, make_question

BY_NAME = {signal.name: signal for signal in SIGNALS}


def test_comments_count_by_the_rarity_of_their_words() -> None:
    match = np.zeros((2, 3, FIELD_COUNT), np.float32)
    match[0, 0, Field.DOC] = match[1, 1, Field.DOC] = 0.5
    match[0, 2, Field.BODY] = 0.9  # code is no comment
    values = BY_NAME["doc"].score(make_question(idf=[3.0, 1.0]), make_evidence(file_match=match)).tolist()
    assert values == pytest.approx([0.375, 0.125, 0])


def test_words_together_in_one_unit_beat_words_in_several() -> None:
    match = np.zeros((2, 4, FIELD_COUNT), np.float32)
    match[0, 0, Field.BODY] = match[1, 0, Field.BODY] = 0.5  # the first file's first unit has both
    match[0, 2, Field.BODY] = match[1, 3, Field.BODY] = 0.5
    cover = (match[:, :, Field.BODY] > 0).astype(np.float32)
    evidence = make_evidence(["a.py", "b.py"], unit_match=match, unit_cover=cover)
    assert BY_NAME["body"].score(make_question(), evidence).tolist() == [0.5, 0.25]
    assert BY_NAME["coverage"].score(make_question(), evidence).tolist() == [1, 0.5]


def test_a_file_without_units_has_nothing_in_one_place() -> None:
    evidence = make_evidence(["a.py", "b.py"], units=[0, 1], unit_cover=np.ones((2, 1), np.float32))
    assert BY_NAME["coverage"].score(make_question(), evidence).tolist() == [0, 1]


def test_pairs_are_a_share_and_two_are_enough() -> None:
    evidence = make_evidence(
        ["a.py", "b.py"], pairs=4, pair_match=np.array([[1, 0.5], [1, 0], [1, 0], [0, 0]], np.float32)
    )
    assert BY_NAME["pairs"].score(make_question(), evidence).tolist() == [0.5, 0.125]


def test_words_on_one_line_are_a_share_of_the_pairs_and_a_window_is_as_it_was_found() -> None:
    evidence = make_evidence(
        ["a.py", "b.py"],
        pairs=2,
        line_match=np.array([[0.5, 0], [0.75, 0]], np.float32),
        window_share=np.array([0.25, 1], np.float32),
    )
    assert BY_NAME["line_pairs"].score(make_question(), evidence).tolist() == [0.625, 0]
    assert BY_NAME["window"].score(make_question(), evidence).tolist() == [0.25, 1]


def test_the_best_unit_gives_the_cosine_and_a_negative_one_is_none() -> None:
    evidence = make_evidence(["a.py", "b.py", "c.py"], unit_cosine=np.array([0.2, 0.7, -0.5, -0.1, 0, -1], np.float32))
    assert BY_NAME["cosine"].score(make_question(), evidence).tolist() == pytest.approx([0.7, 0, 0])
