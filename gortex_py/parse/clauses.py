"""Join the clauses of one function: Haskell's signature and equations, Elixir's heads."""

from __future__ import annotations

from collections.abc import Sequence

from gortex_py.parse.treesitter import RawDefinition
from gortex_py.types import SymbolKind

_JOINABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.MACRO})


def join_clauses(definitions: Sequence[RawDefinition], source: bytes) -> list[RawDefinition]:
    """Return the definitions with runs of one name, nothing but white space between them, as one.

    The signature of such a run is that of its first clause.
    """
    joined: list[RawDefinition] = []
    for definition in sorted(definitions, key=lambda d: (d.start, -d.end)):
        last = joined[-1] if joined else None
        if last is None or not _continues(last, definition, source):
            joined.append(definition)
            continue
        last.end = definition.end
        last.body = None  # no node holds all clauses, so cuts are looked for around them
    return joined


def _continues(last: RawDefinition, definition: RawDefinition, source: bytes) -> bool:
    return (
        last.kind in _JOINABLE
        and last.kind is definition.kind
        and source[last.name[0] : last.name[1]] == source[definition.name[0] : definition.name[1]]
        and definition.start >= last.end
        and not source[last.end : definition.start].strip()
    )
