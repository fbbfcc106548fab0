"""What units say, as the entries of a sparse matrix of units and terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gortex_py.types import Bag, FloatArray, IntArray

# A name says most of what its unit is about; the code of a body repeats names of others, and the
# enclosing names are the same for many units.
FIELD_SHARE = np.array([2.0, 0.0, 1.0, 1.0, 0.5], np.float32)  # name scope signature doc body

Keys = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Entries:
    """One entry a (unit, term) of some files, by file and term."""

    column: IntArray  # (m,) number of the term
    unit: IntArray  # (m,) number of the unit among those of all the files
    value: FloatArray  # (m,) ln(1 + weighted count), above 0
    unit_file: IntArray  # (units,) index of each unit's file, ascending


def read_entries(bags: Sequence[Bag], column_of: Callable[[Keys], IntArray]) -> Entries:
    """Return the entries of the units of some files.

    :param column_of: the number of each key, below 0 for terms that do not count
    """
    units = np.array([len(bag.lengths) for bag in bags], np.int64)
    unit_file = np.repeat(np.arange(len(bags)), units)
    columns = column_of(np.concatenate([bag.keys for bag in bags] or [np.zeros(0, np.uint64)]))
    sizes = np.concatenate([np.diff(bag.indptr) for bag in bags] or [np.zeros(0, np.int64)])
    kept = np.repeat(columns >= 0, sizes)
    if not kept.any():
        none = np.zeros(0, np.int64)
        return Entries(none, none, np.zeros(0, np.float32), unit_file)
    place = np.repeat(np.arange(len(columns)), sizes)[kept]
    first_unit = np.repeat(np.cumsum(units) - units, [len(bag.units) for bag in bags])[kept]
    unit = first_unit + np.concatenate([bag.units for bag in bags])[kept]
    share = FIELD_SHARE[np.concatenate([bag.fields for bag in bags])[kept]]
    count = share * np.concatenate([bag.counts for bag in bags])[kept]
    # A bag lists a term's entries by unit, then field: those of one unit stand side by side.
    starts = np.flatnonzero((np.diff(place, prepend=-1) != 0) | (np.diff(unit, prepend=-1) != 0))
    value = np.log1p(np.add.reduceat(count, starts)).astype(np.float32)
    said = value > 0
    starts = starts[said]
    return Entries(columns[place[starts]], unit[starts], value[said], unit_file)


def normalised(entries: Entries, rarity: FloatArray) -> FloatArray:
    """Return the values times the terms' rarity, such that each unit's squares sum to 1."""
    weighed = entries.value * rarity[entries.column]
    squares = np.bincount(entries.unit, weighed * weighed, minlength=len(entries.unit_file))
    unit_length: FloatArray = (weighed / np.sqrt(squares)[entries.unit]).astype(np.float32)
    return unit_length
