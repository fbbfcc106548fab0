"""Find what a misspelt term was meant to be. Only terms that occur nowhere are rescued."""

from __future__ import annotations

from rapidfuzz import process
from rapidfuzz.distance import OSA

from gortex_py.protocols import StoreReader

MIN_CHARS = 4  # a shorter word is one edit away from too many others
LONG_CHARS = 8  # from here on two edits are still recognisable
MAX_RESCUED = 3
# Below every exact occurrence: a rescue is a guess.
WEIGHT = 0.6
WEIGHT_PER_EDIT = 0.1
# Misspellings keep the first letter nearly always; scanning one letter's terms bounds the cost.
PREFIX_CHARS = 1
MAX_SCANNED = 50_000


def near_terms(term: str, reader: StoreReader) -> list[tuple[str, int, float]]:
    """Return (term, number of files, weight) of the vocabulary's nearest terms, best first.

    Nearness is the optimal string alignment distance: insertions, deletions, substitutions and
    swaps of neighbours.
    """
    if len(term) < MIN_CHARS:
        return []
    allowed = 2 if len(term) >= LONG_CHARS else 1
    candidates = {
        found: files
        for found, files in reader.terms_with_prefix(term[:PREFIX_CHARS], MAX_SCANNED)
        if abs(len(found) - len(term)) <= allowed
    }
    near = process.extract(term, candidates.keys(), scorer=OSA.distance, score_cutoff=allowed, limit=None)
    ranked = sorted(near, key=lambda match: (match[1], -candidates[match[0]], match[0]))
    return [(found, candidates[found], WEIGHT - WEIGHT_PER_EDIT * edits) for found, edits, _ in ranked[:MAX_RESCUED]]
