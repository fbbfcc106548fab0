"""Keep the graph of a repository: read what its files define and mention, resolve, weigh."""

from __future__ import annotations

from array import array
from itertools import repeat

import numpy as np

from gortex_py.graph.edges import KIND_NUMBER
from gortex_py.graph.record import GRAPH_FACTS, Graph, build_graph, encode
from gortex_py.graph.resolve import Mentions, resolve
from gortex_py.protocols import Enrichment, StoreReader
from gortex_py.types import IntArray, SymbolKind

VERSION = "graph-1"  # raised whenever the same files would give another graph
# Until then what changed is too little to move what the whole repository leans on.
STALE_FILES = 64
STALE_SHARE = 0.02

# A field is not called, a namespace is every file's, and keys and headings are no code. A prototype's
# file is included, and the definition is what is called.
_REFERABLE = frozenset(SymbolKind) - {
    SymbolKind.DOC,
    SymbolKind.ELEMENT,
    SymbolKind.FIELD,
    SymbolKind.KEY,
    SymbolKind.NAMESPACE,
    SymbolKind.PROPERTY,
    SymbolKind.PROTOTYPE,
    SymbolKind.RULE,
}
_NUMBERS = {kind.value: number for kind, number in KIND_NUMBER.items()}


class GraphEnricher:
    """Makes the graph anew when enough files changed."""

    name = GRAPH_FACTS

    def refresh(self, reader: StoreReader, before: Enrichment | None, *, thorough: bool) -> Enrichment | None:
        """Return the graph of the files as they are, or None where the one of before is near enough."""
        with reader.session():
            if before is not None and before.inputs == VERSION:
                most = min(STALE_FILES, STALE_SHARE * len(reader.file_facts().ids))
                if before.behind == 0 or not (thorough or before.behind >= most):
                    return None
            return Enrichment(VERSION, encode(read_graph(reader)))


def read_graph(reader: StoreReader) -> Graph:
    """Return the graph of an index; needs an open session."""
    return build_graph(reader.file_facts().ids, resolve(read_mentions(reader)))


def read_mentions(reader: StoreReader) -> Mentions:
    """Return what all files define and mention; needs an open session."""
    facts = reader.file_facts()
    definers, names = reader.defined_names(sorted(_REFERABLE))
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    defined = np.fromiter(map(numbers.__getitem__, names), np.int64, len(names))
    by_name = np.argsort(defined, kind="stable")
    source, name, kind, uses = array("q"), array("q"), array("B"), array("q")
    imports: list[tuple[int, str]] = []
    rows = {file_id: row for row, file_id in enumerate(facts.ids.tolist())}
    for file in reader.mentions():
        row = rows[file.file_id]
        known = [numbers.get(spelled, -1) for spelled in file.names]
        source.extend(repeat(row, len(file.places)))
        name.extend(map(known.__getitem__, file.places))
        kind.extend(map(_NUMBERS.__getitem__, file.kinds))
        uses.extend(file.counts)
        imports.extend((row, spelled) for spelled in file.imports)
    mentioned = _column(name)
    kept = mentioned >= 0
    return Mentions(
        paths=facts.paths,
        languages=facts.languages,
        names=tuple(numbers),
        definer=np.searchsorted(facts.ids, definers[by_name]),
        defined=defined[by_name],
        source=_column(source)[kept],
        name=mentioned[kept],
        kind=np.frombuffer(kind.tobytes(), np.uint8)[kept],
        uses=_column(uses)[kept],
        imports=tuple(imports),
    )


def _column(values: array[int]) -> IntArray:
    return np.frombuffer(values.tobytes(), np.int64)
