"""Every line that holds anything belongs to one unit; what a unit shows is what was asked for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gortex_py.chunk import ChunkOptions
from gortex_py.index.units import (
    HEADER_LEAD_LINES,
    HEADER_LINES,
    MAX_LEAD_LINES,
    Piece,
    divide,
    owns_unit,
    symbol_pieces,
)
from gortex_py.parse.parser import SourceParser
from gortex_py.types import ParsedFile, Symbol, SymbolKind
from tests.builders import make_symbol

OPTIONS = ChunkOptions()
PARSER = SourceParser()
KINDS = [
    SymbolKind.CLASS,
    SymbolKind.FUNCTION,
    SymbolKind.METHOD,
    SymbolKind.VARIABLE,
    SymbolKind.FIELD,
    SymbolKind.NAMESPACE,
    SymbolKind.DOC,
    SymbolKind.KEY,
]


def pieces_of(text: str, language: str = "python", path: str = "a.py") -> tuple[ParsedFile, list[Piece]]:
    parsed = PARSER.parse(path, language, text)
    return parsed, divide(parsed, text.split("\n"), OPTIONS)


def named(parsed: ParsedFile, pieces: Sequence[Piece], name: str) -> list[Piece]:
    return [piece for piece in pieces if piece.symbol is not None and parsed.symbols[piece.symbol].name == name]


def comment_ranges(lines: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Return the bytes of everything after a number sign."""
    found, at = [], 0
    for line in lines:
        size = len(line.encode())
        if "#" in line:
            found.append((at + len(line[: line.index("#")].encode()), at + size))
        at += size + 1
    return tuple(found)


@st.composite
def files(draw: st.DrawFn) -> tuple[ParsedFile, list[str]]:
    """Draw a file of nested definitions, comments and blank lines; some of it with wide characters."""
    line = st.sampled_from(["", "  ", "x = 1", "# note", "  # größer", "é = '登录'", "y = 2  # why"])
    lines = draw(st.lists(line, min_size=1, max_size=60))
    factor = draw(st.sampled_from([1, 1, 5]))
    lines = lines * factor
    symbols: list[Symbol] = []

    def nest(first: int, last: int, parent: int | None, depth: int) -> None:
        while first <= last and depth < 3 and draw(st.booleans()):
            start = draw(st.integers(first, last))
            end = draw(st.integers(start, last))
            kind = draw(st.sampled_from(KINDS))
            symbols.append(make_symbol(f"s{len(symbols)}", kind=kind, start_line=start, end_line=end, parent=parent))
            nest(start, end, len(symbols) - 1, depth + 1)
            first = end + 1

    nest(1, len(lines), None, 0)
    cuts = {
        i: tuple((at, at % 2) for at in range(s.span.start_line + 1, s.span.end_line + 1, 3))
        for i, s in enumerate(symbols)
    }
    return ParsedFile(tuple(symbols), (), comment_ranges(lines), cuts), lines


@given(files())
def test_each_line_that_holds_text_is_in_exactly_one_piece(file: tuple[ParsedFile, list[str]]) -> None:
    parsed, lines = file
    pieces = divide(parsed, lines, OPTIONS)
    counted = sorted(line for piece in pieces for line in piece.lines)
    assert counted == [i for i, text in enumerate(lines, 1) if text.strip()]
    assert all(piece.lines and list(piece.lines) == sorted(piece.lines) for piece in pieces)


@given(files())
def test_a_line_belongs_to_the_innermost_definition_around_it(file: tuple[ParsedFile, list[str]]) -> None:
    parsed, lines = file
    for piece in divide(parsed, lines, OPTIONS):
        for line in piece.lines:
            around = [
                i for i, s in enumerate(parsed.symbols) if owns_unit(s) and s.span.start_line <= line <= s.span.end_line
            ]
            if piece.symbol is None or line < parsed.symbols[piece.symbol].span.start_line:
                # A gap, or the comment above a definition: at most what encloses that definition is around it.
                parent = None if piece.symbol is None else parsed.symbols[piece.symbol]
                assert not around or parent is not None
                assert piece.symbol is None or lines[line - 1].lstrip().startswith("#")
            else:
                assert piece.symbol == around[-1]


