"""What each signal weighs, for code and for prose.

Fitted on 28 repositories with annotated questions and 25 with real commit subjects together,
so that neither kind of query pays for the other; see docs/ranking.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from types import MappingProxyType

from gortex_py.rank.evidence import Question


@dataclass(frozen=True, slots=True)
class Weight:
    """A signal's weight, which may depend on the query."""

    base: float
    ask: float = 0.0  # added when the query asks
    tell: float = 0.0  # added when it tells of a change: then it uses the code's own words
    is_scaled: bool = False
    # Text signals are shares of the query's mass, so a long query's are small; they are scaled by
    # the root of the mass, or the undivided priors would drown them.


# Idf mass of a typical long query; there the scale is 1.
TYPICAL_MASS = 12.0

# Larger than all other signals together, so that an exact name is never below anything else.
CERTAIN = 40.0

# The most that habit adds, after nine selections: as much as the best directory, less than any exact name.
# Three selections add 0.9, which is a usual distance between neighbours of a page.
MEMORY = 6.0

CODE: Mapping[str, Weight] = MappingProxyType(
    {
        "exact_name": Weight(CERTAIN),
        "exact_path": Weight(CERTAIN),
        "stem_f1": Weight(2.0, ask=-0.3),
        "stem_precision": Weight(0.7, ask=0.7),
        "stem_equal": Weight(0.8),
        "directory": Weight(5.8, is_scaled=True),
        "path_and_names": Weight(1.1, is_scaled=True),
        "defined_identifier": Weight(0.8, ask=2.0),
        "defined_word": Weight(0.9),
        "doc": Weight(1.1, is_scaled=True),
        "body": Weight(4.6, ask=-1.0, is_scaled=True),
        "coverage": Weight(1.8, ask=0.2, is_scaled=True),
        "pairs": Weight(2.5, is_scaled=True),
        "line_pairs": Weight(1.6, is_scaled=True),
        "window": Weight(0.7, is_scaled=True),
        "cosine": Weight(3.0, tell=-2.0),
        "history": Weight(3.6, tell=1.4),  # past subjects tell of changes, too
        "latent": Weight(1.2),
        "feedback": Weight(1.2, ask=1.5),
        "programming": Weight(2.9),
        "test": Weight(-3.8),
        "example": Weight(-2.4),
        "docs": Weight(-2.6),
        "config": Weight(-2.9),
        "generated": Weight(-1.2),
        "vendored": Weight(-1.2),
        "compat": Weight(-2.6),
        "foreign": Weight(-1.6),
        "depth": Weight(-0.15, ask=-0.5),
        "size": Weight(0.24),
        "memory": Weight(MEMORY),
    }
)

# From the graph. None pays on either kind of query (docs/ranking.md), so none is on unless asked for;
# these are the weights that cost least.
GRAPH: Mapping[str, Weight] = MappingProxyType(
    {
        "centrality": Weight(0.25),
        "authority": Weight(0.3),
        "provenance": Weight(0.2),
        "bases": Weight(0.35),
        "imports": Weight(0.25),
        "proximity": Weight(0.25),
    }
)

# What a page is called and where it lies says little of what it explains: its best section, the page as a whole and
# their meaning are what counts. Names only break ties.
PROSE: Mapping[str, Weight] = MappingProxyType(
    {
        "exact_name": Weight(CERTAIN),
        "exact_path": Weight(CERTAIN),
        "stem_f1": Weight(0.3),
        "directory": Weight(0.2, is_scaled=True),
        "body": Weight(4.6, is_scaled=True),
        "page": Weight(1.5, is_scaled=True),
        "pairs": Weight(0.5, is_scaled=True),
        "cosine": Weight(1.5),
        "memory": Weight(MEMORY),
    }
)


def weight_for(weight: Weight, question: Question) -> float:
    """Return what a weight is for one query."""
    value = weight.base + (weight.ask if question.asks else 0.0) + (weight.tell if question.is_telling else 0.0)
    return value * sqrt(question.mass / TYPICAL_MASS) if weight.is_scaled else value
