"""Filters choose files before anything is cut."""

from __future__ import annotations

import pytest

from gortex_py.search.globs import path_matcher
from gortex_py.types import SymbolKind
from tests.unit.search.conftest import Ask, Asking

FILES = {
    "src/a.py": "class Tank:\n    level = 1\n\n    def fill(self):\n        return 'water pump'\n",
    "src/deep/b.ts": "export function fillTank(): string { return 'water pump'; }\n",
    "lib/c.rs": "pub struct Valve { pub water: u32 }\n// water pump\n",
    "lib/d.cs": "class Drain { int Water() { return 1; } /* water pump */ }\n",
    "other/e.go": "package e\n\n// Pump moves water.\nfunc Pump() {}\n",
}


@pytest.fixture(scope="module")
def plant(ask: Ask) -> Asking:
    return ask(FILES)


@pytest.mark.parametrize(
    ("glob", "inside", "outside"),
    [
        ("src", ["src/a.py", "src/x/b.py"], ["srcs/a.py", "srcx"]),
        ("src/", ["src/a.py", "src/x/b.py"], ["srcs/a.py"]),
        ("a", ["a/x.py", "x/a/y.py"], ["ab/x.py"]),
        ("*.py", ["a.py", "x/y/a.py"], ["a.pyc", "a.py.txt"]),
        ("src/*.py", ["src/a.py"], ["src/x/a.py", "x/src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/x/y/a.py"], ["a.py", "src/a.go"]),
        ("**/test/**", ["test/a", "x/test/a/b"], ["testing/a"]),
        ("./src/a.py", ["src/a.py"], ["x/src/a.py"]),
        ("src\\a.py", ["src/a.py"], ["src/b.py"]),
        ("?.py", ["a.py", "x/b.py"], ["ab.py"]),
        ("a+b.py", ["a+b.py"], ["aab.py"]),
        ("[x].py", ["[x].py"], ["x.py"]),
        ("src/a.py", ["src/a.py"], ["src/a.py2", "src/a_py"]),
    ],
)
def test_a_glob_selects(glob: str, inside: list[str], outside: list[str]) -> None:
    is_selected = path_matcher((glob,))
    assert [path for path in inside if not is_selected(path)] == []
    assert [path for path in outside if is_selected(path)] == []


@pytest.mark.parametrize("glob", ["*" * 900 + "x", "*a" * 400 + "x", "**/a/" * 190 + "x", "?*" * 400, "a**" * 300])
@pytest.mark.timeout(5)
def test_no_glob_takes_long(glob: str) -> None:
    assert not path_matcher((glob,))("a/" * 50 + "a" * 60)


@pytest.mark.parametrize(
    ("glob", "inside", "outside"),
    [
        ("src/**/*_*_*.py", ["src/a_b_c.py", "src/x/y/a_b_c.py", "src/a__.py"], ["src/a_b.py", "a_b_c.py"]),
        ("**/a/**/b/**/c?", ["a/b/c1", "x/a/y/b/z/c2", "a/b/cx/below"], ["a/b/c", "b/a/c1", "xa/b/c1"]),
        ("a**b**c**/d", ["abcd", "a/x/b/c/y/d"], ["abc", "a/c/b/d"]),
        ("*a*b*c*", ["xaxbxcx/below", "deep/abc"], ["a/b/c"]),
    ],
)
def test_a_glob_of_many_wildcards_selects(glob: str, inside: list[str], outside: list[str]) -> None:
    test_a_glob_selects(glob, inside, outside)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"paths": ("src",)}, {"src/a.py", "src/deep/b.ts"}),
        ({"paths": ("*.rs", "other/**")}, {"lib/c.rs", "other/e.go"}),
        ({"paths": ("nothing",)}, set()),
        ({"languages": ("python",)}, {"src/a.py"}),
        ({"languages": ("py", "RS")}, {"src/a.py", "lib/c.rs"}),
        ({"languages": ("C#",)}, {"lib/d.cs"}),
        ({"languages": ("ts", "golang")}, {"src/deep/b.ts", "other/e.go"}),
        ({"languages": ("klingon",)}, set()),
        ({"kinds": ("class",)}, {"src/a.py", "lib/d.cs"}),
        ({"kinds": ("struct", "function")}, {"lib/c.rs", "src/deep/b.ts", "other/e.go"}),
        ({"kinds": ("method",), "paths": ("src",)}, {"src/a.py"}),
    ],
)
def test_only_what_passes_is_found_and_counted(
    plant: Asking, options: dict[str, tuple[str, ...]], expected: set[str]
) -> None:
    result = plant.search("water pump", **options)
    assert {hit.path for hit in result.hits} == expected
    assert result.total == len(expected)


def test_hits_of_a_kind_show_symbols_of_that_kind(plant: Asking) -> None:
    (hit,) = plant.hits("water pump", kinds=("class",), languages=("python",))
    assert (hit.symbol, hit.kind) == ("Tank", SymbolKind.CLASS)
    assert all(place.kind is SymbolKind.CLASS for place in hit.also)
    (hit,) = plant.hits("fill", kinds=("method",), paths=("src/a.py",))
    assert (hit.symbol, hit.start_line) == ("fill", 4)


@pytest.mark.parametrize("options", [{"paths": ("far",)}, {"languages": ("rust",)}, {"kinds": ("struct",)}], ids=str)
def test_filters_apply_before_the_cut(ask: Ask, options: dict[str, tuple[str, ...]]) -> None:
    crowd = {f"gasket/gasket_{i}.py": "# gasket gasket\ngasket_of = gasket\n" for i in range(300)}
    far = "pub struct Other { pub a: u32 }\n" + "// filler words here\n" * 60 + "// gasket\n"
    asking = ask(crowd | {"far/away/x.rs": far})
    assert asking.paths("gasket", limit=1, **options) == ["far/away/x.rs"]


def test_a_name_does_not_pass_a_filter_that_its_file_does_not(ask: Ask) -> None:
    asking = ask({"a/x.py": "def gasket():\n    pass\n", "b/y.go": "// gasket\npackage b\n"})
    assert asking.paths("gasket", paths=("b",)) == ["b/y.go"]
    assert asking.paths("a/x.py", paths=("b",)) == []
