"""What holds for every language: bounds, broken text, comments, cuts, ids."""

from __future__ import annotations

import pytest

from gortex_py.parse import ParserOptions, SourceParser
from tests.unit.parse.conftest import Parse
from tests.unit.parse.outline import comments, named, outline


def test_a_file_of_no_known_language_has_nothing(parse: Parse) -> None:
    parsed = SourceParser().parse("notes.xyz", None, "int main() {}")
    assert (parsed.symbols, parsed.comments, parsed.degraded) == ((), (), None)
    assert SourceParser().parse("a.zzz", "no such language", "x").symbols == ()


def test_broken_syntax_keeps_what_is_whole(parse: Parse) -> None:
    parsed = parse("python", "def first(a): pass\nclass Second:\n    def third(self): pass\ndef broken(\n")
    assert [s.name for s in parsed.symbols] == ["first", "Second", "third"]


@pytest.mark.parametrize(
    "text",
    [
        "int x = " + "(" * 20_000 + "1" + ")" * 20_000 + ";\nclass Last { void f() {} };",
        "A<" * 5_000 + "int" + ">" * 5_000 + " x;\nclass Last { void f() {} };",
    ],
    ids=["parentheses", "templates"],
)
def test_deep_nesting_is_no_trouble(text: str) -> None:
    parsed = SourceParser().parse("deep.cpp", "cpp", text)
    assert parsed.degraded is None or parsed.degraded == "parse timed out"
    if parsed.degraded is None:
        assert "Last" in [s.name for s in parsed.symbols]


def test_deeply_nested_functions_are_all_found(parse: Parse) -> None:
    parsed = parse("javascript", "function f() {" * 500 + "}" * 500)
    assert len(parsed.symbols) == 500
    assert parsed.symbols[-1].parent == 498


def test_a_parse_that_takes_too_long_is_given_up() -> None:
    text = "def f(a):\n    return g(a)\n" * 40_000
    parsed = SourceParser(ParserOptions(timeout_s=0.05)).parse("slow.py", "python", text)
    assert parsed.degraded == "parse timed out"
    assert parsed.symbols == ()
    # The next file is not affected.
    assert len(SourceParser().parse("a.py", "python", "class A: pass").symbols) == 1


def test_a_file_that_is_too_large_is_not_parsed() -> None:
    parsed = SourceParser(ParserOptions(max_bytes=1_000)).parse("large.py", "python", "x = 1\n" * 200)
    assert parsed.degraded == "larger than 1,000 bytes, not parsed"


def test_an_import_is_kept_as_it_is_spelled() -> None:
    said = SourceParser().parse("a.py", "python", "from ..shop.till import Till\nimport os.path\nTill()\n").references
    assert [(r.name, r.spelled) for r in said] == [
        ("till", "..shop.till"),
        ("Till", ""),
        ("path", "os.path"),
        ("Till", ""),
    ]


def test_symbols_and_references_have_a_cap() -> None:
    options = ParserOptions(max_symbols=10, max_references=5)
    parsed = SourceParser(options).parse("many.py", "python", "def f(): g()\n" * 100)
    assert (len(parsed.symbols), len(parsed.references)) == (10, 5)


@pytest.mark.parametrize("text", ["", "\n", "x = '\ud800'\nclass A: pass\n", "class \0A: pass\n", "\ufeffx = 1"])
def test_odd_text_raises_nothing(text: str) -> None:
    assert SourceParser().parse("odd.py", "python", text).degraded is None


def test_lines_and_bytes_are_right_beside_wide_characters(parse: Parse) -> None:
    text = "# ═🚀漢字\nclass Ünï:  # é\n    def 漢(self): pass\n"
    parsed = parse("python", text)
    assert outline(parsed) == [("class", "Ünï", 2, 3), ("method", "Ünï.漢", 3, 3)]
    span = parsed.symbols[1].span
    assert text.encode()[span.start_byte : span.end_byte].decode() == "def 漢(self): pass"
    assert comments(parsed, text) == ["# ═🚀漢字", "# é"]


def test_comments_are_ascending_and_disjoint(parse: Parse) -> None:
    text = '"""m"""\n# a\n# b\ndef f():\n    """d"""\n    x = 1  # c\n'
    parsed = parse("python", text)
    assert comments(parsed, text) == ['"""m"""', "# a", "# b", '"""d"""', "# c"]


def test_one_blank_line_separates_in_some_languages_only(parse: Parse) -> None:
    assert named(parse("c", "// Adds.\n\nint add(void) { return 1; }\n"), "add").doc == "Adds."
    assert named(parse("rust", "// Adds.\n\nfn add() {}\n"), "add").doc == ""
    assert named(parse("c", "// Adds.\n\n\nint add(void) { return 1; }\n"), "add").doc == ""


def test_a_comment_that_trails_code_belongs_to_that_code(parse: Parse) -> None:
    assert named(parse("go", "package a\nvar x = 1 // of x\nfunc f() {}\n"), "f").doc == ""


def test_a_long_comment_is_kept_by_its_head(parse: Parse) -> None:
    lines = "".join(f"// line {i} of the text\n" for i in range(300))
    doc = named(parse("go", f"package a\n\n{lines}func f() {{}}\n"), "f").doc
    assert doc.startswith("line 0 of the text")
    assert 1_900 < len(doc) <= 2_000


def test_signatures_are_bounded(parse: Parse) -> None:
    parsed = parse("python", "def f(" + ", ".join(f"argument_{i}" for i in range(100)) + "): pass\n")
    assert len(parsed.symbols[0].signature) == 300


def test_symbols_come_outer_before_inner_and_parents_hold_their_children(parse: Parse) -> None:
    parsed = parse("java", "class A { class B { void c() {} } void d() {} }\nclass E {}\n")
    starts = [s.span.start_byte for s in parsed.symbols]
    assert starts == sorted(starts)
    for symbol in parsed.symbols:
        if symbol.parent is not None:
            outer = parsed.symbols[symbol.parent].span
            assert outer.start_byte <= symbol.span.start_byte
            assert symbol.span.end_byte <= outer.end_byte


def test_repeated_names_are_numbered(parse: Parse) -> None:
    parsed = parse("python", "def f(): pass\ndef f(): pass\nclass f: pass\n")
    assert [s.id for s in parsed.symbols] == ["file::f", "file::f~2", "file::f~3"]


def test_long_symbols_are_cut_where_their_parts_begin(parse: Parse) -> None:
    cases = "".join(f"    case {i}:\n      // about it\n      run({i});\n      break;\n" for i in range(20))
    parsed = parse(
        "c", f"int f(int a) {{\n  int b = 1;\n  switch (a) {{\n{cases}  }}\n  return b;\n}}\nint g(void) {{}}\n"
    )
    assert set(parsed.cuts) == {0}
    cuts = parsed.cuts[0]
    assert [line for line, depth in cuts if depth == 0] == [2, 3, 85]
    inner = [line for line, depth in cuts if depth > 0]
    assert set(range(4, 84, 4)) <= set(inner)
    assert [line for line, _ in cuts] == sorted(line for line, _ in cuts)


def test_a_comment_stays_with_the_statement_below_it(parse: Parse) -> None:
    body = "".join(f"    # about {i}\n    run({i})\n" for i in range(40))
    parsed = parse("python", f"def f():\n{body}")
    assert [line for line, _ in parsed.cuts[0]][1:] == list(range(4, 82, 2))
