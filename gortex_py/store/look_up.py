"""Ask for many rows in one statement."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from gortex_py.errors import NotFound
from gortex_py.store.fts import storable
from gortex_py.store.schema import ORDINAL_BITS, ORDINALS


def json_list(values: Iterable[str]) -> str:
    """Return distinct values as the parameter of a json_each(?)."""
    return json.dumps([value for value in dict.fromkeys(values) if storable(value)])


def rows_at(connection: sqlite3.Connection, statement: str, places: Sequence[tuple[int, int]]) -> list[tuple[Any, ...]]:
    """Return the rows at (file id, ordinal), in that order, without their id.

    :param statement: names the id first, and takes ids by a json_each(?)
    :raises NotFound: when one is not there.
    """
    ids = [int(file_id) << ORDINAL_BITS | int(ordinal) for file_id, ordinal in places]
    found = {row[0]: row[1:] for row in connection.execute(statement, (json.dumps(ids),))}
    try:
        return [found[row_id] for row_id in ids]
    except KeyError as error:
        file_id, ordinal = divmod(int(error.args[0]), ORDINALS)
        raise NotFound(f"file {file_id} has nothing at {ordinal} in this state of the index") from error
