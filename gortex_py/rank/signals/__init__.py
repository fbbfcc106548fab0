"""The signals, one module a family. Each scores all candidates at once and knows no other."""

from __future__ import annotations

from gortex_py.rank.signals.graph import GRAPH_SIGNALS
from gortex_py.rank.signals.history import HISTORY_SIGNALS
from gortex_py.rank.signals.latent import LATENT_SIGNALS
from gortex_py.rank.signals.memory import MEMORY_SIGNALS
from gortex_py.rank.signals.names import NAME_SIGNALS
from gortex_py.rank.signals.path import PATH_SIGNALS
from gortex_py.rank.signals.signal import Signal
from gortex_py.rank.signals.text import TEXT_SIGNALS
from gortex_py.rank.signals.vector import VECTOR_SIGNALS

SIGNALS: tuple[Signal, ...] = (
    *NAME_SIGNALS,
    *TEXT_SIGNALS,
    *VECTOR_SIGNALS,
    *LATENT_SIGNALS,
    *HISTORY_SIGNALS,
    *PATH_SIGNALS,
    *GRAPH_SIGNALS,
    *MEMORY_SIGNALS,
)

__all__ = ["SIGNALS", "Signal"]
