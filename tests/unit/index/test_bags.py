"""The counts of a bag are those of the plain way: take a unit's lines, split them, count."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gortex_py.chunk import ChunkOptions
from gortex_py.index.analyze import separate_comments
from gortex_py.index.bags import MAX_COUNT, MAX_SCOPE_NAMES, build_bag
from gortex_py.index.units import Piece, divide, symbol_pieces
from gortex_py.parse.parser import SourceParser
from gortex_py.text.tokens import term_key, text_terms
from gortex_py.types import FIELD_COUNT, Bag, Field, ParsedFile
from tests.builders import make_symbol

PARSER = SourceParser()
Counted = dict[tuple[int, Field], Counter[str]]

TEXT = (
    '''\
"""Holds sessions."""
import time

class Outer:
    """Outer words."""
    class Middle:
        class Inner:
            def expire(self, sessionId):
                # drop old sessions
                """not a docstring but a string"""
                return sessionId.retry_count + sessionId.retry_count  # why
'''
    + "def long(argument):\n"
    + "".join(f"    step{i}()  # note {i}\n" for i in range(90))
)


def bag_of(text: str = TEXT) -> tuple[ParsedFile, list[Piece], Bag, list[str], list[str]]:
    parsed = PARSER.parse("a.py", "python", text)
    lines = text.split("\n")
    pieces = divide(parsed, lines, ChunkOptions())
    code, docs = (part.split("\n") for part in separate_comments(text, parsed.comments))
    bag = build_bag(parsed, pieces, symbol_pieces(parsed.symbols, pieces), code, docs)
    return parsed, pieces, bag, code, docs


def counts(bag: Bag) -> Counted:
    found: Counted = {}
    for i, term in enumerate(bag.terms):
        for entry in range(bag.indptr[i], bag.indptr[i + 1]):
            key = int(bag.units[entry]), Field(int(bag.fields[entry]))
            assert term not in found.get(key, {})
            found.setdefault(key, Counter())[term] = int(bag.counts[entry])
    return found


def recount(parsed: ParsedFile, pieces: list[Piece], code: list[str], docs: list[str]) -> Counted:
    texts: dict[tuple[int, Field], list[str]] = {}
    for symbol, shown in zip(parsed.symbols, symbol_pieces(parsed.symbols, pieces), strict=True):
        if shown >= 0:
            texts.setdefault((shown, Field.NAME), []).append(symbol.name)
    for i, piece in enumerate(pieces):
        texts[i, Field.DOC] = [docs[line - 1] for line in piece.lines]
        texts[i, Field.BODY] = [code[line - 1] for line in piece.lines]
        if piece.symbol is not None:
            symbol = parsed.symbols[piece.symbol]
            around = symbol.qualified_name.split(".")[: None if not piece.is_first else -1]
            texts[i, Field.SCOPE] = around[-MAX_SCOPE_NAMES:]
            texts[i, Field.SIGNATURE] = [symbol.signature] if piece.is_first else []
    counted = {key: Counter(term for text in some for term in text_terms(text)) for key, some in texts.items()}
    return {key: terms for key, terms in counted.items() if terms}


def assert_sound(bag: Bag) -> None:
    assert bag.keys.tolist() == [term_key(term) for term in bag.terms] == sorted(bag.keys.tolist())
    assert bag.indptr[0] == 0
    assert bag.indptr[-1] == len(bag.units) == len(bag.fields) == len(bag.counts)
    dtypes = [bag.keys, bag.indptr, bag.units, bag.fields, bag.counts, bag.lengths]
    assert [a.dtype for a in dtypes] == [np.uint64, np.int32, np.uint16, np.uint8, np.uint16, np.int32]


def test_counts_and_lengths_are_those_of_the_plain_way() -> None:
    parsed, pieces, bag, code, docs = bag_of()
    assert_sound(bag)
    wanted = recount(parsed, pieces, code, docs)
    assert counts(bag) == wanted
    assert bag.lengths.shape == (len(pieces), FIELD_COUNT)
    for unit in range(len(pieces)):
        for field in Field:
            assert bag.lengths[unit, field] == wanted.get((unit, field), Counter()).total()


line = st.sampled_from(
    ["", "def a(b):", "    return b.c_d", "class E:", "    # why 登录", "    def f(self): pass  # zeta", "x = 'é'"]
)


@settings(max_examples=40, deadline=None)
@given(st.lists(line, max_size=30))
def test_counts_hold_for_any_file(lines: list[str]) -> None:
    parsed, pieces, bag, code, docs = bag_of("\n".join(lines))
    assert_sound(bag)
    assert counts(bag) == recount(parsed, pieces, code, docs)


def test_comments_count_as_documentation_and_code_as_body() -> None:
    parsed, pieces, bag, _, _ = bag_of()
    expire = next(i for i, p in enumerate(pieces) if p.symbol is not None and parsed.symbols[p.symbol].name == "expire")
    found = counts(bag)
    assert found[expire, Field.DOC]["drop"] == 1
    assert found[expire, Field.BODY]["retri"] == 2
    assert found[expire, Field.BODY]["retrycount"] == 2
    assert "drop" not in found[expire, Field.BODY]
    assert "retri" not in found[expire, Field.DOC]


def test_scope_is_the_nearest_names_and_the_own_name_in_later_windows() -> None:
    parsed, pieces, bag, _, _ = bag_of()
    found = counts(bag)
    expire = next(i for i, p in enumerate(pieces) if p.symbol is not None and parsed.symbols[p.symbol].name == "expire")
    assert set(found[expire, Field.SCOPE]) == {"outer", "middl", "inner"}
    windows = [i for i, p in enumerate(pieces) if p.symbol is not None and parsed.symbols[p.symbol].name == "long"]
    assert len(windows) > 1
    assert (windows[0], Field.SCOPE) not in found
    assert found[windows[0], Field.NAME]["long"] == 1
    for window in windows[1:]:
        assert found[window, Field.SCOPE]["long"] == 1
        assert (window, Field.NAME) not in found
        assert (window, Field.SIGNATURE) not in found


def test_a_scope_deeper_than_three_keeps_the_nearest() -> None:
    chain = [make_symbol(f"level{i}", parent=i - 1 if i else None, signature="") for i in range(6)]
    piece = Piece(5, (1,), 1, 1, True)
    bag = build_bag(ParsedFile(tuple(chain), (), (), {}), [piece], (-1,) * 6, ["x"], [""])
    assert {term for term in counts(bag)[0, Field.SCOPE] if term.isdigit()} == {"2", "3", "4"}


@pytest.mark.parametrize("times", [MAX_COUNT - 1, MAX_COUNT + 5])
def test_a_count_saturates_at_the_stored_width(times: int) -> None:
    piece = Piece(None, (1,), 1, 1, True)
    bag = build_bag(ParsedFile((), (), (), {}), [piece], (), ["word " * times], [""])
    assert counts(bag)[0, Field.BODY]["word"] == min(times, MAX_COUNT)


def test_a_file_of_nothing_has_an_empty_bag() -> None:
    _, _, bag, _, _ = bag_of("\n")
    assert_sound(bag)
    assert bag.terms == ()
    assert bag.lengths.shape == (0, FIELD_COUNT)


def test_a_bag_knows_the_lines_on_which_each_term_stands() -> None:
    _, _, bag, code, docs = bag_of()
    expected: dict[str, set[int]] = {}
    for lines in (code, docs):
        for number, line in enumerate(lines, 1):
            for term in text_terms(line):
                expected.setdefault(term, set()).add(number)
    found = {
        term: bag.lines[bag.line_indptr[i] : bag.line_indptr[i + 1]].tolist()
        for i, term in enumerate(bag.terms)
        if bag.line_indptr[i] < bag.line_indptr[i + 1]
    }
    assert found == {term: sorted(numbers) for term, numbers in expected.items()}
