"""Server-sent events: what happens in the daemon, as it happens."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

import orjson

from gortex_py.errors import NotReady
from gortex_py.service.events import Event
from gortex_py.service.service import Service

KEEP_ALIVE_S = 15.0  # proxies and clients drop a connection that stays silent for half a minute
MAX_WAITING = 256  # of one client; a client that reads too slowly loses the oldest
MAX_CLIENTS = 64


class EventStreams:
    """The open event streams of one daemon."""

    def __init__(self, service: Service, *, keep_alive_s: float = KEEP_ALIVE_S) -> None:
        self._service = service
        self._keep_alive_s = keep_alive_s
        self._open = 0

    def open(self, wanted: Callable[[Event], bool] = lambda event: True) -> AsyncIterator[bytes]:
        """Return a new stream.

        :param wanted: which events it tells.
        :raises NotReady: when too many are open.
        """
        if self._open >= MAX_CLIENTS:
            raise NotReady(f"{MAX_CLIENTS} clients listen already", code="busy")
        return self._stream(wanted)

    async def _stream(self, wanted: Callable[[Event], bool]) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        waiting: asyncio.Queue[Event] = asyncio.Queue(MAX_WAITING)

        def take(event: Event) -> None:
            if waiting.full():
                waiting.get_nowait()
            waiting.put_nowait(event)

        def listen(event: Event) -> None:
            if not wanted(event):
                return
            with contextlib.suppress(RuntimeError):  # the loop has ended, and the client with it
                loop.call_soon_threadsafe(take, event)

        unsubscribe = self._service.events.subscribe(listen)
        self._open += 1
        try:
            yield b": connected\n\n"
            while True:
                try:
                    event = await asyncio.wait_for(waiting.get(), self._keep_alive_s)
                except TimeoutError:
                    yield b": keep-alive\n\n"
                    continue
                yield encode_event(event)
                if event.name == "stopping":
                    return
        finally:
            self._open -= 1
            unsubscribe()


def encode_event(event: Event) -> bytes:
    r"""Return an event as it goes over the wire.

    >>> encode_event(Event("state", {"repo": "a", "state": "ready"}))
    b'event: state\ndata: {"repo":"a","state":"ready"}\n\n'
    """
    return b"event: " + event.name.encode() + b"\ndata: " + orjson.dumps(event.data) + b"\n\n"
