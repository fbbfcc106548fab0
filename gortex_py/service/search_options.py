"""What the settings say of searching, as the engine takes it."""

from __future__ import annotations

from functools import cache

from gortex_py.rank.profiles import GRAPH
from gortex_py.search.options import SearchOptions
from gortex_py.settings.paths import bundled
from gortex_py.settings.schema import SearchSettings
from gortex_py.text.concepts import Concepts, read_concepts


def make_search_options(settings: SearchSettings) -> SearchOptions:
    """Return the options of an engine, with the shipped concepts and the extra ones.

    :raises NotFound: when the installation lacks its word data.
    """
    return SearchOptions(
        keyword_soup_rewrite=settings.keyword_soup_rewrite,
        concepts=_shipped().with_extra(settings.equivalence_extra),
        equivalence_classes=settings.equivalence_classes,
        mined_concepts=settings.mined_concepts,
        task_memory=settings.task_memory,
        git_history=settings.git_history,
        latent=settings.latent,
        graph_signals=frozenset(GRAPH) if settings.graph else frozenset(),
    )


@cache
def _shipped() -> Concepts:
    return read_concepts(bundled("data"))
