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


# What a reader sees at a glance.
WINDOW_LINES = 5
LINES = 1 << 32  # more than a file has

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
    line_match: FloatArray  # (pairs, n)
    window_share: FloatArray  # (n,)


@dataclass(frozen=True, slots=True)
class _Entries:
    """Occurrences of the looked-up terms: one row a (term, unit, field)."""

    term: IntArray
    file: IntArray
    unit: IntArray
    field: IntArray
    count: FloatArray
    # and one row a (term, line)
    line_term: IntArray
    place: IntArray  # file * LINES + line


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
    line_match, window_share = _match_lines(question, entries, at, len(bags))
    return Matches(unit_file, first_unit, file_match, unit_match, unit_cover, pair_match, line_match, window_share)


def _match_lines(
    question: Question, entries: _Entries, at: dict[str, int], files: int
) -> tuple[FloatArray, FloatArray]:
    """Return how often neighbouring words stand on one line, and how much of the query a few lines hold.

    Only the query's own terms count here: what stands for a word may stand anywhere.
    """
    own = [at[group.term] for group in question.groups]
    place, column = np.unique(entries.place, return_inverse=True)
    stands = np.zeros((len(own), len(place)), np.bool_)
    for row, term in enumerate(own):
        stands[row, column[entries.line_term == term]] = True
    file = place // LINES
    spoken: dict[int, list[int]] = {}
    for row, group in enumerate(question.groups):
        spoken.setdefault(group.word, []).append(row)
    pairs = len(word_pairs(question))
    line_match = np.zeros((pairs, files), np.float32)
    for first in range(pairs):
        if first in spoken and first + 1 in spoken:
            both = stands[spoken[first]].any(axis=0) & stands[spoken[first + 1]].any(axis=0)
            counts = np.bincount(file[both], minlength=files)
            line_match[first] = counts / (counts + 1)
    end = np.searchsorted(place, place + WINDOW_LINES)
    mass = np.zeros(len(place), np.float32)
    for row, group in enumerate(question.groups):
        if group.idf > 0:
            before = np.concatenate([[0], np.cumsum(stands[row])])
            mass += np.float32(group.idf) * (before[end] > before[: len(place)])
    best = np.zeros(files, np.float32)
    np.maximum.at(best, file, mass)
    return line_match, best / np.float32(max(question.mass, 1e-9))


def _look_up(keys: NDArray[np.uint64], bags: Sequence[Bag], first_unit: IntArray) -> _Entries:
    """Return where the terms with these (ascending) keys occur."""
    found, starts, sizes, line_starts, line_sizes = [_NONE], [_NONE], [_NONE], [_NONE], [_NONE]
    offset = line_offset = 0
    # Array methods, not functions: this runs for hundreds of small arrays a query.
    for bag in bags:
        if len(bag.keys):
            places = bag.keys.searchsorted(keys)
            hits = (bag.keys.take(places, mode="clip") == keys).nonzero()[0]
            at = places[hits]
            start, line_start = bag.indptr[at], bag.line_indptr[at]
            at += 1
            starts.append(start + offset)
            sizes.append(bag.indptr[at] - start)
            line_starts.append(line_start + line_offset)
            line_sizes.append(bag.line_indptr[at] - line_start)
        else:
            hits = _NONE
        found.append(hits)
        offset += len(bag.units)
        line_offset += len(bag.lines)
    terms = np.concatenate(found)
    owners = np.repeat(np.arange(len(bags)), [len(hits) for hits in found[1:]])
    term, file, entry = _spread(terms, owners, np.concatenate(starts), np.concatenate(sizes))
    line_term, line_file, line = _spread(terms, owners, np.concatenate(line_starts), np.concatenate(line_sizes))
    return _Entries(
        term=term,
        file=file,
        unit=_joined([bag.units for bag in bags])[entry] + first_unit[file],
        field=_joined([bag.fields for bag in bags])[entry],
        count=_joined([bag.counts for bag in bags])[entry].astype(np.float32),
        line_term=line_term,
        place=line_file * LINES + _joined([bag.lines for bag in bags])[line],
    )


def _spread(
    terms: IntArray, owners: IntArray, starts: IntArray, sizes: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return one row for each of ``sizes`` entries that begin at ``starts``: its term, its file, its index."""
    begin = np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
    return np.repeat(terms, sizes), np.repeat(owners, sizes), begin + np.arange(len(begin))


def _joined(arrays: Sequence[NDArray[np.unsignedinteger[Any]]]) -> IntArray:
    return np.concatenate([_NONE, *arrays]).astype(np.int64, copy=False)


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
