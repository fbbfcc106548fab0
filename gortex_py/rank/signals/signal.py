"""What a signal is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gortex_py.rank.evidence import Evidence, Question
from gortex_py.types import FloatArray


@dataclass(frozen=True, slots=True)
class Signal:
    """A named reason why a file may be the answer.

    ``score`` returns (n,) float32, one value a candidate, higher for better evidence; a signal
    without its facts returns zeros. It must not depend on the order of the candidates.
    """

    name: str  # stable: a profile's key, a docs heading, a column of the golden files
    help: str  # one sentence
    score: Callable[[Question, Evidence], FloatArray]
