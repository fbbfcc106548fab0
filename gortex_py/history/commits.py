"""The subjects of past commits as arrays: encoded, decoded, carried on, and asked for words.

c is the number of commits, newest first, p of the files they touched, t of distinct terms.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

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
    starts: NDArray[np.intp]  # (p + 2,) where each file's touches begin; the last file is none, without any
    commit: NDArray[np.intp]  # of each touch, file by file
    weight: NDArray[np.float64]  # of each touch: a subject counts for less the more files share it
    lengths: NDArray[np.float64]  # (p + 1,) weighted terms in each file's bag
    mean_length: float

    def match(self, terms: Sequence[str], paths: Sequence[str]) -> FloatArray:
        """Return (n,) how far the subjects of each file's commits say the terms, in [0, 1).

        BM25's term weight over each file's bag of subjects, as a share of the terms' rarity among commits.
        """
        count, none = self.history.count, len(self.history.paths)
        rows = np.array([self.row.get(path, none) for path in paths], np.intp)
        begin = self.starts[rows]
        sizes = self.starts[rows + 1] - begin
        ends = sizes.cumsum()
        if not terms or not len(ends) or not ends[-1]:
            return np.zeros(len(paths), np.float32)
        file = np.arange(len(paths)).repeat(sizes)
        touch = np.arange(ends[-1]) + (begin - ends + sizes).repeat(sizes)
        commit, weight = self.commit[touch], self.weight[touch]
        said, commits = self._mentions(terms)
        rarity = np.log(1 + (count - said + 0.5) / (said + 0.5))
        says = np.zeros((len(terms), count), np.bool_)
        says[np.arange(len(terms)).repeat(said), commits] = True
        term, hit = says[:, commit].nonzero()
        counts = np.bincount(term * len(paths) + file[hit], weight[hit], len(terms) * len(paths))
        counts = counts.reshape(len(terms), len(paths))
        norm = K1 * (1 - B + B * self.lengths[rows] / self.mean_length)
        # Summed term by term, as in a question's own shares, so that equal files stay equal.
        share: FloatArray = ((rarity[:, None] * (counts / (counts + norm))).sum(axis=0) / rarity.sum()).astype(
            np.float32
        )
        return share

    def _mentions(self, terms: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
        """Return how many commits say each term, and which, term by term."""
        history = self.history
        wanted = np.array([term_key(term) for term in terms], np.uint64)
        begin = history.key_bounds[history.keys.searchsorted(wanted)].tolist()
        end = history.key_bounds[history.keys.searchsorted(wanted, "right")].tolist()
        spans = [history.mentions[first:last] for first, last in zip(begin, end, strict=True)]
        return np.array([len(span) for span in spans], np.int64), np.concatenate(spans)


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
    by_file = np.argsort(history.files, kind="stable")
    commit = np.repeat(np.arange(history.count), sizes)[by_file]
    weight = (1 / np.sqrt(np.maximum(1, sizes)))[commit]
    files = len(history.paths)
    starts = np.zeros(files + 2, np.intp)
    np.cumsum(np.bincount(history.files, minlength=files + 1), out=starts[1:])
    said = np.bincount(history.mentions, minlength=history.count)
    lengths = np.bincount(history.files[by_file], weight * said[commit], files + 1).astype(np.float64)
    row = {path: i for i, path in enumerate(history.paths)}
    return Subjects(history, row, starts, commit, weight, lengths, max(1e-9, float(lengths.sum()) / max(1, files)))