@given(files())
def test_what_is_shown_lies_in_the_file_and_stays_short(file: tuple[ParsedFile, list[str]]) -> None:
    parsed, lines = file
    pieces = divide(parsed, lines, OPTIONS)
    assert [p.start_line for p in pieces] == sorted(p.start_line for p in pieces)
    firsts = [p.symbol for p in pieces if p.symbol is not None and p.is_first]
    assert len(firsts) == len(set(firsts))
    for piece in pieces:
        assert 1 <= piece.start_line <= piece.end_line <= len(lines)
        assert piece.end_line - piece.start_line < OPTIONS.threshold_lines
        if piece.symbol is None or not piece.is_first:
            assert piece.end_line - piece.start_line < OPTIONS.window_lines


@given(files())
def test_a_symbol_is_shown_by_its_own_piece_or_by_the_one_its_name_stands_in(
    file: tuple[ParsedFile, list[str]],
) -> None:
    parsed, lines = file
    pieces = divide(parsed, lines, OPTIONS)
    for index, shown in enumerate(symbol_pieces(parsed.symbols, pieces)):
        symbol = parsed.symbols[index]
        if any(p.symbol == index and p.is_first for p in pieces):
            assert pieces[shown].symbol == index
        elif lines[symbol.name_line - 1].strip():
            assert symbol.name_line in pieces[shown].lines
        else:
            assert shown == -1


CLASS = """\
import os

# Keeps tokens
# until they expire.

class TokenStore(Base):
    limit = 3

    def add(self, token):
        self.tokens.append(token)

    kind = "memory"

    def clear(self):
        self.tokens.clear()

after = 1
"""


def test_a_class_counts_its_own_lines_and_not_its_methods() -> None:
    parsed, pieces = pieces_of(CLASS)
    (store,) = named(parsed, pieces, "TokenStore")
    assert store.lines == (3, 4, 6, 7, 12)
    (add,) = named(parsed, pieces, "add")
    assert add.lines == (9, 10)
    assert (add.start_line, add.end_line) == (9, 10)


def test_a_class_shows_its_comment_and_header_to_its_end() -> None:
    parsed, pieces = pieces_of(CLASS)
    (store,) = named(parsed, pieces, "TokenStore")
    assert (store.start_line, store.end_line) == (3, 15)


def test_a_long_class_shows_its_header_only() -> None:
    body = "".join(f"    def m{i}(self):\n        return {i}\n\n" for i in range(60))
    comment = "".join(f"# line {i}\n" for i in range(30))
    parsed, pieces = pieces_of(f"{comment}class Big:\n{body}")
    (big,) = named(parsed, pieces, "Big")
    assert big.lines == (*range(1, 31), 31)
    assert (big.start_line, big.end_line) == (31 - HEADER_LEAD_LINES, 31 + HEADER_LINES - 1)


def test_a_class_with_many_lines_of_its_own_is_cut_into_windows() -> None:
    fields = "".join(f"    field_{i} = {i}\n" for i in range(150))
    parsed, pieces = pieces_of(f"class Big:\n{fields}")
    big = named(parsed, pieces, "Big")
    assert [piece.is_first for piece in big] == [True, False, False, False]
    assert [len(piece.lines) for piece in big] == [40, 40, 40, 31]
    assert all(piece.end_line - piece.start_line < 40 for piece in big)


