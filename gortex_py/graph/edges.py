"""What an edge is: one file leans on another, in one way, found out in one way."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from gortex_py.types import FloatArray, IntArray, ReferenceKind

KINDS: tuple[ReferenceKind, ...] = (
    ReferenceKind.CALL,
    ReferenceKind.IMPORT,
    ReferenceKind.INHERIT,
    ReferenceKind.USE,
)
KIND_NUMBER = {kind: number for number, kind in enumerate(KINDS)}


class Provenance(IntEnum):
    """How it was found out which definition a name means, weakest first."""

    UNKNOWN = 0  # not recorded
    AMBIGUOUS = 1  # a few files define the name, and any of them may be meant
    UNIQUE = 2  # nothing but the name says so, but no other file defines it
    PACKAGE = 3  # the only file of the same directory that defines it
    IMPORTED = 4  # its file, or the package that gives it out, is imported


@dataclass(frozen=True, slots=True)
class Edges:
    """Edges between the rows of a list of files; at most one for each (source, target, kind, provenance)."""

    source: IntArray  # (e,) row
    target: IntArray  # (e,) row, never the source
    kind: NDArray[np.uint8]  # (e,) index in KINDS
    provenance: NDArray[np.uint8]  # (e,) Provenance
    weight: FloatArray  # (e,) > 0, grows slowly with the number of mentions


def no_edges() -> Edges:
    """Return the edges of files that have nothing to do with each other."""
    rows, numbers = np.zeros(0, np.int64), np.zeros(0, np.uint8)
    return Edges(rows, rows, numbers, numbers, np.zeros(0, np.float32))


def summed(edges: Edges) -> Edges:
    """Return edges with those of equal ends, kind and provenance added up, in the order of all four."""
    keys = np.lexsort((edges.provenance, edges.kind, edges.target, edges.source))
    if not len(keys):
        return edges
    source, target = edges.source[keys], edges.target[keys]
    kind, provenance = edges.kind[keys], edges.provenance[keys]
    changes = np.any([column[1:] != column[:-1] for column in (source, target, kind, provenance)], axis=0)
    first = np.flatnonzero(np.concatenate(([True], changes)))
    weight = np.add.reduceat(edges.weight[keys].astype(np.float64), first).astype(np.float32)
    return Edges(source[first], target[first], kind[first], provenance[first], weight)
