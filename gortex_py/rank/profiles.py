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
CERTAIN = 50.0

# The most that habit adds, after nine selections: as much as the best directory, less than any exact name.
# Three selections add 0.9, which is a usual distance between neighbours of a page.
MEMORY = 6.0

CODE: Mapping[str, Weight] = MappingProxyType(
    {
        "exact_name": Weight(CERTAIN),
        "exact_path": Weight(CERTAIN),
        "stem_f1": Weight(1.64, ask=0.36),
        "stem_precision": Weight(0.34, ask=0.79),
        "stem_equal": Weight(1.01),
        "directory": Weight(5.63, is_scaled=True),
        "path_and_names": Weight(0.65, is_scaled=True),
        "defined_identifier": Weight(0.89, ask=1.82),
        "defined_word": Weight(1.12),
        "doc": Weight(1.66, is_scaled=True),
        "body": Weight(4.08, ask=-0.79, is_scaled=True),
        "coverage": Weight(1.57, ask=0.39, is_scaled=True),
        "pairs": Weight(4.34, is_scaled=True),
        "line_pairs": Weight(1.64, is_scaled=True),
        "window": Weight(0.74, is_scaled=True),
        "cosine": Weight(3.67, tell=-1.38),
        "history": Weight(4.31, tell=1.19),  # past subjects tell of changes, too
        "latent": Weight(0.95),
        "feedback": Weight(0.78, ask=1.48),
        "programming": Weight(4.07),
        "test": Weight(-4.67),
        "example": Weight(-2.58),
        "docs": Weight(-2.6),
        "config": Weight(-3.24),
        "generated": Weight(-1.48),
        "vendored": Weight(-1.2),
        "compat": Weight(-2.36),
        "foreign": Weight(-1.84),
        "depth": Weight(-0.13, ask=-0.89),
        "size": Weight(0.23),
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
