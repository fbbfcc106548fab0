"""The vector channel's look-ups in one committed state."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from gortex_py.store.cache import StateCache
from gortex_py.store.meta import read_meta, vector_state
from gortex_py.store.schema import ORDINAL_BITS, ORDINALS, id_range
from gortex_py.store.vectors import VectorRows, VectorState, best_rows, cosines, map_rows, unit_vector
from gortex_py.types import Corpus, FloatArray, IntArray

PLACE_CACHE_BYTES = 2 << 20

_UNITS_OF_ROWS = f"""
SELECT v.row, u.id
FROM json_each(?) AS wanted CROSS JOIN vectors AS v ON v.row = wanted.value
CROSS JOIN units AS u ON u.text_hash = v.text_hash
CROSS JOIN files AS f ON f.id = u.id >> {ORDINAL_BITS}
WHERE (f.category = 'docs') IN (SELECT value FROM json_each(?))
"""
_VECTOR_ROWS = """
SELECT ifnull(v.row, -1) FROM units AS u LEFT JOIN vectors AS v ON v.text_hash = u.text_hash
WHERE u.id BETWEEN ? AND ? ORDER BY u.id
"""
_CORPUS_IS_DOCS: Mapping[Corpus, str] = {Corpus.CODE: "[0]", Corpus.DOCS: "[1]", Corpus.ALL: "[0, 1]"}


class VectorReader:
    """Finds units by their vectors; used inside a reader's state."""

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self._connection = connection
        self._folder = folder
        self._mapped: tuple[VectorState, VectorRows] | None = None
        self._places: StateCache[IntArray] = StateCache(PLACE_CACHE_BYTES)
        self._scored: tuple[VectorState, bytes, FloatArray] | None = None

    def close(self) -> None:
        """Let go of the mapped vectors."""
        self._mapped = self._scored = None

    def search(self, vector: FloatArray, corpus: Corpus, limit: int) -> tuple[IntArray, IntArray, FloatArray]:
        """Return (file ids, unit ordinals, cosines), best first, equal ones by id; empty without vectors.

        Units that equal the last one come along: which of them are taken must not hang on their ids,
        which tell in what order files were indexed.
        """
        scores = self._scores(vector)
        if not len(scores) or limit < 1:
            return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32)
        taken = limit
        while True:
            best = best_rows(scores, taken)
            found = self._connection.execute(
                _UNITS_OF_ROWS, (json.dumps(best.tolist()), _CORPUS_IS_DOCS[corpus])
            ).fetchall()
            # Rows without a unit in this corpus leave gaps: look further down.
            if len(found) >= limit or taken >= len(scores):
                break
            taken *= 4
        pairs = np.array(found, np.int64).reshape(-1, 2)
        order = np.lexsort((pairs[:, 1], -scores[pairs[:, 0]]))
        ordered = scores[pairs[order, 0]]
        order = order[ordered >= ordered[:limit].min(initial=np.inf)]
        ids = pairs[order, 1]
        return ids >> ORDINAL_BITS, ids & ORDINALS - 1, scores[pairs[order, 0]]

    def unit_cosines(self, generation: int, file_ids: Sequence[int], vector: FloatArray) -> list[FloatArray]:
        """Return the cosine of each unit of each file; 0 where a unit has no vector."""
        scores = self._scores(vector)
        places = [self._unit_rows(generation, int(file_id)) for file_id in file_ids]
        flat = np.concatenate(places) if places else np.empty(0, np.int64)
        result = np.zeros(len(flat), np.float32)
        if len(scores):
            known = np.flatnonzero(flat >= 0)
            result[known] = scores[flat[known]]
        return np.split(result, np.cumsum([len(place) for place in places])[:-1]) if places else []

    def _unit_rows(self, generation: int, file_id: int) -> IntArray:
        """Return the vector row of each of a file's units, -1 where there is none."""
        places = self._places.get(generation, file_id)
        if places is None:
            found = self._connection.execute(_VECTOR_ROWS, id_range(file_id)).fetchall()
            places = np.array([row for (row,) in found], np.int64)
            self._places.put(generation, file_id, places, places.nbytes)
        return places

    def _scores(self, vector: FloatArray) -> FloatArray:
        """Return the cosine of every row of this state; those of the last vector are kept, as a query asks twice."""
        state, rows = self._rows()
        key = vector.tobytes()
        if self._scored is None or self._scored[:2] != (state, key):
            unit = unit_vector(vector, state.dim)
            scores = cosines(rows, unit) if unit is not None else np.empty(0, np.float32)
            self._scored = state, key, scores
        return self._scored[2]

    def _rows(self) -> tuple[VectorState, VectorRows]:
        """Return what is recorded of the vectors in this state, and their mapped rows."""
        state = vector_state(read_meta(self._connection))
        if self._mapped is None or self._mapped[0] != state:
            self._mapped = state, map_rows(self._folder, state)
        return self._mapped
