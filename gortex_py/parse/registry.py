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


def _spec(  # noqa: PLR0913 - one row of the table, a keyword a column
    module: str,
    *queries: str,
    function: str = "language",
    doc: DocStyle = DocStyle.LEADING,
    blank_line: bool = False,
    constructors: tuple[str, ...] = (),
    class_named_constructor: bool = False,
) -> LanguageSpec:
    return LanguageSpec(
        module=f"tree_sitter_{module}",
        queries=queries or (module,),
        function=function,
        doc=doc,
        blank_line=blank_line,
        constructors=frozenset(constructors),
        class_named_constructor=class_named_constructor,
    )


LANGUAGES: Mapping[str, LanguageSpec] = MappingProxyType(
    {
        "python": _spec("python", doc=DocStyle.BOTH, constructors=("__init__",)),
        "javascript": _spec(
            "javascript", "ecmascript", "jsx", "javascript", blank_line=True, constructors=("constructor",)
        ),
    }
)

# Prose is read by its own parsers, not through a grammar.
PROSE_LANGUAGES = frozenset({"markdown", "rst", "text"})
