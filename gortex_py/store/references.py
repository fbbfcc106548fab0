"""The names a file mentions, packed into bytes: a row a mention costs more than all its text."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from operator import attrgetter

import orjson

from gortex_py.protocols import FileMentions, StoredReference
from gortex_py.types import Reference, ReferenceKind

_KEY, _LINE = attrgetter("symbol", "name", "kind", "spelled"), attrgetter("line")


def encode_references(references: Sequence[Reference]) -> bytes:
    """Return one entry for each (symbol, name, kind, spelling) with the line of the first and how often it occurs."""
    keys = list(map(_KEY, references))
    counts = Counter(keys)
    first_lines = dict(zip(reversed(keys), map(_LINE, reversed(references)), strict=True))
    names = {name: i for i, name in enumerate(dict.fromkeys(name for key in counts for name in key[1::2]))}
    columns = [
        list(names),
        [names[name] for _, name, _, _ in counts],
        [symbol for symbol, _, _, _ in counts],
        [kind for _, _, kind, _ in counts],
        [first_lines[key] for key in counts],
        list(counts.values()),
        [[i, names[spelled]] for i, (_, _, _, spelled) in enumerate(counts) if spelled],
    ]
    return zlib.compress(orjson.dumps(columns), 1)


def decode_mentions(file_id: int, data: bytes) -> FileMentions:
    """Return the references written by encode_references as columns, without their symbols and lines."""
    names, places, _, kinds, _, counts, imports = orjson.loads(zlib.decompress(data))
    return FileMentions(file_id, names, places, kinds, counts, [names[place] for _, place in imports])


def decode_references(data: bytes) -> tuple[StoredReference, ...]:
    """Return the references written by encode_references, in the order they first occur."""
    names, places, symbols, kinds, lines, counts, imports = orjson.loads(zlib.decompress(data))
    spelled = {entry: names[place] for entry, place in imports}
    return tuple(
        StoredReference(Reference(names[place], ReferenceKind(kind), line, symbol, spelled.get(entry, "")), count)
        for entry, (place, symbol, kind, line, count) in enumerate(
            zip(places, symbols, kinds, lines, counts, strict=True)
        )
    )
