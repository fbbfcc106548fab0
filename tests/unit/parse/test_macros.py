"""C++ that a grammar without a preprocessor gets wrong is still found where it stands."""

from __future__ import annotations

import pytest

from gortex_py.parse.macros import blank_macros
from tests.unit.parse.conftest import Parse
from tests.unit.parse.outline import named, outline


@pytest.mark.parametrize(
    "text",
    [
        "class LIB_API Table {};",
        "class LIB_API LIB_ATTR(1) Table final : public Base {};",
        "LIB_NAMESPACE_BEGIN\nclass Table {};\nLIB_NAMESPACE_END\n",
        "LIB_BEGIN(x)\nclass Table {};\n",
        "class Table {\n LIB_PRIVATE_UNLESS_TESTED:\n  void grow() LIB_EXCLUDES(mu_) {}\n};",
        "class Table {\n  explicit Table(T&& t LIB_LIFETIME_BOUND) : t_(t) {}\n};",
    ],
)
def test_a_class_among_macros_is_found(parse: Parse, text: str) -> None:
    assert len(blank_macros(text.encode())) == len(text.encode())
    assert named(parse("cpp", text), "Table").kind == "class"


@pytest.mark.parametrize(
    "text",
    [
        "int x = MAX_SIZE;",
        "run(FLAG_A | FLAG_B);",
        "UINT_PTR x = 1;",
        "#define A_B class C_D X {",
        "if (x == A_B) {",
        "LOG_IT(x);",
    ],
)
def test_constants_types_and_calls_stay(text: str) -> None:
    assert blank_macros(text.encode()) == text.encode()


def test_macros_stay_in_the_signature(parse: Parse) -> None:
    assert parse("cpp", "class LIB_API Table {};").symbols[0].signature == "class LIB_API Table"


def test_a_class_that_a_stumble_cuts_short_gets_its_end(parse: Parse) -> None:
    lines = [
        "class Table {",
        "  void a() { x = [; }",
        "  lib op( <=> ; {",
        "  }",
        "  void b() {}",
        "};",
        "int after() { return 1; }",
    ]
    spans = {name: (start, end) for _, name, start, end in outline(parse("cpp", "\n".join(lines)))}
    assert spans["Table"] == (1, 6)
    assert spans["after"] == (7, 7)


def test_a_namespace_macro_does_not_hide_what_it_opens(parse: Parse) -> None:
    text = "LIB_OPEN namespace lib {\nclass Table { int size() { return 1; } };\n}\n"
    assert "Table" in [s.name for s in parse("cpp", text).symbols]
