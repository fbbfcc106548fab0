"""Fit a space: a sketch of the units' rows, and the directions in which it is widest.

The matrix of units and terms is sparse and has as many rows as the repository has units. Its rows
are added up, with random signs, in a fixed number of buckets: sums of rows keep the angles between
terms well enough, and what follows costs the same whatever the repository's size.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from gortex_py.latent.entries import Entries, Keys, normalised, read_entries
from gortex_py.latent.space import LatentSpace, quantised
from gortex_py.types import Bag, FloatArray, IntArray

DIMENSIONS = 64
# A space as wide as its rows knows them by heart, and nothing goes together in it.
UNITS_A_DIMENSION = 4
# A space of fewer files would only know them by heart.
MIN_FILES = 5
MIN_TERM_FILES = 2  # a term of one file goes together with that file alone
MAX_TERMS = 2048
BUCKETS = 512
# More columns and rounds than it takes: a subspace found so is as good as exact.
_SPARE_COLUMNS = 8
_ROUNDS = 6


def fit_space(batches: Iterable[Sequence[Bag]], files: int) -> LatentSpace:
    """Return the space of a repository; the same bags in the same order give the same bytes.

    :param batches: the bags of its files, by path; a sample of them where they are very many
    :param files: how many files the repository has
    """
    keys, entries = _collect(batches)
    if files < MIN_FILES or not len(entries.value):
        return _no_space(files)
    vocabulary, term, in_files = np.unique(keys, return_inverse=True, return_counts=True)
    column = term[entries.column]
    in_units = np.bincount(column, minlength=len(vocabulary))
    units = len(entries.unit_file)
    rarity = np.log(1 + (units - in_units + 0.5) / (in_units + 0.5)).astype(np.float32)
    chosen = _most_telling(np.where(in_files >= MIN_TERM_FILES, in_units * rarity**2, 0.0))
    if not len(chosen) or units < UNITS_A_DIMENSION:
        return _no_space(files)
    number = np.full(len(vocabulary), -1, np.int64)
    number[chosen] = np.arange(len(chosen))
    column = number[column]
    kept = column >= 0
    entries = Entries(column[kept], entries.unit[kept], entries.value[kept], entries.unit_file)
    rarity = rarity[chosen]
    dim = min(DIMENSIONS, units // UNITS_A_DIMENSION)
    directions = _widest(_sketch(entries, normalised(entries, rarity), len(chosen)), dim)
    vectors, scale = quantised(directions)
    return LatentSpace(vocabulary[chosen], rarity, scale, vectors, files)


def _no_space(files: int) -> LatentSpace:
    none = np.zeros(0, np.float32)
    return LatentSpace(np.zeros(0, np.uint64), none, none, np.zeros((0, 0), np.int8), files)


def _collect(batches: Iterable[Sequence[Bag]]) -> tuple[Keys, Entries]:
    """Return the keys of every file one after the other, and entries whose column is the place among them."""
    keys: list[Keys] = [np.zeros(0, np.uint64)]
    columns: list[NDArray[np.int32]] = [np.zeros(0, np.int32)]
    units: list[NDArray[np.int32]] = [np.zeros(0, np.int32)]
    values: list[FloatArray] = [np.zeros(0, np.float32)]
    places = rows = 0
    for bags in batches:
        read = read_entries(bags, lambda found: np.arange(len(found)))
        keys += [bag.keys for bag in bags]
        columns.append((read.column + places).astype(np.int32))
        units.append((read.unit + rows).astype(np.int32))
        values.append(read.value)
        places += sum(len(bag.keys) for bag in bags)
        rows += len(read.unit_file)
    # Which file a unit is of does not matter here.
    entries = Entries(np.concatenate(columns), np.concatenate(units), np.concatenate(values), np.zeros(rows, np.int64))
    return np.concatenate(keys), entries


def _most_telling(energy: NDArray[np.float64]) -> IntArray:
    """Return the terms that the rows' lengths are made of most, ascending; equal ones by their place."""
    count = min(MAX_TERMS, int(np.count_nonzero(energy)))
    return np.sort(np.argsort(-energy, kind="stable")[:count])


def _sketch(entries: Entries, values: FloatArray, terms: int) -> FloatArray:
    """Return (buckets, terms) signed sums of the units' rows."""
    units = len(entries.unit_file)
    buckets = min(BUCKETS, units)
    row = entries.unit % buckets
    if units > buckets:
        values = values * _signs(np.arange(units))[entries.unit]
    sums = np.bincount(row.astype(np.int64) * terms + entries.column, values, minlength=buckets * terms)
    return sums.reshape(buckets, terms).astype(np.float32)


def _widest(rows: FloatArray, dim: int) -> FloatArray:
    """Return (terms, dim or fewer) the first right singular vectors, by subspace iteration over the rows' products."""
    products = rows @ rows.T
    buckets = len(products)
    columns = min(dim + _SPARE_COLUMNS, buckets)
    basis = _signs(np.arange(buckets * columns)).reshape(buckets, columns)
    for _ in range(_ROUNDS):
        basis, _ = np.linalg.qr(products @ basis)
    strengths, turns = np.linalg.eigh(basis.T @ products @ basis)
    # What the rows do not span is noise of the arithmetic, and would be blown up below.
    real = np.flatnonzero(strengths > strengths.max() * 1e-5)[::-1][:dim]
    directions = rows.T @ (basis @ turns[:, real])
    scaled: FloatArray = (directions / np.sqrt(strengths[real])).astype(np.float32)
    return scaled


def _signs(numbers: IntArray) -> FloatArray:
    """Return 1 or -1 for each number, by a hash: a library's generator may change with its version."""
    bits = numbers.astype(np.uint64) + np.uint64(1)
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        bits ^= bits >> np.uint64(33)
        bits *= np.uint64(factor)
    return np.where(bits >> np.uint64(63), np.float32(1), np.float32(-1))
