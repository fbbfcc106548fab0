"""Choose the key paths of a data file that are worth a symbol."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gortex_py.parse.treesitter import RawDefinition
from gortex_py.types import SymbolKind

MAX_KEYS = 2_000  # a file of more is data, not settings: its first keys say what it is
MAX_KEY_DEPTH = 6

# Templates of Helm, Ansible and their like are no YAML, and one of them costs the rest of the file.
_TEMPLATE = re.compile(rb"\{\{[^\n]{0,100}?\}\}|\{%[^\n]{0,100}?%\}")
_TEMPLATE_LINE = re.compile(rb"(?m)^[ \t]*(?:\{\{[^\n]{0,100}?\}\}|\{%[^\n]{0,100}?%\})[ \t]*$")


def blank_templates(source: bytes) -> bytes:
    """Return the text with ``{{ … }}`` and ``{% … %}`` made harmless; every offset and line stays.

    A template alone on its line becomes spaces, another one a word, since a value may be made of it.

    >>> blank_templates(b"{{ if x }}\\na: {{ x }}-1")
    b'          \\na: xxxxxxx-1'
    """
    if b"{{" not in source and b"{%" not in source:
        return source
    source = _TEMPLATE_LINE.sub(lambda match: b" " * len(match.group()), source)
    return _TEMPLATE.sub(lambda match: b"x" * len(match.group()), source)


def select_keys(definitions: Sequence[RawDefinition]) -> list[RawDefinition]:
    """Return the keys of a file as KEY, outer before inner: at most 2,000, at most 6 levels deep.

    The query captures a key of an object in a list as FIELD, and the object itself as ELEMENT if
    it has a name or an id. Keys of an object without either are left out, since the objects of
    such a list would all share their paths.
    """
    kept: list[RawDefinition] = []
    above: list[tuple[RawDefinition, SymbolKind]] = []  # the keys that are open, with the kind as captured
    dropped_end = 0  # everything before this byte lies in a key that was dropped
    for definition in sorted(definitions, key=lambda d: (d.start, -d.end, d.name)):
        if definition.start < dropped_end:
            continue
        kind = definition.kind
        if kind is SymbolKind.ELEMENT and above and above[-1][1] is kind and above[-1][0].end == definition.end:
            continue  # the object has a name and an id: the first is enough
        if above and above[-1][0].start < definition.start <= above[-1][0].name[0] < definition.end:
            continue  # it is what names the object
        while above and _is_beside(above[-1][0], definition):
            before, _ = above.pop()
            if before.start == definition.start:
                kept.pop()  # a table of an array that has a name: the element says more than the table
        in_element = bool(above) and above[-1][1] is SymbolKind.ELEMENT
        if (kind is SymbolKind.FIELD and not in_element) or len(above) >= MAX_KEY_DEPTH:
            dropped_end = definition.end
            continue
        definition.kind = SymbolKind.KEY
        kept.append(definition)
        above.append((definition, kind))
        if len(kept) == MAX_KEYS:
            break
    return kept


def _is_beside(before: RawDefinition, definition: RawDefinition) -> bool:
    return before.end <= definition.start or (before.start, before.end) == (definition.start, definition.end)
