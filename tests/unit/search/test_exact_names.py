"""Who asks for a name gets its definition first, whatever else matches better by its words."""

from __future__ import annotations

import pytest

from gortex_py.types import QueryClass, SymbolKind
from tests.unit.search.conftest import Ask, Asking

DEFINITIONS = {
    "src/model.py": "import os\n\nclass LedgerBook:\n"
    "    balance_limit = 3\n\n    def settle_all(self):\n        return 1\n",
    "src/run.py": "DEFAULT_SPAN = 4\n\n\ndef compute_tally(values):\n    return sum(values)\n",
    "src/shape.rs": "pub struct HexTile { pub side: u32 }\n\n"
    "pub trait Rotates { fn turn_left(&self); }\n\npub enum Facing { Up }\n\n"
    "macro_rules! tile_map { () => {}; }\n\nimpl HexTile {\n    pub fn flip_over(&self) -> u32 { self.side }\n}\n",
    "src/port.go": "package port\n\n"
    "type Carrier interface {\n\tHaul(n int) error\n}\n\ntype Weight = int\n\n"
    "func (d *Dock) Unload() int {\n\treturn 1\n}\n",
    "src/dock.java": "package a;\n\npublic class Harbour {\n"
    "    public Harbour(int depth) {\n    }\n\n    public int draughtOf() {\n        return 2;\n    }\n}\n",
    "db/tables.sql": "CREATE TABLE invoice_lines (\n  id INTEGER PRIMARY KEY\n);\n",
}
NAMES = {
    "LedgerBook": ("src/model.py", SymbolKind.CLASS),
    "settle_all": ("src/model.py", SymbolKind.METHOD),
    "balance_limit": ("src/model.py", SymbolKind.FIELD),
    "DEFAULT_SPAN": ("src/run.py", None),
    "compute_tally": ("src/run.py", SymbolKind.FUNCTION),
    "HexTile": ("src/shape.rs", SymbolKind.STRUCT),
    "Rotates": ("src/shape.rs", SymbolKind.TRAIT),
    "Facing": ("src/shape.rs", SymbolKind.ENUM),
    "tile_map": ("src/shape.rs", SymbolKind.MACRO),
    "flip_over": ("src/shape.rs", SymbolKind.METHOD),
    "Carrier": ("src/port.go", SymbolKind.INTERFACE),
    "Weight": ("src/port.go", SymbolKind.TYPE),
    "Unload": ("src/port.go", SymbolKind.METHOD),
    "Harbour": ("src/dock.java", SymbolKind.CLASS),
    "draughtOf": ("src/dock.java", SymbolKind.METHOD),
    "invoice_lines": ("db/tables.sql", SymbolKind.TABLE),
}


@pytest.fixture(scope="module")
def code(ask: Ask) -> Asking:
    """Every definition, among files that say all the names often, in their names and directories too."""
    said = " ".join(NAMES)
    crowd = {
        f"{name.lower()}/{name}_{i}.py": f"# {name} {said}\nprint('{name}')\nprint('{name}')\n"
        for name in NAMES
        for i in range(3)
    }
    return ask(DEFINITIONS | crowd)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_in_its_own_spelling_comes_first_and_shows_its_definition(code: Asking, name: str) -> None:
    path, kind = NAMES[name]
    result = code.search(name, limit=1)
    (hit,) = result.hits
    assert (hit.path, hit.symbol) == (path, name)
    if kind is not None:
        assert hit.kind is kind
    assert name in hit.snippet
    assert result.shape.query_class in (QueryClass.SYMBOL, QueryClass.CONCEPT)


@pytest.mark.parametrize("name", ["compute_tally", "settle_all", "LedgerBook", "draughtOf", "invoice_lines"])
@pytest.mark.parametrize(
    "respell",
    [str.lower, str.upper, lambda n: n.replace("_", ""), lambda n: n.replace("_", "-"), lambda n: n + "()"],
    ids=["lower", "upper", "squashed", "kebab", "call"],
)
def test_a_name_in_another_spelling_is_near_the_top(code: Asking, name: str, respell: object) -> None:
    assert NAMES[name][0] in code.paths(respell(name), limit=3)  # type: ignore[operator]


def test_a_name_spelled_by_its_words_is_near_the_top(code: Asking) -> None:
    assert "src/run.py" in code.paths("compute tally", limit=3)


QUALIFIED = {
    "a/red.py": "class Red:\n    def mix(self):\n        return 1\n",
    "b/blue.py": "class Blue:\n    def mix(self):\n        return 2\n",
    "c/green.py": "class Green:\n    def mix(self):\n        return 3\n\n    def Blue(self):\n        return 4\n",
    "d/talk.py": "# Blue mix Blue.mix Blue mix\nprint('Blue mix', 'Blue::mix')\n",
}


@pytest.mark.parametrize("text", ["Blue.mix", "Blue::mix", "Blue#mix", "Blue->mix", "Blue.mix()"])
def test_a_qualified_name_finds_the_one_that_is_meant(ask: Ask, text: str) -> None:
    hit = ask(QUALIFIED).first(text)
    assert (hit.path, hit.qualified_name) == ("b/blue.py", "Blue.mix")


def test_a_wrong_qualifier_still_finds_the_name(ask: Ask) -> None:
    assert ask(QUALIFIED).first("Purple.mix").symbol == "mix"


