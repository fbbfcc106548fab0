"""Names that files mention, and names that files define, as edges between the files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from gortex_py.graph.edges import KIND_NUMBER, Edges, Provenance, no_edges, summed
from gortex_py.graph.modules import MAX_TARGETS, Modules
from gortex_py.types import IntArray, ReferenceKind

# A name that more files define than this says nothing, unless an import or the directory tells which is meant.
MAX_DEFINERS = 3
MAX_LOOKED_AT = 32  # definers of a name that are looked at for that
SHORT_NAME = 3  # letters up to which a name alone is no evidence
MANY_USES = 2.0  # logarithm from which further mentions in one file add nothing

# Languages that call each other's code by its names.
FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        "cpp": "c",
        "objc": "c",
        "typescript": "javascript",
        "tsx": "javascript",
        "jsx": "javascript",
        "kotlin": "java",
        "scala": "java",
    }
)


@dataclass(frozen=True, slots=True)
class Mentions:
    """What n files define and mention, as columns; a file is a row, a name a number."""

    paths: tuple[str, ...]  # (n,)
    languages: tuple[str | None, ...]  # (n,)
    names: tuple[str, ...]  # the defined names
    definer: IntArray  # (d,) row of a file that defines ...
    defined: IntArray  # (d,) ... this name; each pair once, names ascending
    source: IntArray  # (m,) row of a file that mentions ...
    name: IntArray  # (m,) ... this name ...
    kind: NDArray[np.uint8]  # (m,) ... in this way, as an index in KINDS ...
    uses: IntArray  # (m,) ... so often
    imports: tuple[tuple[int, str], ...]  # (row, import as the source spells it)


def resolve(mentions: Mentions) -> Edges:
    """Return the edges between different files.

    A name means what its own file defines, else what an imported file does, else what the only
    other file of the directory does, else any of at most three files that do.
    """
    if not mentions.paths:
        return no_edges()
    families = tuple(FAMILIES.get(language or "", language or "") for language in mentions.languages)
    imports = _Imports(mentions, families)
    parts = (imports.edges, _name_edges(mentions, families, imports))
    return summed(
        Edges(
            np.concatenate([part.source for part in parts]),
            np.concatenate([part.target for part in parts]),
            np.concatenate([part.kind for part in parts]),
            np.concatenate([part.provenance for part in parts]),
            np.concatenate([part.weight for part in parts]),
        )
    )


class _Imports:
    """Which files each file imports."""

    def __init__(self, mentions: Mentions, families: Sequence[str]) -> None:
        modules = Modules(mentions.paths, families)
        self._files = len(mentions.paths)
        named: dict[int, set[int]] = {}
        pairs: dict[tuple[int, int], float] = {}
        for row, spelled in dict.fromkeys(mentions.imports):
            found = modules.named(row, spelled)
            if len(found) > MAX_TARGETS:
                continue
            named.setdefault(row, set()).update(found)
            for target in found:
                pairs[row, target] = max(pairs.get((row, target), 0.0), 1 / len(found))
        self._reach = self._reachable(named, modules.speaks)
        self.edges = _import_edges(pairs)

    def hold(self, source: IntArray, target: IntArray) -> NDArray[np.bool_]:
        """Say of each pair of rows whether the first file imports the second."""
        return np.isin(source * self._files + target, self._reach)

    def _reachable(self, named: Mapping[int, set[int]], speaks: Sequence[bool]) -> IntArray:
        """Return (pairs,) source * files + target; what a directory's speaker imports is imported with it."""
        found = set()
        for source, targets in named.items():
            beyond = (named.get(target, set()) for target in targets if speaks[target])
            found |= {source * self._files + target for target in targets.union(*beyond)}
        return np.array(sorted(found), np.int64)


def _import_edges(pairs: Mapping[tuple[int, int], float]) -> Edges:
    ends = np.array(list(pairs), np.int64).reshape(-1, 2)
    share = np.array(list(pairs.values()), np.float64)
    kind = np.full(len(ends), KIND_NUMBER[ReferenceKind.IMPORT], np.uint8)
    provenance = np.full(len(ends), Provenance.IMPORTED, np.uint8)
    return Edges(ends[:, 0], ends[:, 1], kind, provenance, np.log1p(share).astype(np.float32))


def _name_edges(mentions: Mentions, families: Sequence[str], imports: _Imports) -> Edges:
    """Return an edge for each mention and each file that it may mean."""
    begin = np.searchsorted(mentions.defined, np.arange(len(mentions.names) + 1))
    definers = np.diff(begin)[mentions.name] if len(mentions.name) else np.zeros(0, np.int64)
    looked_at = np.flatnonzero((definers > 0) & (definers <= MAX_LOOKED_AT))
    counts = definers[looked_at]
    entry = np.repeat(looked_at, counts)
    place = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    target = mentions.definer[begin[mentions.name[entry]] + place]
    source = mentions.source[entry]
    own = np.zeros(len(mentions.name), np.bool_)
    own[entry[source == target]] = True
    family = np.unique(np.array(families), return_inverse=True)[1]
    kept = ~own[entry] & (family[source] == family[target])
    entry, source, target = entry[kept], source[kept], target[kept]
    level, left = _nearest(mentions, imports, entry, source, target)
    chosen = left > 0
    entry, source, target, left, level = entry[chosen], source[chosen], target[chosen], left[chosen], level[chosen]
    weight = np.log1p(np.minimum(np.log1p(mentions.uses[entry]), MANY_USES) / left).astype(np.float32)
    return Edges(source, target, mentions.kind[entry], level, weight)


def _nearest(
    mentions: Mentions, imports: _Imports, entry: IntArray, source: IntArray, target: IntArray
) -> tuple[NDArray[np.uint8], IntArray]:
    """Return, for each pair of a mention and a definer, its provenance and how many pairs the mention keeps.

    That number is 0 for pairs that are not kept.
    """
    directory = np.unique(np.array([path.rpartition("/")[0] for path in mentions.paths]), return_inverse=True)[1]
    closeness = np.where(imports.hold(source, target), 2, (directory[source] == directory[target]).astype(np.int64))
    best = np.zeros(len(mentions.name), np.int64)
    np.maximum.at(best, entry, closeness)
    kept = closeness == best[entry]
    left = np.bincount(entry[kept], minlength=len(mentions.name))[entry]
    short = np.array([len(name) <= SHORT_NAME for name in mentions.names], np.bool_)[mentions.name[entry]]
    kept &= (left <= MAX_DEFINERS) & ~(short & (closeness == 0))
    alone = np.array([Provenance.UNIQUE, Provenance.PACKAGE, Provenance.IMPORTED], np.uint8)[closeness]
    # Several files that are all imported leave it as open as several that are not.
    level = np.where(left == 1, alone, np.uint8(Provenance.AMBIGUOUS)).astype(np.uint8)
    return level, np.where(kept, left, 0)
