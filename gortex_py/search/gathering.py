"""Load the evidence about the candidates, in a few batches, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gortex_py.protocols import FileFacts
from gortex_py.rank.evidence import Question
from gortex_py.text.tokens import identifier_parts, term_key
from gortex_py.types import FIELD_COUNT, Bag, Field, FloatArray, IntArray

# Saturation and length normalisation by field. Whole files repeat words more than units do, so
# they saturate later; a unit's name is one name, so its second occurrence says nothing.
FILE_K1 = np.array([1.2, 1.2, 1.2, 1.5, 2.0], np.float32)  # name scope signature doc body
FILE_B = np.array([0.5, 0.5, 0.5, 0.6, 0.5], np.float32)
UNIT_K1 = np.array([0.6, 1.0, 1.0, 1.2, 1.2], np.float32)
UNIT_B = np.array([0.3, 0.3, 0.5, 0.5, 0.5], np.float32)

# What a pair of words is worth where they occur as one identifier.
PAIR_STRENGTH = np.array([1.0, 0.5, 0.5, 0.3, 0.5], np.float32)  # by field


_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Matches:
    """Where the question's terms occur in the candidates."""

    unit_file: IntArray  # (m,)
    first_unit: IntArray  # (n,) index of each file's first unit
    file_match: FloatArray  # (q, n, FIELD_COUNT)
    unit_match: FloatArray  # (q, m, FIELD_COUNT)
    unit_cover: FloatArray  # (q, m)
    pair_match: FloatArray  # (pairs, n)


@dataclass(frozen=True, slots=True)
class _Entries:
    """Occurrences of the looked-up terms: one row a (term, unit, field)."""

    term: IntArray
    file: IntArray
    unit: IntArray
    field: IntArray
    count: FloatArray


def word_pairs(question: Question) -> list[str]:
    """Return neighbouring words of the query written as one."""
    squashed = ["".join(identifier_parts(word)) for word in question.words]
    return [first + second for first, second in pairwise(squashed)]


def match_bags(question: Question, bags: Sequence[Bag], facts: FileFacts, rows: IntArray) -> Matches:
    """Return the matches of a question's terms in the candidates' bags.

    :param rows: (n,) the candidates' rows in ``facts``
    """
    uses = [(term, g, w) for g, group in enumerate(question.groups) for term, w in group.variants]
    pairs = word_pairs(question)
    terms = sorted({*(term for term, _, _ in uses), *pairs}, key=term_key)
    at = {term: i for i, term in enumerate(terms)}
    lengths = np.concatenate([bag.lengths for bag in bags] or [np.zeros((0, FIELD_COUNT), np.int32)])
    sizes = np.array([len(bag.lengths) for bag in bags], np.int64)
    first_unit = np.cumsum(sizes) - sizes
    entries = _look_up(np.array([term_key(term) for term in terms], np.uint64), bags, first_unit)
    order = np.argsort(entries.term, kind="stable")
    bounds = np.searchsorted(entries.term[order], np.arange(len(terms) + 1))

    file_counts = np.zeros((len(terms), len(bags), FIELD_COUNT), np.float32)
    np.add.at(file_counts, (entries.term, entries.file, entries.field), entries.count)
    file_values = _saturate(file_counts, FILE_K1, FILE_B, facts.lengths[rows], _mean(facts.lengths, len(facts.ids)))
    unit_values = _saturate_entries(entries, lengths, _mean(facts.lengths, int(facts.units.sum())))

    groups = len(question.groups)
    file_match = np.zeros((groups, len(bags), FIELD_COUNT), np.float32)
    unit_match = np.zeros((groups, len(lengths), FIELD_COUNT), np.float32)
    unit_cover = np.zeros((groups, len(lengths)), np.float32)
    for term, group, weight in uses:
        i = at[term]
        chosen = order[bounds[i] : bounds[i + 1]]
        if not len(chosen):
            continue
        np.maximum(file_match[group], weight * file_values[i], out=file_match[group])
        units, fields = entries.unit[chosen], entries.field[chosen]
        unit_match[group, units, fields] = np.maximum(unit_match[group, units, fields], weight * unit_values[chosen])
        unit_cover[group, units] = np.maximum(unit_cover[group, units], weight)
    pair_counts = file_counts[np.array([at[pair] for pair in pairs], np.int64)]
    pair_match = (pair_counts / (pair_counts + 1) * PAIR_STRENGTH).max(axis=2)
    unit_file = np.repeat(np.arange(len(bags)), sizes)
    return Matches(unit_file, first_unit, file_match, unit_match, unit_cover, pair_match)


def _look_up(keys: NDArray[np.uint64], bags: Sequence[Bag], first_unit: IntArray) -> _Entries:
    """Return where the terms with these (ascending) keys occur."""
    found, starts, sizes = [], [], []
    offset = 0
    # Array methods, not functions: this runs for hundreds of small arrays a query.
    for bag in bags:
        if len(bag.keys):
            places = bag.keys.searchsorted(keys)
            hits = (bag.keys.take(places, mode="clip") == keys).nonzero()[0]
            at = places[hits]
            start = bag.indptr[at]
            found.append(hits)
            starts.append(start + offset)
            sizes.append(bag.indptr[at + 1] - start)
        else:
            found.append(_NONE)
        offset += len(bag.units)
    if not starts:
        return _Entries(_NONE, _NONE, _NONE, _NONE, np.zeros(0, np.float32))
    size = np.concatenate(sizes)
    owners = np.repeat(np.arange(len(bags)), [len(hits) for hits in found])
    term, file, start = (np.repeat(values, size) for values in (np.concatenate(found), owners, np.concatenate(starts)))
    entry = start + np.arange(len(start)) - np.repeat(np.cumsum(size) - size, size)
    return _Entries(
        term=term,
        file=file,
        unit=np.concatenate([bag.units for bag in bags])[entry].astype(np.int64) + first_unit[file],
        field=np.concatenate([bag.fields for bag in bags])[entry].astype(np.int64),
        count=np.concatenate([bag.counts for bag in bags])[entry].astype(np.float32),
    )


def _saturate(counts: FloatArray, k1: FloatArray, b: FloatArray, lengths: IntArray, mean: FloatArray) -> FloatArray:
    """Return tf / (tf + k1 (1 - b + b len / mean)), BM25's term weight without its idf; each field by itself."""
    norm = k1 * (1 - b + b * lengths.astype(np.float32) / mean)
    values: FloatArray = (counts / (counts + norm)).astype(np.float32)
    return values


def _saturate_entries(entries: _Entries, lengths: NDArray[np.integer[Any]], mean: FloatArray) -> FloatArray:
    f = entries.field
    length = lengths[entries.unit, f].astype(np.float32)
    norm = UNIT_K1[f] * (1 - UNIT_B[f] + UNIT_B[f] * length / mean[f])
    values: FloatArray = (entries.count / (entries.count + norm)).astype(np.float32)
    return values


def _mean(lengths: IntArray, count: int) -> FloatArray:
    """Return (FIELD_COUNT,) mean length; at least 1, so that an unused field divides nothing by zero."""
    means: FloatArray = np.maximum(1.0, lengths.sum(axis=0) / max(1, count)).astype(np.float32)
    return means


assert len(Field) == len(FILE_K1) == len(PAIR_STRENGTH)
