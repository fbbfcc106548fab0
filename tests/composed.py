"""The engine as a user gets it, composed for tests and benchmarks: default settings, no daemon."""

from __future__ import annotations

from pathlib import Path

from gortex_py.evaluation.pipeline import LocalPipeline
from gortex_py.service.compose import build_embedder
from gortex_py.settings.load import load
from gortex_py.settings.paths import Paths


def default_pipeline(home: Path) -> LocalPipeline:
    """Return a pipeline with the settings of a user who set nothing; ``home`` is where theirs would lie."""
    return LocalPipeline(build_embedder(load(Paths.from_environment({}, home), {})))
