"""The names a file mentions, packed into bytes: a row a mention costs more than all its text."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from operator import attrgetter

import orjson

from gortex_py.protocols import StoredReference
from gortex_py.types import Reference, ReferenceKind

_KEY, _LINE = attrgetter("symbol", "name", "kind"), attrgetter("line")


def encode_references(references: Sequence[Reference]) -> bytes:
    """Return one entry for each (symbol, name, kind) with the line of the first and how often it occurs."""
    keys = list(map(_KEY, references))
    counts = Counter(keys)
    first_lines = dict(zip(reversed(keys), map(_LINE, reversed(references)), strict=True))
    names = {name: i for i, name in enumerate(dict.fromkeys(name for _, name, _ in counts))}
    columns = [
        list(names),
        [names[name] for _, name, _ in counts],
        [symbol for symbol, _, _ in counts],
        [kind for _, _, kind in counts],
        [first_lines[key] for key in counts],
        list(counts.values()),
    ]
    return zlib.compress(orjson.dumps(columns), 1)


def decode_references(data: bytes) -> tuple[StoredReference, ...]:
    """Return the references written by encode_references, in the order they first occur."""
    names, places, symbols, kinds, lines, counts = orjson.loads(zlib.decompress(data))
    return tuple(
        StoredReference(Reference(names[place], ReferenceKind(kind), line, symbol), count)
        for place, symbol, kind, line, count in zip(places, symbols, kinds, lines, counts, strict=True)
    )
