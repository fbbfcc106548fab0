"""Every feature of the ranking that can be measured by switching it. A new one is one line here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gortex_py.errors import UsageError
from gortex_py.rank.signals import SIGNALS
from gortex_py.rank.signals.path import PATH_SIGNALS
from gortex_py.search.options import SearchOptions

Change = Callable[[SearchOptions], SearchOptions]


@dataclass(frozen=True, slots=True)
class Feature:
    """A part of the ranking, and how it is switched: off when it is on by default, else on."""

    name: str
    help: str  # one sentence
    change: Change
    is_added: bool = False  # off by default, so that it is measured by switching it on
    spreads: bool = False  # the answer's further places of a file become hits of their own


def _switch(**switches: Any) -> Change:
    return lambda options: replace(options, **switches)


def _without(*signals: str) -> Change:
    return lambda options: replace(options, without_signals=options.without_signals | frozenset(signals))


_STEM = ("stem_f1", "stem_precision", "stem_equal")
_DIRECTORIES = ("directory", "path_and_names")
_DEFINITIONS = ("defined_identifier", "defined_word")
_EXACT = ("exact_name", "exact_path")
_BEST_UNIT = ("body", "coverage")
_PRIORS = tuple(signal.name for signal in PATH_SIGNALS)
_NO_EXPANSION = _switch(prefix_kin=False, equivalence_classes=False, relatedness=False, mined_concepts=False)


def _words_alone(options: SearchOptions) -> SearchOptions:
    return replace(_NO_EXPANSION(options), vectors=False, latent=False)


FEATURES: tuple[Feature, ...] = (
    Feature("path priors", "What kind of file it is, how deep and how long.", _without(*_PRIORS)),
    Feature("stem signals", "The file's name against the query's words.", _without(*_STEM)),
    Feature("directory signals", "The file's directories against the query's words.", _without(*_DIRECTORIES)),
    Feature("definitions", "A word of the query is defined in the file.", _without(*_DEFINITIONS)),
    Feature("exact names", "The whole query is a name or a path.", _without(*_EXACT)),
    Feature("doc", "Comments and docstrings.", _without("doc")),
    Feature("best-unit signals", "How much of the query one definition holds.", _without(*_BEST_UNIT)),
    Feature("pairs", "Neighbouring words of the query as one identifier.", _without("pairs")),
    Feature("expansion", "Every kind of other words for those of the query.", _NO_EXPANSION),
    Feature("prefix kin", "Words of one root that the stemmer keeps apart.", _switch(prefix_kin=False)),
    Feature("equivalences", "The tables of concepts.", _switch(equivalence_classes=False)),
    Feature("related words", "The weaker layer of those tables.", _switch(relatedness=False)),
    Feature("near spellings", "Rescue of a word that occurs nowhere.", _switch(near_spellings=False)),
    Feature("vectors", "Static vectors, as a channel and as a signal.", _switch(vectors=False)),
    Feature("latent space", "Which words go together in this repository.", _switch(latent=False)),
    Feature("git history", "Subjects of past commits that touched a file.", _switch(git_history=False)),
    Feature("cosine signal", "Vectors in the sum, beside the channel.", _without("cosine")),
    Feature("shape", "The channels' shares follow the query's shape.", _switch(shape=False)),
    Feature("wording", "Questions and tales of a change are weighed apart.", _switch(wording=False)),
    Feature("keyword soup", "Lists of keywords are read as such.", _switch(keyword_soup_rewrite="off")),
    Feature("one hit per file", "A file stands once on a page.", lambda options: options, spreads=True),
    Feature("expansion and vectors", "Every vector and all other words than the query's.", _words_alone),
    Feature("mined concepts", "Words that stand together here.", _switch(mined_concepts=True), is_added=True),
)


def find_features(names: Sequence[str]) -> tuple[Feature, ...]:
    """Return the features of these names, all of FEATURES for none; a signal's name is one, too.

    :raises UsageError: for a name that is neither.
    """
    if not names:
        return FEATURES
    known = {signal.name: Feature(signal.name, signal.help, _without(signal.name)) for signal in SIGNALS}
    known |= {feature.name: feature for feature in FEATURES}
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"there is no feature {unknown[0]!r}; there are {', '.join(sorted(known))}")
    return tuple(known[name] for name in names)
