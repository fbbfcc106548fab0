"""Run a language's query over a file and collect what it captured, as byte offsets.

Nothing here walks the tree in Python: nesting depth costs nothing, and time is bounded by a
deadline that the parser looks at and by a limit on matches under way in the query.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module, resources
from typing import Literal

from tree_sitter import Language, Node, Parser, Point, Query, QueryCursor, Tree
from tree_sitter import Range as TextRange

from gortex_py.parse.lines import LineTable
from gortex_py.parse.registry import LANGUAGES
from gortex_py.types import ReferenceKind, SymbolKind

_READ_BYTES = 16_384  # handed to the parser at once; measured no slower than the whole buffer
_MATCH_LIMIT = 65_536  # matches under way at a time: bounds memory on degenerate trees
# Definitions nested deeper are not looked for: a query takes time quadratic in the depth, and 20,000 brackets
# inside each other took it a minute.
_MAX_DEPTH = 2_000
_REPARSE_ROUNDS = 3  # macros in macros in macros

_FLAT_ERROR_TOKENS = 40_000  # takes about a second to query

_DEFINITION = "definition."
_REFERENCE = "reference."
_PLAIN_CAPTURES = frozenset({"name", "body", "scope", "comment", "docstring", "attribute", "wrapper", "reparse"})

Range = tuple[int, int]  # bytes, half-open


class ParseStopped(Exception):
    """The deadline passed or the tree is of no use; nothing of the file is known."""


class GrammarMissing(Exception):
    """A grammar package cannot be imported, or does not fit the binding."""


@dataclass(slots=True)
class RawDefinition:
    """One definition as a query pattern saw it."""

    start: int  # byte at which the definition node starts
    end: int
    kind: SymbolKind
    name: Range
    scope: str
    body: Node | None
    body_start: int  # byte at which the body starts; the definition's end if it has none


@dataclass(slots=True)
class Scan:
    """Everything a query captured in one file, unordered."""

    definitions: list[RawDefinition] = field(default_factory=list)
    references: dict[int, tuple[int, ReferenceKind]] = field(default_factory=dict)  # start -> (end, kind)
    comments: list[Range] = field(default_factory=list)
    docstrings: list[Range] = field(default_factory=list)
    attributes: list[Range] = field(default_factory=list)
    wrappers: list[Range] = field(default_factory=list)
    broken: bool = False  # the tree has errors
    reparse: list[Range] = field(default_factory=list)  # text that the grammar left as mere tokens

    def add(self, other: Scan) -> None:
        """Take in what was captured in text that was parsed again."""
        self.definitions += other.definitions
        self.references.update(other.references)
        for mine, theirs in (
            (self.comments, other.comments),
            (self.docstrings, other.docstrings),
            (self.attributes, other.attributes),
            (self.wrappers, other.wrappers),
        ):
            mine[:] = sorted({*mine, *theirs})


@dataclass(frozen=True, slots=True)
class Grammar:
    """A loaded language with its compiled query."""

    language: Language
    query: Query
    kinds: dict[str, SymbolKind]  # definition capture -> kind
    references: dict[str, ReferenceKind]  # reference capture -> kind, weakest first


@cache
def load_grammar(name: str) -> Grammar:
    """Import a language's grammar and compile its query, once a process.

    :raises GrammarMissing: when the grammar package is not there or does not fit.
    """
    spec = LANGUAGES[name]
    try:
        language = Language(getattr(import_module(spec.module), spec.function)())
    except (ImportError, AttributeError, ValueError, OSError) as error:
        raise GrammarMissing(f"no grammar for {name}: {error}") from error
    query = Query(language, "\n".join(query_text(part) for part in spec.queries))
    captures = [query.capture_name(i) for i in range(query.capture_count)]
    unknown = [c for c in captures if not c.startswith((_DEFINITION, _REFERENCE, "_")) and c not in _PLAIN_CAPTURES]
    if unknown:
        raise ValueError(f"the query of {name} uses captures that mean nothing: {', '.join(unknown)}")
    kinds = {c: SymbolKind(c.removeprefix(_DEFINITION)) for c in captures if c.startswith(_DEFINITION)}
    references = {c: ReferenceKind(c.removeprefix(_REFERENCE)) for c in captures if c.startswith(_REFERENCE)}
    strongest_last = dict(sorted(references.items(), key=lambda item: item[1] is not ReferenceKind.USE))
    return Grammar(language, query, kinds, strongest_last)


def query_text(name: str) -> str:
    """Return the text of a query file."""
    return resources.files("gortex_py.parse").joinpath("queries", f"{name}.scm").read_text(encoding="utf-8")


def scan_source(grammar: Grammar, source: bytes, lines: LineTable, deadline: float) -> tuple[Scan, Tree]:
    """Parse UTF-8 text and collect what the query captures; broken syntax gives what the tree has.

    :param deadline: value of ``time.thread_time`` at which to give up.
    :raises ParseStopped: at the deadline.
    """
    tree = _parse(grammar, source, deadline)
    _refuse_flat_errors(tree.root_node)
    scan = _scan(grammar, tree, source)
    scan.broken = tree.root_node.has_error
    pending = scan.reparse
    for _ in range(_REPARSE_ROUNDS):
        if not pending:
            break
        inner = _scan(grammar, _parse(grammar, source, deadline, _points(pending, lines)), source)
        scan.add(inner)
        pending = inner.reparse
    return scan, tree


def _refuse_flat_errors(root: Node) -> None:
    """Give up on a tree that is one error over a long row of bare tokens.

    The query looks ahead from each token for the next named node, which is quadratic there: a
    file of 100,000 opening brackets takes 10 s.

    :raises ParseStopped: for such a tree.
    """
    suspects = [root, *root.children] if root.has_error and root.child_count < _FLAT_ERROR_TOKENS else [root]
    if any(node.is_error and node.child_count - node.named_child_count > _FLAT_ERROR_TOKENS for node in suspects):
        raise ParseStopped("not parsed, the text does not read as its language")


def _points(ranges: list[Range], lines: LineTable) -> list[TextRange]:
    def point(byte: int) -> Point:
        line = lines.line_of(byte)
        return Point(line - 1, byte - lines.start_of(line))

    return [TextRange(point(start), point(end), start, end) for start, end in ranges]


def _parse(grammar: Grammar, source: bytes, deadline: float, ranges: list[TextRange] | None = None) -> Tree:
    """Parse the text, or only some ranges of it as if they were one text.

    :raises ParseStopped: at the deadline.
    """

    def stop(_offset: int, _has_error: bool) -> bool:
        return time.thread_time() > deadline

    # Slices are bytes, not views: a predicate that reads text through a view crashes the binding.
    def read(offset: int, _point: object) -> bytes:
        return source[offset : offset + _READ_BYTES]

    try:
        # A parser that was stopped resumes its old text, so each file gets a new one.
        return Parser(grammar.language, included_ranges=ranges).parse(read, progress_callback=stop)
    except ValueError as error:
        if time.thread_time() > deadline:
            raise ParseStopped from error
        raise


def _scan(grammar: Grammar, tree: Tree, source: bytes) -> Scan:
    """Run the query once over a tree and sort its captures by what they mean."""
    # No progress callback here: with one, tree-sitter 0.26.1 crashes the process. The match limit
    # and the depth limit keep the work in proportion to the size of the tree.
    cursor = QueryCursor(grammar.query, match_limit=_MATCH_LIMIT)
    cursor.set_max_start_depth(_MAX_DEPTH)
    buckets: dict[str, list[Node]] = {}
    scan = Scan()
    for _, captures in cursor.matches(tree.root_node, _unknown_predicate):
        if "name" in captures:
            scan.definitions.append(_definition(captures, grammar, source))
            if len(captures) < 3:
                continue
        for capture, nodes in captures.items():
            bucket = buckets.get(capture)
            if bucket is None:
                bucket = buckets[capture] = []
            bucket.extend(nodes)
    _fill(scan, buckets, grammar)
    for definition in scan.definitions:  # a definition's own name is no mention of it
        scan.references.pop(definition.name[0], None)
    return scan


def _unknown_predicate(
    predicate: str,
    args: list[tuple[str, Literal["capture", "string"]]],
    pattern_index: int,
    captures: dict[str, list[Node]],
) -> bool:
    raise ValueError(f"pattern {pattern_index} uses the predicate #{predicate}, which is not evaluated")


def _definition(captures: dict[str, list[Node]], grammar: Grammar, source: bytes) -> RawDefinition:
    name = captures["name"][0]
    kind, node = next((grammar.kinds[c], nodes[0]) for c, nodes in captures.items() if c in grammar.kinds)
    scopes = captures.get("scope", ())
    body = captures.get("body")
    return RawDefinition(
        start=node.start_byte,
        end=node.end_byte,
        kind=kind,
        name=(name.start_byte, name.end_byte),
        scope=".".join(source[s.start_byte : s.end_byte].decode("utf-8", "replace") for s in scopes),
        body=body[0] if body else None,
        body_start=body[0].start_byte if body else node.end_byte,
    )


def _fill(scan: Scan, buckets: dict[str, list[Node]], grammar: Grammar) -> None:
    for capture, kind in grammar.references.items():
        scan.references.update((n.start_byte, (n.end_byte, kind)) for n in buckets.get(capture, ()))
    ranges: Callable[[str], list[Range]] = lambda capture: sorted(  # noqa: E731
        {(n.start_byte, n.end_byte) for n in buckets.get(capture, ())}
    )
    scan.comments = ranges("comment")
    scan.docstrings = ranges("docstring")
    scan.attributes = ranges("attribute")
    scan.wrappers = ranges("wrapper")
    scan.reparse = _inside_braces(ranges("reparse"))


def _inside_braces(ranges: list[Range]) -> list[Range]:
    """Return the ranges without their first and last byte; nested ones belong to the outer."""
    inner: list[Range] = []
    for start, end in ranges:
        if end - start > 2 and (not inner or start >= inner[-1][1]):
            inner.append((start + 1, end - 1))
    return inner
