"""Which grammar, which query and which comment habits belong to a language.

Adding a language is one line here and one query file; see ``docs/adding-a-language.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class DocStyle(StrEnum):
    """Where a definition's documentation stands."""

    LEADING = "leading"  # comments directly above it
    DOCSTRING = "docstring"  # a string inside it
    BOTH = "both"  # a docstring, or else comments above


@dataclass(frozen=True, slots=True)
class LanguageSpec:
    """How to parse one language."""

    module: str  # importable grammar package, e.g. "tree_sitter_python"
    queries: tuple[str, ...]  # names of files in parse/queries, read one after the other
    function: str = "language"  # what the module calls its grammar
    doc: DocStyle = DocStyle.LEADING
    blank_line: bool = False  # one blank line may stand between a comment and its definition
    constructors: frozenset[str] = frozenset()  # names of methods that construct
    class_named_constructor: bool = False  # a method with the name of its class constructs
    clauses: bool = False  # a function may be written as several definitions in a row
    keys: bool = False  # a data file: its definitions are key paths
    macros: bool = False  # has a preprocessor whose macros hide code from the grammar
    templates: bool = False  # often holds {{ templates }} that the grammar cannot read


def _spec(  # noqa: PLR0913 - one row of the table, a keyword a column
    module: str,
    *queries: str,
    function: str = "language",
    doc: DocStyle = DocStyle.LEADING,
    blank_line: bool = False,
    constructors: tuple[str, ...] = (),
    class_named_constructor: bool = False,
    clauses: bool = False,
    keys: bool = False,
    macros: bool = False,
    templates: bool = False,
) -> LanguageSpec:
    return LanguageSpec(
        module=f"tree_sitter_{module}",
        queries=queries or (module,),
        function=function,
        doc=doc,
        blank_line=blank_line,
        constructors=frozenset(constructors),
        class_named_constructor=class_named_constructor,
        clauses=clauses,
        keys=keys,
        macros=macros,
        templates=templates,
    )


LANGUAGES: Mapping[str, LanguageSpec] = MappingProxyType(
    {
        "bash": _spec("bash"),
        "c": _spec("c", blank_line=True, macros=True),
        "cpp": _spec("cpp", "c", "cpp", blank_line=True, class_named_constructor=True, macros=True),
        "csharp": _spec("c_sharp", "csharp"),
        "css": _spec("css"),
        "elixir": _spec("elixir", doc=DocStyle.BOTH, clauses=True),
        "go": _spec("go"),
        "haskell": _spec("haskell", clauses=True),
        "html": _spec("html"),
        "java": _spec("java"),
        "javascript": _spec(
            "javascript", "ecmascript", "jsx", "javascript", blank_line=True, constructors=("constructor",)
        ),
        "json": _spec("json", keys=True),
        "kotlin": _spec("kotlin"),
        "lua": _spec("lua"),
        "php": _spec("php", function="language_php", constructors=("__construct",)),
        "python": _spec("python", doc=DocStyle.BOTH, constructors=("__init__",)),
        "ruby": _spec("ruby", constructors=("initialize",)),
        "rust": _spec("rust"),
        "scala": _spec("scala", constructors=("this",)),
        "sql": _spec("sql"),
        "swift": _spec("swift"),
        "toml": _spec("toml", keys=True),
        "tsx": _spec(
            "typescript",
            "ecmascript",
            "jsx",
            "typescript",
            function="language_tsx",
            blank_line=True,
            constructors=("constructor",),
        ),
        "typescript": _spec(
            "typescript",
            "ecmascript",
            "typescript",
            function="language_typescript",
            blank_line=True,
            constructors=("constructor",),
        ),
        "yaml": _spec("yaml", keys=True, templates=True),
        "zig": _spec("zig"),
    }
)

# Prose is read by its own parsers, not through a grammar.
PROSE_LANGUAGES = frozenset({"markdown", "rst", "text"})
