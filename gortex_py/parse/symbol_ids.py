"""Spell symbol ids; nothing else in the project does."""

from __future__ import annotations

from gortex_py.types import SymbolId


class SymbolIds:
    """Hand out the ids of one file's symbols, in document order.

    >>> ids = SymbolIds("app/api.py")
    >>> ids.take("Router.add"), ids.take("Router.add")
    ('app/api.py::Router.add', 'app/api.py::Router.add~2')
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._taken: dict[str, int] = {}

    def take(self, qualified_name: str) -> SymbolId:
        """Return the id of the next symbol with that name: bare, then ``~2``, ``~3`` and so on."""
        count = self._taken.get(qualified_name, 0) + 1
        self._taken[qualified_name] = count
        suffix = "" if count == 1 else f"~{count}"
        return f"{self._path}::{qualified_name}{suffix}"
