"""What the signals see: a question, and arrays of facts about the candidate files.

Signals read nothing else: no store, no clock, no settings. q is the number of term groups, n of
candidate files, m of their units; groups run along the first axis, fields along the last.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gortex_py.types import FloatArray, IntArray, SymbolKind


@dataclass(frozen=True, slots=True)
class TermGroup:
    """One thing that is looked for: a term of the query and the terms that stand for it."""

    term: str
    variants: tuple[tuple[str, float], ...]  # (term, weight in (0, 1]), the term itself first with 1.0
    idf: float  # rarity over files, times the word's factor; 0 when no variant occurs anywhere
    word: int  # ordinal of the query word it comes from


@dataclass(frozen=True, slots=True)
class Question:
    """A query against one repository."""

    groups: tuple[TermGroup, ...]
    words: tuple[str, ...]  # the looked-for words as typed
    is_telling: bool
    asks: bool
    all_words: frozenset[str]
    mass: float  # Z: summed idf of the groups that occur anywhere

    @property
    def idf(self) -> FloatArray:
        """(q,) rarity of each group."""
        return np.array([group.idf for group in self.groups], np.float32)

    def mass_share(self, match: FloatArray) -> FloatArray:
        """Return the idf-weighted sum over groups of a (q, k) match, as a share of the query's mass: (k,).

        Summed row by row: a matrix product rounds equal columns differently by where they stand,
        and then equal files are no longer in the order of their paths.
        """
        share: FloatArray = ((self.idf[:, None] * match).sum(axis=0) / max(self.mass, 1e-9)).astype(np.float32)
        return share


@dataclass(frozen=True, slots=True)
class Definition:
    """A symbol of a candidate whose name the query says."""

    file: int  # index of the candidate
    unit: int  # index in the evidence's units
    kind: SymbolKind
    word: int  # ordinal of the query word; -1 when the whole query is the name
    is_identifier: bool  # the query word is shaped like an identifier
    is_capitalised: bool  # a plain word with a capital, which may only begin a sentence
    same_case: bool
    files: int  # how many files define the name
    certainty: float  # how surely the whole query is its name, qualifier included, in [0, 1]
    symbol: int  # ordinal in its file


def _no_values() -> FloatArray:
    return np.zeros(0, np.float32)


def _no_rows() -> IntArray:
    return np.zeros(0, np.int64)


def _no_flags() -> NDArray[np.bool_]:
    return np.zeros(0, np.bool_)


@dataclass(frozen=True, slots=True)
class Standing:
    """What the repository's graph says of the candidates; empty where there is none."""

    centrality: FloatArray = field(default_factory=_no_values)  # (n,) log PageRank in [0, 1]
    authority: FloatArray = field(default_factory=_no_values)  # (n,) authority / (1 + hub) in [0, 1]
    founded: FloatArray = field(default_factory=_no_values)  # (n,) how sure the edges into it are, in [0, 1]
    source: IntArray = field(default_factory=_no_rows)  # (e,) index of a candidate that leans on ...
    target: IntArray = field(default_factory=_no_rows)  # (e,) ... this one ...
    strength: FloatArray = field(default_factory=_no_values)  # (e,) ... so much
    inherits: NDArray[np.bool_] = field(default_factory=_no_flags)  # (e,) by taking it as a base
    imports: NDArray[np.bool_] = field(default_factory=_no_flags)  # (e,) by importing it


@dataclass(frozen=True, slots=True)
class Evidence:
    """Facts about n candidate files and their m units, as arrays."""

    paths: tuple[str, ...]
    languages: tuple[str | None, ...]
    categories: tuple[str, ...]
    lines: IntArray  # (n,)
    unit_file: IntArray  # (m,) index of the unit's file, ascending
    file_match: FloatArray  # (q, n, FIELD_COUNT) saturated, length-normalised frequency in [0, 1)
    unit_match: FloatArray  # (q, m, FIELD_COUNT)
    unit_cover: FloatArray  # (q, m) weight of the best variant that occurs in the unit, in [0, 1]
    stem_cover: FloatArray  # (q, n) the same for the file's stem
    dir_cover: FloatArray  # (q, n) ... for its immediate directory
    dirs_cover: FloatArray  # (q, n) ... for any of its directories
    stem_mass: FloatArray  # (n,) summed idf of the stem's own terms
    stem_hit_mass: FloatArray  # (n,) of those, what the query says
    stem_equal: FloatArray  # (n,) how exactly consecutive query words spell the stem, in [0, 1]
    pair_match: FloatArray  # (pairs, n) how well two query words occur as one identifier, in [0, 1]
    line_match: FloatArray  # (pairs, n) how often two query words stand on one line, saturated, in [0, 1)
    window_share: FloatArray  # (n,) the largest share of the query's mass that a few consecutive lines hold
    definitions: tuple[Definition, ...]
    name_match: FloatArray  # (n,) 1 where the whole query is exactly a symbol's name, less for other spellings
    path_match: FloatArray  # (n,) 1 where the whole query is the file's path or its end
    unit_cosine: FloatArray  # (m,) cosine with the query; zeros without vectors
    history_match: FloatArray  # (n,) how far the subjects of the file's past commits say the query, in [0, 1)
    latent_cosine: FloatArray  # (n,) cosine with the query in the repository's own space, at least 0
    latent_vectors: FloatArray  # (n, dim) unit rows in that space; zeros for what it does not know
    is_compat: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))  # (n,)
    is_foreign: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))  # (n,)
    programming: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))  # (n,)
    learned: FloatArray = field(default_factory=lambda: np.zeros(0, np.float32))  # (n,) task memory's lift in [0, 1]
    standing: Standing = field(default_factory=Standing)

    @property
    def count(self) -> int:
        """n, the number of candidate files."""
        return len(self.paths)

    def best_of_units(self, values: FloatArray) -> FloatArray:
        """Return (n,) the largest value among each file's units, 0 for a file without units."""
        best = np.zeros(self.count, np.float32)
        np.maximum.at(best, self.unit_file, values.astype(np.float32))
        return best
