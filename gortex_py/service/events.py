"""Tell listeners what happens: progress of a pass, an index that changed, a repository that came or went."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from gortex_py.types import JsonObject

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened."""

    name: str  # "progress", "index", "state", "repository", "tools-changed", "tool-server" or "stopping"
    data: JsonObject


Listener: TypeAlias = Callable[[Event], None]
"""Called on the publisher's thread; must return at once and not raise."""


class EventBus:
    """Pass events on to whoever listens now. Nothing is kept."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: dict[int, Listener] = {}
        self._next_key = 0

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Add a listener; returns the function that removes it."""
        with self._lock:
            key = self._next_key
            self._next_key += 1
            self._listeners[key] = listener

        def unsubscribe() -> None:
            with self._lock:
                self._listeners.pop(key, None)

        return unsubscribe

    def publish(self, name: str, **data: object) -> None:
        """Tell every listener."""
        event = Event(name, dict(data))
        with self._lock:
            listeners = list(self._listeners.values())
        for listener in listeners:
            listener(event)
