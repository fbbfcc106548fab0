"""The engine as a user gets it who set nothing, composed for tests and benchmarks; no daemon."""

from __future__ import annotations

from dataclasses import replace

from gortex_py.embed.choose import EmbedOptions, choose_embedder
from gortex_py.evaluation.pipeline import LocalPipeline
from gortex_py.service.search_options import make_search_options
from gortex_py.settings.paths import bundled
from gortex_py.settings.schema import build_settings


def default_pipeline(*, git_history: bool = False) -> LocalPipeline:
    """Return a pipeline with the embedder that is taken where nothing is said.

    :param git_history: small corpora lie in this project's own work tree, whose commits must not move a ranking
    """
    choice = choose_embedder(EmbedOptions(), bundled("embeddings"))
    assert choice.embedder is not None, choice.problems
    options = replace(make_search_options(build_settings({}).search), git_history=git_history)
    return LocalPipeline(choice.embedder, search_options=options)
