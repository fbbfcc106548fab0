"""The subjects of past commits as arrays: encoded, decoded, carried on, and asked for words.

c is the number of commits, newest first, p of the files they touched, t of distinct terms.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log

import numpy as np
from numpy.typing import NDArray

from gortex_py.history.log import MAX_COMMITS, Commit, Log
from gortex_py.text.stopwords import STOP_WORDS
from gortex_py.text.tokens import identifier_terms, term_key, words
from gortex_py.types import FloatArray

HISTORY = "history"  # what the store calls it

# Saturation and length normalisation of a file's bag of subjects.
K1 = 0.6
B = 0.6

_MAGIC = b"gortex-history-1\n"
_ARRAYS = ("<u8", "<u4", "<u2", "<u4", "<u4")  # keys, key_bounds, mentions, file_bounds, files


@dataclass(frozen=True, slots=True)
class History:
    """Which commits' subjects say a term, and which files each commit touched."""

    head: str  # id of the newest commit
    paths: tuple[str, ...]  # (p,)
    keys: NDArray[np.uint64]  # (t,) term keys, ascending
    key_bounds: NDArray[np.uint32]  # (t + 1,)
    mentions: NDArray[np.uint16]  # commits that say each term, ascending, key by key
    file_bounds: NDArray[np.uint32]  # (c + 1,)
    files: NDArray[np.uint32]  # indexes into paths, commit by commit

    @property
    def count(self) -> int:
        """c, the number of commits."""
        return len(self.file_bounds) - 1


@dataclass(frozen=True, slots=True)
class Subjects:
    """A history made ready to be asked."""

    history: History
    row: Mapping[str, int]  # path -> index
    commit: NDArray[np.intp]  # of each touch of a file
    weight: NDArray[np.float64]  # of each touch: a subject counts for less the more files share it
    lengths: NDArray[np.float64]  # (p,) weighted terms in each file's bag

    def match(self, terms: Sequence[str], paths: Sequence[str]) -> FloatArray:
        """Return (n,) how far the subjects of each file's commits say the terms, in [0, 1).

        BM25's term weight over each file's bag of subjects, as a share of the terms' rarity among commits.
        """
        history = self.history
        local = np.full(len(history.paths) + 1, -1, np.intp)
        rows = [self.row.get(path, -1) for path in paths]
        local[rows] = np.arange(len(paths))
        local[-1] = -1
        chosen = (local[history.files] >= 0).nonzero()[0]
        if not len(chosen) or not terms:
            return np.zeros(len(paths), np.float32)
        file, commit, weight = local[history.files[chosen]], self.commit[chosen], self.weight[chosen]
        lengths = np.append(self.lengths, 0.0)[rows]
        norm = K1 * (1 - B + B * lengths / max(1e-9, float(self.lengths.mean())))
        score, mass = np.zeros(len(paths)), 0.0
        says = np.zeros(history.count, np.bool_)
        for said in self._mentions(terms):
            rarity = log(1 + (history.count - len(said) + 0.5) / (len(said) + 0.5))
            mass += rarity
            if len(said):
                says[said] = True
                hit = says[commit]
                says[said] = False
                counts = np.bincount(file[hit], weight[hit], len(paths))
                score += rarity * counts / (counts + norm)
        share: FloatArray = (score / max(mass, 1e-9)).astype(np.float32)
        return share

    def _mentions(self, terms: Sequence[str]) -> list[NDArray[np.uint16]]:
        """Return for each term the commits that say it."""
        history = self.history
        wanted = np.array([term_key(term) for term in terms], np.uint64)
        places = history.keys.searchsorted(wanted).tolist()
        return [
            history.mentions[history.key_bounds[at] : history.key_bounds[at + 1]]
            if at < len(history.keys) and history.keys[at] == key
            else history.mentions[:0]
            for at, key in zip(places, wanted, strict=True)
        ]


def build(head: str, log: Log) -> History:
    """Return a history of what was read."""
    commits = log.commits[:MAX_COMMITS]
    rows: dict[str, int] = {}
    files = [[rows.setdefault(path, len(rows)) for path in dict.fromkeys(commit.paths)] for commit in commits]
    said = [_keys(commit) for commit in commits]
    key = np.fromiter(chain.from_iterable(said), np.uint64)
    commit = np.repeat(np.arange(len(commits)), [len(keys) for keys in said])
    sizes = np.array([len(row) for row in files], np.int64)
    return _assemble(head, tuple(rows), (key, commit), (np.fromiter(chain.from_iterable(files), np.int64), sizes))


