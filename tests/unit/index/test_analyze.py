"""One file's rows: comments are told from code, line by line, and units carry what they stand for."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from gortex_py.chunk import ChunkOptions
from gortex_py.index.analyze import Analysis, analyze, separate_comments
from gortex_py.parse.parser import SourceParser
from gortex_py.types import FileCategory, SourceFile

PARSER = SourceParser()
FILE = SourceFile("src/store/tokens.py", "python", FileCategory.SOURCE, 10, 1, "d")
TEXT = '''\
"""Tokens and their lives."""

LIMIT = 3


class TokenStore:
    """Keeps tokens."""

    def expire(self, now):  # called by the timer
        # 登录 first
        return [t for t in self.tokens if t.until < now]
'''


def analysis(text: str = TEXT, file: SourceFile = FILE) -> Analysis:
    return analyze(file, text, PARSER, ChunkOptions())


segments = st.lists(
    st.tuples(st.booleans(), st.text(alphabet="ab é登🙂\n\t#", max_size=8)).filter(lambda s: s[1]), max_size=12
)


def solid(line: str) -> str:
    return "".join(line.split())


@given(segments)
def test_separating_keeps_every_character_on_its_line(parts: list[tuple[bool, str]]) -> None:
    text = "".join(piece for _, piece in parts)
    comments, at = [], 0
    for is_comment, piece in parts:
        size = len(piece.encode())
        if is_comment:
            comments.append((at, at + size))
        at += size
    code, docs = separate_comments(text, comments)
    wanted = {kind: "".join(p if c is kind else "\n" * p.count("\n") for c, p in parts) for kind in (True, False)}
    assert [solid(line) for line in code.split("\n")] == [solid(line) for line in wanted[False].split("\n")]
    assert [solid(line) for line in docs.split("\n")] == [solid(line) for line in wanted[True].split("\n")]


def test_code_on_both_sides_of_a_comment_stays_apart() -> None:
    code, docs = separate_comments("int/* why */count;", [(3, 12)])
    assert code.split() == ["int", "count;"]
    assert docs.split() == ["/*", "why", "*/"]


def test_a_file_without_comments_is_all_code() -> None:
    assert separate_comments("a\nb\n", ()) == ("a\nb\n", "\n\n")


def test_lines_are_counted_with_and_without_a_last_line_end() -> None:
    assert [analysis(text).file.line_count for text in ("a = 1", "a = 1\n", "a = 1\n\n", "\n")] == [1, 1, 2, 1]


def test_what_is_embedded_names_the_unit_its_place_and_its_text() -> None:
    result = analysis()
    assert len(result.unit_texts) == len(result.file.units)
    (store,) = [text for text in result.unit_texts if text.startswith("class")]
    assert "TokenStore" in store and "store tokens" in store and "Keeps tokens." in store
    (expire,) = [text for text in result.unit_texts if text.startswith("method")]
    assert "TokenStore.expire" in expire and "登录 first" in expire and "self.tokens" in expire
    assert "Keeps tokens." not in expire


def test_equal_texts_have_equal_hashes_and_others_do_not() -> None:
    one = analysis()
    edited = analysis(TEXT.replace("t.until < now", "t.until <= end"))
    before, after = ([u.text_hash for u in a.file.units] for a in (one, edited))
    assert [a == b for a, b in zip(before, after, strict=True)].count(False) == 1
    assert len(set(before)) == len(before)


def test_every_symbol_is_shown_by_a_unit_that_holds_its_name() -> None:
    result = analysis().file
    assert {s.name for s in result.symbols} == {"LIMIT", "TokenStore", "expire"}
    for symbol, shown in zip(result.symbols, result.symbol_units, strict=True):
        span = result.units[shown].span
        assert span.start_line <= symbol.name_line <= span.end_line


def test_a_file_that_cannot_be_parsed_is_windows_and_says_why() -> None:
    class Failing:
        def parse(self, path: str, language: str | None, text: str, /):  # type: ignore[no-untyped-def]
            return replace(PARSER.parse(path, None, text), degraded="parse timed out")

    result = analyze(FILE, TEXT, Failing(), ChunkOptions()).file
    assert result.degraded == "parse timed out"
    assert result.units
    assert result.symbols == ()


def test_the_same_file_always_gives_the_same_rows() -> None:
    one, two = analysis(), analysis()
    assert one.file.bag.terms == two.file.bag.terms
    assert one.file.units == two.file.units
    assert one.unit_texts == two.unit_texts
