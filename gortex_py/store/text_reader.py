"""The texts of files, by line, in one committed state."""

from __future__ import annotations

import sqlite3
import zlib
from typing import NamedTuple

import numpy as np

from gortex_py.errors import NotFound
from gortex_py.store.cache import StateCache
from gortex_py.types import IntArray

TEXT_CACHE_BYTES = 8 << 20


class _Text(NamedTuple):
    data: bytes
    line_starts: IntArray  # offset of the first byte of each line


class TextReader:
    """Reads texts; used inside a reader's state.

    A text is kept as bytes with the places of its line ends, since a page shows a few lines of each
    of ten files: to split and decode the whole of a long file for them is most of what showing costs.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._texts: StateCache[_Text] = StateCache(TEXT_CACHE_BYTES)

    def lines(self, generation: int, file_id: int, first: int, last: int) -> list[str]:
        """Return some lines without their ends: 1-based, ``last`` inclusive; fewer where the file has fewer.

        :raises NotFound: when there is no such file.
        """
        data, starts = self._read(generation, file_id)
        if first > len(starts):
            return []
        end = starts[last] - 1 if last < len(starts) else len(data)
        return data[starts[first - 1] : end].decode("utf-8", "surrogatepass").split("\n")

    def text(self, generation: int, file_id: int) -> str:
        """Return the whole text.

        :raises NotFound: when there is no such file.
        """
        return self._read(generation, file_id).data.decode("utf-8", "surrogatepass")

    def _read(self, generation: int, file_id: int) -> _Text:
        text = self._texts.get(generation, file_id)
        if text is None:
            row = self._connection.execute("SELECT text FROM sources WHERE file_id = ?", (int(file_id),)).fetchone()
            if row is None:
                raise NotFound(f"no file has the id {file_id} in this state of the index")
            data = zlib.decompress(row[0])
            ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
            text = _Text(data, np.concatenate([[0], ends + 1]))
            self._texts.put(generation, file_id, text, len(data) + text.line_starts.nbytes)
        return text
