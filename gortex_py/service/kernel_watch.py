"""Kernel watches through watchdog, and what watchdog does not say of them: lost events, limits."""

from __future__ import annotations

import errno
import logging
import tempfile
from collections.abc import Callable
from typing import Protocol

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)

# Without a filter watchdog 7.1 sees its own reading of folders as events and never comes to rest.
EVENT_FILTER: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileModifiedEvent,
    FileDeletedEvent,
    FileMovedEvent,
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
]
LIMIT_ERRORS = {
    errno.ENOSPC: "the limit of inotify watches is reached (fs.inotify.max_user_watches)",
    errno.EMFILE: "the limit of inotify instances or open files is reached (fs.inotify.max_user_instances)",
    errno.ENFILE: "the system's limit of open files is reached",
}


class Observing(Protocol):
    """The part of a watchdog observer that is used."""

    def schedule(
        self,
        event_handler: FileSystemEventHandler,
        path: str,
        *,
        recursive: bool = False,
        event_filter: list[type[FileSystemEvent]] | None = None,
    ) -> object: ...

    def unschedule(self, watch: object, /) -> None: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def join(self, timeout: float | None = None) -> None: ...


class OverflowListener(logging.Handler):
    """Notice that the kernel's event queue overflowed.

    watchdog 7.1 rebuilds its watches then, but tells only its log that events were lost.
    """

    LOGGER = "watchdog.observers.inotify_c"

    def __init__(self, on_overflow: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._on_overflow = on_overflow

    def attach(self) -> None:
        """Begin to listen."""
        logging.getLogger(self.LOGGER).addHandler(self)

    def detach(self) -> None:
        """Stop listening."""
        logging.getLogger(self.LOGGER).removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Report a record about an overflow."""
        if "overflow" in record.getMessage():
            self._on_overflow()


def probe(observer: Observing) -> None:
    """Make sure that one more watch can be had.

    Below the first folder of a recursive watch watchdog hides that the limit was reached; then
    no further watch is granted either, and here the error comes out.
    """
    with tempfile.TemporaryDirectory(prefix="gortex-watch-") as folder:
        observer.unschedule(observer.schedule(FileSystemEventHandler(), folder, event_filter=EVENT_FILTER))
