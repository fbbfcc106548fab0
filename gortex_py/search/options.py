"""How a repository is searched: what is switched on."""

from __future__ import annotations

from dataclasses import dataclass

from gortex_py.search.expansion import MAX_RELATED, Expander, TableLookup
from gortex_py.search.kin import PrefixKin
from gortex_py.search.mining import MinedConcepts
from gortex_py.text.concepts import NO_CONCEPTS, Concepts


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Switches of one engine; each expander has its own."""

    keyword_soup_rewrite: str = "split"  # "split", "nudge" or "off"
    without_signals: frozenset[str] = frozenset()  # names of signals that are left out of the sum
    vectors: bool = True  # False: by words alone, though there be an embedder
    shape: bool = True  # False: the vector channel has one share whatever the query's shape
    wording: bool = True  # False: a question and the tale of a change are weighed like any other query
    near_spellings: bool = True  # for terms that occur nowhere
    concepts: Concepts = NO_CONCEPTS
    prefix_kin: bool = True
    equivalence_classes: bool = True
    relatedness: bool = True
    mined_concepts: bool = False
    task_memory: bool = True  # whether the engine asks the task memory it was given
    git_history: bool = True
    latent: bool = True
    graph_signals: frozenset[str] = frozenset()  # keys of rank.profiles.GRAPH

    def expanders(self) -> tuple[Expander, ...]:
        """Return what is switched on, strongest first. The related words stand on the classes and go with them."""
        chosen: list[Expander] = []
        if self.prefix_kin:
            chosen.append(PrefixKin())
        if self.equivalence_classes:
            chosen.append(TableLookup(self.concepts.synonyms))
            if self.relatedness:
                chosen.append(TableLookup(self.concepts.related, most=MAX_RELATED))
            if self.mined_concepts:
                chosen.append(MinedConcepts())
        return tuple(chosen)
