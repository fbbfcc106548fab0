"""Read labelled queries: a manifest of corpora, each with its queries and their targets."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gortex_py.errors import UsageError
from gortex_py.evaluation.metrics import Place

MANIFEST_SHAPE = "[{name, language, root, queries: [{query, category, relevant, secondary}]}]"


@dataclass(frozen=True, slots=True)
class Task:
    """One labelled query."""

    query: str
    category: str
    targets: tuple[Place, ...]  # absolute paths; relevant and secondary alike, relevant first


@dataclass(frozen=True, slots=True)
class CorpusTasks:
    """One corpus with its queries."""

    name: str
    language: str
    root: Path  # absolute; what is indexed
    revision: str
    pinned: bool  # False: the tree is not the one that was labelled
    tasks: tuple[Task, ...]
    missing: tuple[str, ...]  # targets that no file on disk matches; they count as not found


def load_manifest(path: Path, corpora_folder: Path | None = None) -> tuple[CorpusTasks, ...]:
    """Return the corpora of a manifest, every target resolved to the file it means.

    :param corpora_folder: what a relative ``root`` is relative to; None is the manifest's folder

    :raises UsageError: when the file is no manifest, or a root is not there.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read the manifest {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise UsageError(f"the manifest {path} is not JSON: {error}") from error
    if not isinstance(raw, list) or not raw:
        raise UsageError(f"the manifest {path} must be a list of at least one corpus: {MANIFEST_SHAPE}")
    base = corpora_folder or path.parent
    corpora = tuple(
        _corpus(entry, f"the manifest {path}, corpus {number}", base) for number, entry in enumerate(raw, 1)
    )
    names = [corpus.name for corpus in corpora]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"the manifest {path} names the corpus {twice[0]!r} more than once")
    return corpora


def _corpus(entry: Any, where: str, base: Path) -> CorpusTasks:
    if not isinstance(entry, Mapping):
        raise UsageError(f"{where} must be an object: {MANIFEST_SHAPE}")
    name = _text(entry, "name", where)
    where = f"{where} ({name})"
    root = Path(os.path.abspath(base / _text(entry, "root", where)))  # noqa: PTH100 - keeps links as named
    if not root.is_dir():
        raise UsageError(f"{where}: the folder {root} does not exist; lay out the corpora first")
    queries = entry.get("queries")
    if not isinstance(queries, list) or not queries:
        raise UsageError(f"{where} must have a list of at least one query")
    labelled = [_labelled(query, f"{where}, query {i}") for i, query in enumerate(queries, 1)]
    holder = extraction_root(root, [place.path for _, _, places in labelled for place in places])
    resolver = _Resolver(root, holder)
    return CorpusTasks(
        name=name,
        language=_text(entry, "language", where),
        root=root,
        revision=str(entry.get("revision", "")),
        pinned=bool(entry.get("pinned", True)),
        tasks=tuple(Task(text, kind, tuple(map(resolver.resolve, places))) for text, kind, places in labelled),
        missing=tuple(sorted(resolver.missing)),
    )


def _labelled(raw: Any, where: str) -> tuple[str, str, tuple[Place, ...]]:
    if not isinstance(raw, Mapping):
        raise UsageError(f"{where} must be an object with query, category, relevant and secondary")
    targets = [*_listed(raw, "relevant", where), *_listed(raw, "secondary", where)]
    if not targets:
        raise UsageError(f"{where} has no target: relevant and secondary are both empty")
    return _text(raw, "query", where), _text(raw, "category", where), tuple(_place(t, where) for t in targets)


def _place(raw: Any, where: str) -> Place:
    if isinstance(raw, str) and raw:
        return Place(raw)
    if isinstance(raw, Mapping) and isinstance(raw.get("path"), str):
        start, end = raw.get("start_line"), raw.get("end_line")
        if start is None and end is None:
            return Place(raw["path"])
        if isinstance(start, int) and isinstance(end, int) and 1 <= start <= end:
            return Place(raw["path"], start, end)
    raise UsageError(f"{where}: a target is a path, or {{path, start_line, end_line}} with lines from 1, not {raw!r}")


def _text(raw: Mapping[str, Any], key: str, where: str) -> str:
    value = raw.get(key)
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{where} needs a non-empty text {key!r}")
    return value


def _listed(raw: Mapping[str, Any], key: str, where: str) -> list[Any]:
    value = raw.get(key, [])
    if not isinstance(value, list):
        raise UsageError(f"{where}: {key!r} must be a list of targets")
    return value


# --- which file a target means ------------------------------------------------------------


def extraction_root(root: Path, paths: list[str]) -> Path:
    """Return the folder the targets are relative to: the root or the parent of it that holds most of them.

    A manifest's targets are relative to the repository, while its root may be a folder inside
    it; so the outermost folder wins a tie (``shop/shop/pay.py`` beside ``shop/pay.py``). Without
    any target on disk it is the root itself.
    """
    wanted = set(paths)
    held = {folder: sum((folder / path).is_file() for path in wanted) for folder in (*reversed(root.parents), root)}
    best = max(held, key=lambda folder: held[folder])
    return best if held[best] else root


class _Resolver:
    """Resolves the targets of one corpus; lists the tree at most once."""

    def __init__(self, root: Path, base: Path) -> None:
        self._root = root
        self._base = base
        self._files: list[str] | None = None
        self.missing: set[str] = set()

    def resolve(self, place: Place) -> Place:
        """Return the place with an absolute path: exact, else below the root, else the only file that ends so."""
        for candidate in (self._base / place.path, self._root / place.path):
            if candidate.is_file():
                return Place(str(candidate), place.start_line, place.end_line)
        endings = [file for file in self._listing() if file.endswith(f"/{place.path}")]
        if len(endings) == 1:
            return Place(endings[0], place.start_line, place.end_line)
        self.missing.add(place.path)
        return Place(str(self._base / place.path), place.start_line, place.end_line)

    def _listing(self) -> list[str]:
        # Only the indexed tree: when no target lies on disk the base says nothing, and nothing
        # outside the root can be a hit anyway.
        if self._files is None:
            self._files = [str(file) for file in sorted(self._root.rglob("*")) if file.is_file()]
        return self._files