def test_a_name_is_never_cut_off_by_files_that_match_better(ask: Ask) -> None:
    crowd = {
        f"frobnicate/frobnicate_{i}.py": "# frobnicate frobnicate\nfrobnicate = frobnicate(frobnicate)\n".replace(
            "frobnicate =", f"other_{i} ="
        )
        for i in range(300)
    }
    filler = "".join(f"value_{i} = {i}\n" for i in range(400))
    asking = ask(
        crowd | {"deep/er/in/the/old/tree/unrelated.py": f"{filler}\ndef frobnicate(x):\n    return x\n{filler}"}
    )
    (hit,) = asking.hits("frobnicate", limit=1)
    assert (hit.path, hit.symbol) == ("deep/er/in/the/old/tree/unrelated.py", "frobnicate")
    assert "def frobnicate" in hit.snippet


@pytest.mark.parametrize("category", ["tests", "examples"])
def test_the_definition_is_found_in_whatever_file_it_is(ask: Ask, category: str) -> None:
    crowd = {f"src/m{i}.py": "use_widget_spec(widget_spec, widget_spec)\n" for i in range(40)}
    assert ask(crowd | {f"{category}/x.py": "def widget_spec():\n    pass\n"}).paths("widget_spec", limit=1) == [
        f"{category}/x.py"
    ]


def test_a_plain_lower_case_word_that_names_a_symbol_is_one(ask: Ask) -> None:
    asking = ask({"a.py": "def settle():\n    return 1\n", "b.py": "# settle settle\nx = 'settle'\n"})
    result = asking.search("settle")
    assert result.shape.query_class is QueryClass.SYMBOL
    assert result.shape.alpha == pytest.approx(0.3)
    assert result.hits[0].path == "a.py"
    assert asking.search("unknown").shape.query_class is QueryClass.CONCEPT


@pytest.mark.parametrize("name", ["x", "io", "fd"])
def test_short_identifiers_are_found(ask: Ask, name: str) -> None:
    files = {"a.py": f"def {name}():\n    return 1\n", "b.py": f"print({name})\n", "c.py": "y = 2\n"}
    assert ask(files).paths(name) == ["a.py", "b.py"]


SPELLED = {
    "src/limits.py": "class RetryLimits:\n    def as_total(self):\n        return 1\n\n"
    "    def may_be_retried_from_the_start(self):\n        return 2\n",
    "src/total.py": "# the total of a total\ndef total():\n    return 'total'\n\n\nas_list = total()\n",
    "src/retried.py": "# may it be retried from the start, and how is it retried from the start\n"
    "def start_retried():\n    return 'retried start'\n",
    "src/retry/limits_total.py": "# retry limits as a total\ntotal_limits = 'retry limits total'\n",
}


@pytest.mark.parametrize(
    "text",
    [
        "as total",  # a stop word is part of the name
        "may be retried from the start",  # many words
        "retry limits as total",  # qualified by the words before
        "retry limits may be retried from the start",
    ],
)
def test_words_that_spell_a_name_find_its_definition(ask: Ask, text: str) -> None:
    hit = ask(SPELLED).first(text)
    name = "as_total" if "total" in text else "may_be_retried_from_the_start"
    assert (hit.path, hit.symbol) == ("src/limits.py", name)


def test_words_before_a_name_must_be_what_encloses_it(ask: Ask) -> None:
    asking = ask({"a.py": "class Red:\n    def mix_up(self):\n        return 1\n"})
    named = {hit.path: {c.signal for c in hit.contributions} for hit in asking.hits("blue mix up", explain=True)}
    assert "exact_name" not in named.get("a.py", set())


def test_a_title_of_plain_words_does_not_pass_for_a_name(ask: Ask) -> None:
    code = "def handle(error):\n    # error handling: how an error is handled\n    return error\n"
    files = {"docs/guide.md": "# Guide\n\n## Error handling\n\nText.\n", "src/error_handling.py": code}
    assert ask(files).paths("error handling")[0] == "src/error_handling.py"


def test_the_hit_shows_what_the_whole_query_names_before_what_a_part_of_it_names(ask: Ask) -> None:
    text = "rangeParser = 'parse the range'\n\n\nparseRange = load(rangeParser)\n\n\n"
    text += "def range(size):\n    # parse the range: range, range\n    return parseRange(size)\n"
    hit = ask({"request.py": text}).first("parse-range")
    assert hit.symbol == "parseRange"


def test_the_right_qualifier_weighs_more_than_the_case_of_the_name(ask: Ask) -> None:
    files = {
        "a/fixed.py": "class Fixed:\n    def alloc(self):\n        return 1\n",
        "b/scoped.py": "class Scoped:\n    def Alloc(self):\n        return 2\n",
    }
    assert ask(files).first("scoped.alloc").path == "b/scoped.py"


@pytest.mark.parametrize("text", ["Loader._state", "_Loader.run"])
def test_a_name_that_differs_in_an_underscore_alone_is_another(ask: Ask, text: str) -> None:
    code = "class Loader:\n    _state = 1\n\n    def state(self):\n        # the state of the loader: state, state\n"
    code += (
        "        return self._state\n\n    def run(self):\n        # run the loader, run it\n        return run\n\n\n"
    )
    code += "class _Loader:\n    def run(self):\n        return 2\n"
    assert ask({"loader.py": code}).first(text).qualified_name == text