def carry_on(before: History, head: str, log: Log) -> History:
    """Return a history with newer commits before those of an older one, the oldest dropped past the bound."""
    newer = build(head, log)
    rows = {path: row for row, path in enumerate(newer.paths)}
    # A file that was moved out of the folder keeps its old name: nothing has it, so it is never asked for.
    names = [log.renamed.get(path) or path for path in before.paths]
    moved = np.array([rows.setdefault(name, len(rows)) for name in names], np.int64)
    kept = min(before.count, MAX_COMMITS - newer.count)
    key, commit = _pairs(before)
    old = commit < kept
    sizes = np.diff(before.file_bounds)[:kept].astype(np.int64)
    files = moved[before.files[: before.file_bounds[kept]]]
    newer_key, newer_commit = _pairs(newer)
    return _assemble(
        head,
        tuple(rows),
        (np.concatenate([newer_key, key[old]]), np.concatenate([newer_commit, commit[old] + newer.count])),
        (np.concatenate([newer.files, files]), np.concatenate([np.diff(newer.file_bounds), sizes])),
    )


def _keys(commit: Commit) -> list[int]:
    meant = (word for word in words(commit.subject) if word.lower() not in STOP_WORDS)
    said = dict.fromkeys(term for word in meant for term in identifier_terms(word))
    return [term_key(term) for term in said]


def _pairs(history: History) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return each (term key, commit) by itself."""
    return np.repeat(history.keys, np.diff(history.key_bounds)), history.mentions.astype(np.int64)


def _assemble(
    head: str,
    paths: tuple[str, ...],
    said: tuple[NDArray[np.uint64], NDArray[np.int64]],
    touched: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> History:
    """Return the history of (keys, commits) of what was said, and (files, how many of each commit)."""
    order = np.lexsort((said[1], said[0]))
    keys, starts = np.unique(said[0][order], return_index=True)
    files, sizes = touched
    used, renumbered = np.unique(files, return_inverse=True)
    return History(
        head=head,
        paths=tuple(paths[row] for row in used.tolist()),
        keys=keys,
        key_bounds=np.append(starts, len(order)).astype(np.uint32),
        mentions=said[1][order].astype(np.uint16),
        file_bounds=np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32),
        files=renumbered.astype(np.uint32),
    )


def encode(history: History) -> bytes:
    """Return a history as bytes."""
    arrays = (history.keys, history.key_bounds, history.mentions, history.file_bounds, history.files)
    head = {"head": history.head, "sizes": [len(array) for array in arrays]}
    packed = [np.ascontiguousarray(array, kind).tobytes() for array, kind in zip(arrays, _ARRAYS, strict=True)]
    paths = zlib.compress("\0".join(history.paths).encode(), 1)
    return b"".join((_MAGIC, json.dumps(head).encode(), b"\n", *packed, paths))


def decode(data: bytes) -> History | None:
    """Return the history in bytes; None for bytes that another version wrote."""
    if not data.startswith(_MAGIC):
        return None
    end = data.index(b"\n", len(_MAGIC))
    head = json.loads(data[len(_MAGIC) : end])
    offset, arrays = end + 1, []
    for kind, size in zip(_ARRAYS, head["sizes"], strict=True):
        # Copied, since the arrays do not begin where the processor would have them begin.
        arrays.append(np.frombuffer(data, kind, size, offset).copy())
        offset += arrays[-1].nbytes
    text = zlib.decompress(data[offset:]).decode()
    return History(head["head"], tuple(text.split("\0")) if text else (), *arrays)


def decode_subjects(data: bytes) -> Subjects | None:
    """Return the history in bytes, ready to be asked; None where there is nothing to ask."""
    history = decode(data)
    return prepare(history) if history is not None and history.count else None


def prepare(history: History) -> Subjects:
    """Return a history made ready to be asked."""
    sizes = np.diff(history.file_bounds).astype(np.int64)
    weight = np.repeat(1 / np.sqrt(np.maximum(1, sizes)), sizes)
    said = np.bincount(history.mentions, minlength=history.count)
    commit = np.repeat(np.arange(history.count), sizes)
    lengths = np.bincount(history.files, weight * said[commit], len(history.paths)).astype(np.float64)
    row = {path: i for i, path in enumerate(history.paths)}
    return Subjects(history, row, commit, weight, lengths)
