"""Turn what a query captured into symbols: nested, named, documented."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gortex_py.parse.braces import lost_classes, matching_braces
from gortex_py.parse.clauses import join_clauses
from gortex_py.parse.comments import MAX_DOC_BYTES, LeadingComments, comment_text
from gortex_py.parse.keys import select_keys
from gortex_py.parse.lines import LineTable
from gortex_py.parse.names import MAX_NAME_BYTES, join_scope, split_name
from gortex_py.parse.registry import DocStyle, LanguageSpec
from gortex_py.parse.symbol_ids import SymbolIds
from gortex_py.parse.treesitter import Range, RawDefinition, Scan
from gortex_py.types import Span, Symbol, SymbolKind

MAX_SIGNATURE_CHARS = 300
_WRAPPER_TAIL_BYTES = 100  # of white space and a semicolon between a definition's end and its wrapper's
_SIGNATURE_BYTES = 2_000  # read of the source for it; the rest of a long initializer says nothing

# Several patterns may match one name; the one further right says more about it.
_SPECIFICITY = {
    kind: rank
    for rank, kind in enumerate(
        (
            SymbolKind.VARIABLE,
            SymbolKind.CONSTANT,
            SymbolKind.FIELD,
            SymbolKind.PROPERTY,
            SymbolKind.PROTOTYPE,
            SymbolKind.TYPE,
            SymbolKind.FUNCTION,
            SymbolKind.METHOD,
            SymbolKind.CONSTRUCTOR,
        )
    )
}
_CALLABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR})
_HOLDS_METHODS = frozenset(
    {SymbolKind.CLASS, SymbolKind.STRUCT, SymbolKind.INTERFACE, SymbolKind.TRAIT, SymbolKind.ENUM, SymbolKind.TYPE}
)
_BRACED = frozenset({SymbolKind.CLASS, SymbolKind.STRUCT, SymbolKind.NAMESPACE})
# Of no interest where a function keeps them to itself.
_LOCAL = frozenset(
    {SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.FIELD, SymbolKind.PROPERTY, SymbolKind.PROTOTYPE}
)
# Broken or half-preprocessed C turns these into functions.
_STATEMENTS = frozenset({"if", "else", "for", "while", "do", "switch", "catch", "return"})


@dataclass(slots=True)
class Outline:
    """The symbols of a file, with what later steps need of their definitions."""

    symbols: list[Symbol]
    definitions: list[RawDefinition]  # aligned with symbols


@dataclass(slots=True)
class _Placed:
    """A definition with its widened start."""

    raw: RawDefinition
    start: int  # with attributes and wrappers
    head: int  # where the signature starts: with wrappers, without attributes
    end: int


class Assembler:
    """Builds the symbols of one file."""

    def __init__(self, path: str, source: bytes, lines: LineTable, spec: LanguageSpec) -> None:
        self._source = source
        self._lines = lines
        self._spec = spec
        self._path = path
        self._ids = SymbolIds(path)
        self._comments: list[Range] = []

    def assemble(self, scan: Scan, *, max_symbols: int) -> Outline:
        """Return the symbols by start byte, outer before inner, at most ``max_symbols``."""
        self._comments = scan.comments
        placed = self._place(scan)
        outline = Outline([], [])
        leading = LeadingComments(self._source, self._lines, scan.comments, blank_line=self._spec.blank_line)
        stack: list[tuple[_Placed, int]] = []
        previous: _Placed | None = None
        for item in placed:
            if previous is not None and _same_body(previous, item):
                continue
            previous = item
            while stack and _closed(stack[-1][0], item):
                stack.pop()
            parent = stack[-1][1] if stack else None
            symbol = self._symbol(item, parent, outline.symbols, leading)
            if symbol is None:
                continue
            stack.append((item, len(outline.symbols)))
            outline.symbols.append(symbol)
            outline.definitions.append(item.raw)
            if len(outline.symbols) >= max_symbols:
                break
        if self._spec.doc is not DocStyle.LEADING:
            self._attach_docstrings(outline, scan)
        return outline

    # --- where a definition starts and ends -------------------------------------------------

    def _place(self, scan: Scan) -> list[_Placed]:
        merged = _merge_same_name(scan.definitions)
        if scan.broken and self._spec.macros:
            self._mend(merged)
        if self._spec.clauses:
            merged = join_clauses(merged, self._source)
        if self._spec.keys:
            merged = select_keys(merged)
        merged.sort(key=lambda d: (d.start, -d.end, d.name))
        placed = [_Placed(d, d.start, d.start, self._trimmed_end(d.start, d.end)) for d in merged]
        self._take_wrappers(placed, scan.wrappers)
        attribute_at = dict(scan.attributes)
        attribute_before = {end: start for start, end in scan.attributes}
        comment_before = {self._trimmed_end(start, end): start for start, end in scan.comments}
        for item in placed:
            item.head = self._after_attributes(item.start, attribute_at)
            item.start = self._with_attributes(item.start, attribute_before, comment_before)
        placed.sort(key=lambda p: (p.start, -p.end, -_specificity(p.raw.kind), p.raw.name))
        return placed

    def _mend(self, definitions: list[RawDefinition]) -> None:
        """Give classes and namespaces that a broken tree cut short or lost what their braces tell."""
        closing = matching_braces(self._source)
        for definition in definitions:
            if definition.kind in _BRACED and definition.body is not None:
                definition.end = max(definition.end, closing.get(definition.body_start, -1) + 1)
        known = {definition.name[0] for definition in definitions}
        for lost in lost_classes(self._source, closing, known):
            kind = SymbolKind(lost.keyword)
            definitions.append(RawDefinition(lost.start, lost.end, kind, lost.name, "", None, lost.body))

    def _take_wrappers(self, placed: Sequence[_Placed], wrappers: Sequence[Range]) -> None:
        """Let ``export class X`` and ``template <class T> class X`` start at their first word."""
        starts = [item.raw.start for item in placed]
        for start, end in wrappers:
            i = bisect_left(starts, start)
            if i == len(placed) or not placed[i].end <= end < placed[i].end + _WRAPPER_TAIL_BYTES:
                continue
            if self._source[placed[i].end : end].strip(b" \t\r\n;"):
                continue
            first = placed[i].raw
            while i < len(placed) and (placed[i].raw.start, placed[i].raw.end) == (first.start, first.end):
                placed[i].start = placed[i].head = min(start, placed[i].start)
                placed[i].end = self._trimmed_end(start, end)
                i += 1

    def _after_attributes(self, byte: int, attribute_at: dict[int, int]) -> int:
        while byte in attribute_at:
            byte = attribute_at[byte]
            while self._source[byte : byte + 1].isspace():
                byte += 1
        return byte

    def _with_attributes(self, byte: int, attribute_before: dict[int, int], comment_before: dict[int, int]) -> int:
        top = edge = byte
        while attribute_before:
            while edge > 0 and self._source[edge - 1 : edge].isspace():
                edge -= 1
            if edge in attribute_before:
                top = edge = attribute_before[edge]
            elif edge in comment_before:
                edge = comment_before[edge]
            else:
                break
        return top

    def _trimmed_end(self, start: int, end: int) -> int:
        while end > start and self._source[end - 1] in b" \t\r\n":
            end -= 1
        return end

    # --- what a definition is ---------------------------------------------------------------

    def _symbol(
        self, item: _Placed, parent: int | None, symbols: Sequence[Symbol], leading: LeadingComments
    ) -> Symbol | None:
        raw = item.raw
        spelled_scope, name = split_name(
            self._text(raw.name[0], min(raw.name[1], raw.name[0] + MAX_NAME_BYTES)), raw.kind
        )
        holder = symbols[parent] if parent is not None else None
        scope = join_scope(raw.scope)
        if spelled_scope:
            scope = f"{scope}.{spelled_scope}" if scope else spelled_scope
        kind = self._kind(raw.kind, name, holder, scope)
        if not name or (kind is SymbolKind.FUNCTION and name in _STATEMENTS):
            return None
        if kind in _LOCAL and holder is not None and holder.kind in _CALLABLE:
            return None
        qualified = f"{scope}.{name}" if scope else name
        if holder is not None:
            qualified = f"{holder.qualified_name}.{qualified}"
        doc = leading.above(item.start)
        if not doc and raw.start != item.start:
            doc = leading.above(raw.start)
        span = Span(
            self._lines.line_of(item.start), self._lines.line_of(max(item.end - 1, item.start)), item.start, item.end
        )
        return Symbol(
            id=self._ids.take(qualified),
            kind=kind,
            name=name,
            qualified_name=qualified,
            path=self._path,
            span=span,
            signature=self._signature(item),
            doc=doc if self._spec.doc is not DocStyle.DOCSTRING else "",
            parent=parent,
            name_line=self._lines.line_of(raw.name[0]),
        )

    def _kind(self, kind: SymbolKind, name: str, holder: Symbol | None, scope: str) -> SymbolKind:
        in_class = holder is not None and holder.kind in _HOLDS_METHODS
        if kind is SymbolKind.FUNCTION and in_class:
            kind = SymbolKind.METHOD
        if kind is SymbolKind.METHOD:
            owner = scope.rpartition(".")[2] or (holder.name if holder else "")
            if name in self._spec.constructors or (self._spec.class_named_constructor and name == owner):
                return SymbolKind.CONSTRUCTOR
        elif kind is SymbolKind.VARIABLE:
            if len(name) > 1 and name.isupper():
                return SymbolKind.CONSTANT
            if in_class:
                return SymbolKind.FIELD
        return kind

    def _signature(self, item: _Placed) -> str:
        has_body = item.raw.body_start < item.raw.end
        end = item.raw.body_start if has_body else item.end
        end = min(max(end, item.head), item.head + _SIGNATURE_BYTES)
        text = " ".join(self._without_comments(item.head, end).split())
        if "( " in text or " )" in text:
            text = text.replace("( ", "(").replace(", )", ")").replace(" )", ")")
        if has_body:
            text = text.removesuffix("=>").rstrip("{:= ")
        return text[:MAX_SIGNATURE_CHARS].rstrip()

    def _without_comments(self, start: int, end: int) -> str:
        pieces = []
        for i in range(bisect_left(self._comments, (start, 0)), len(self._comments)):
            comment_start, comment_end = self._comments[i]
            if comment_start >= end:
                break
            pieces.append(self._text(start, comment_start))
            start = min(comment_end, end)
        return " ".join([*pieces, self._text(start, end)])

    def _text(self, start: int, end: int) -> str:
        return self._source[start:end].decode("utf-8", "replace")

    def _attach_docstrings(self, outline: Outline, scan: Scan) -> None:
        enclosing = enclosing_symbols([start for start, _ in scan.docstrings], outline.symbols)
        seen: set[int] = set()
        for (start, end), owner in zip(scan.docstrings, enclosing, strict=True):
            if owner is None or owner in seen:
                continue
            seen.add(owner)
            doc = comment_text(self._text(start, min(end, start + MAX_DOC_BYTES)))
            if doc:
                outline.symbols[owner] = replace(outline.symbols[owner], doc=doc)


def enclosing_symbols(positions: Sequence[int], symbols: Sequence[Symbol]) -> list[int | None]:
    """Return the index of the innermost symbol that holds each of the ascending byte positions."""
    found: list[int | None] = []
    innermost: int | None = None  # of the symbols that started so far, the last one not yet ended
    following = 0
    for position in positions:
        while following < len(symbols) and symbols[following].span.start_byte <= position:
            innermost = following
            following += 1
        while innermost is not None and symbols[innermost].span.end_byte <= position:
            innermost = symbols[innermost].parent
        found.append(innermost)
    return found


def _merge_same_name(definitions: Sequence[RawDefinition]) -> list[RawDefinition]:
    """Join the patterns that matched one name: widest span, most telling kind."""
    by_name: dict[int, RawDefinition] = {}
    for definition in definitions:
        known = by_name.setdefault(definition.name[0], definition)
        if known is definition:
            continue
        known.start = min(known.start, definition.start)
        known.end = max(known.end, definition.end)
        if known.body is None:
            known.body, known.body_start = definition.body, definition.body_start
        known.scope = known.scope or definition.scope
        if _specificity(definition.kind) > _specificity(known.kind):
            known.kind = definition.kind
            known.name = definition.name
    return list(by_name.values())


def _specificity(kind: SymbolKind) -> int:
    return _SPECIFICITY.get(kind, len(_SPECIFICITY))


def _same_body(outer: _Placed, inner: _Placed) -> bool:
    """Tell whether both define one thing, as `typedef struct node {…} node` does."""
    return outer.raw.body is not None and inner.raw.body is not None and outer.raw.body_start == inner.raw.body_start


def _closed(outer: _Placed, inner: _Placed) -> bool:
    # Two declarators of one statement share its span and are siblings.
    return outer.end <= inner.start or (outer.start, outer.end) == (inner.start, inner.end) or outer.end < inner.end
