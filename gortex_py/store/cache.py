"""What a reader keeps of one committed state, bounded in bytes."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")


class StateCache(Generic[T]):
    """The most recently used values of one generation; another generation starts empty."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._generation = -1
        self._values: OrderedDict[int, tuple[T, int]] = OrderedDict()

    def get(self, generation: int, key: int) -> T | None:
        """Return what is kept under a key for a generation."""
        self._enter(generation)
        held = self._values.get(key)
        if held is None:
            return None
        self._values.move_to_end(key)
        return held[0]

    def put(self, generation: int, key: int, value: T, size_bytes: int) -> None:
        """Keep a value; the least recently used ones leave when there is no room."""
        self._enter(generation)
        self._values[key] = (value, size_bytes)
        self._bytes += size_bytes
        while self._bytes > self._max_bytes and self._values:
            _, (_, freed) = self._values.popitem(last=False)
            self._bytes -= freed

    def _enter(self, generation: int) -> None:
        if generation != self._generation:
            self._values.clear()
            self._bytes = 0
            self._generation = generation