@pytest.mark.parametrize(
    ("above", "lead"),
    [
        ("# one\n# two\n", 2),
        ("# one\n# two\n\n", 2),  # one blank line is tolerated
        ("# one\n\n\n", 0),
        ("# one\n\n# two\n", 1),  # a blank line inside ends the comment
        ("x = 1  # one\n", 0),  # code with a comment is code
        ("x = 1\n", 0),
        ("".join("# more\n" for _ in range(50)), MAX_LEAD_LINES),
    ],
)
def test_the_comment_above_a_definition_is_the_definitions(above: str, lead: int) -> None:
    parsed, pieces = pieces_of(f"{above}def run():\n    return 1\n")
    (run,) = named(parsed, pieces, "run")
    assert len(run.lines) == lead + 2
    first = above.count("\n") + 1
    assert (run.start_line, run.end_line) == (first, first + 1)  # it shows itself alone


@pytest.mark.parametrize("quotes", ['"""', "'''", 'r"""'])
def test_a_docstring_is_not_the_comment_of_the_definition_below_it(quotes: str) -> None:
    end = quotes[-3:]
    text = f"{quotes}About the module.{end}\n\nclass A:\n"
    text += f"    {quotes}About A.\n    More.{end}\n\n    def f(self):\n        pass\n"
    parsed, pieces = pieces_of(text)
    (a,), (f,) = named(parsed, pieces, "A"), named(parsed, pieces, "f")
    assert a.lines == (3, 4, 5)
    assert f.lines == (7, 8)
    assert [p.lines for p in pieces if p.symbol is None] == [(1,)]


def test_a_documentation_attribute_above_a_function_is_the_functions() -> None:
    text = 'defmodule A do\n  @moduledoc """\n  About A.\n  """\n\n'
    text += '  @doc """\n  About go.\n  """\n  def go(x), do: x\nend\n'
    parsed, pieces = pieces_of(text, "elixir", "a.ex")
    (a,), (go,) = named(parsed, pieces, "A"), named(parsed, pieces, "go")
    assert go.lines == (6, 7, 8, 9)
    assert a.lines == (1, 2, 3, 4, 10)


def test_a_long_function_is_cut_into_windows_that_show_themselves() -> None:
    body = "".join(f"    step_{i}()\n" for i in range(100))
    parsed, pieces = pieces_of(f"# lead\ndef run():\n{body}")
    run = named(parsed, pieces, "run")
    assert len(run) == 3
    assert run[0].lines[:2] == (1, 2)
    assert [piece.is_first for piece in run] == [True, False, False]
    assert all(piece.end_line - piece.start_line < OPTIONS.window_lines for piece in run)
    assert (run[0].start_line, run[-1].end_line) == (2, 102)


def test_a_short_variable_gives_its_name_to_the_unit_around_it() -> None:
    parsed, pieces = pieces_of("limit = 3\n\n\ntable = {\n    1: 2,\n    3: 4,\n    5: 6,\n}\n")
    assert named(parsed, pieces, "limit") == []
    (table,) = named(parsed, pieces, "table")
    assert table.lines == (4, 5, 6, 7, 8)
    shown = symbol_pieces(parsed.symbols, pieces)
    limit = next(i for i, s in enumerate(parsed.symbols) if s.name == "limit")
    assert 1 in pieces[shown[limit]].lines


def test_gaps_between_definitions_are_units_of_their_own() -> None:
    text = "import a\n\ndef f():\n    pass\n\nprint(1)\n\ndef g():\n    pass\n\nprint(2)\n"
    _, pieces = pieces_of(text)
    assert [p.lines for p in pieces if p.symbol is None] == [(1,), (6,), (11,)]


def test_a_file_of_no_language_is_windows() -> None:
    _, pieces = pieces_of("word\n" * 100, "text", "notes.txt")
    assert [(p.start_line, p.end_line) for p in pieces] == [(1, 40), (41, 80), (81, 100)]


def test_an_empty_file_has_no_pieces() -> None:
    assert pieces_of("")[1] == []
    assert pieces_of("\n \n\t\n")[1] == []
