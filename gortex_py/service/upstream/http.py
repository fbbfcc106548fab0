"""Talk to an MCP server over streamable HTTP, with a bound on the length of an answer.

Redirects to another origin are never followed, so headers and arguments go only where the user said.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from gortex_py.settings.mcp_servers import ServerConfig

if TYPE_CHECKING:
    import httpx2
    from mcp.client._transport import TransportStreams

CONNECT_S = 10.0
SILENCE_S = 300.0  # of a stream that is kept open


@asynccontextmanager
async def http_streams(config: ServerConfig, note: list[str], max_answer_bytes: int) -> AsyncIterator[TransportStreams]:
    """Yield the streams of messages from and to a URL.

    :param note: takes what went wrong below the protocol, the newest last.
    :param max_answer_bytes: a longer answer breaks the call off.
    """
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async def heed(response: httpx2.Response) -> None:
        if response.status_code >= 400 and response.status_code != 405:
            note.append(f"it answered {response.status_code}")

    class Bounded(httpx2.AsyncByteStream):
        """The body of an answer, up to a length."""

        def __init__(self, stream: httpx2.AsyncByteStream) -> None:
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for part in self._stream:
                size += len(part)
                if size > max_answer_bytes:
                    note.append(f"its answer is longer than {max_answer_bytes} bytes")
                    raise httpx2.StreamError(note[-1])
                yield part

        async def aclose(self) -> None:
            await self._stream.aclose()

    class Transport(httpx2.AsyncHTTPTransport):
        """The usual one; streams of events have a bound of their own."""

        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            response = await super().handle_async_request(request)
            is_events = response.headers.get("content-type", "").lower().startswith("text/event-stream")
            if not is_events and isinstance(response.stream, httpx2.AsyncByteStream):
                response.stream = Bounded(response.stream)
            return response

    timeout = httpx2.Timeout(CONNECT_S, read=SILENCE_S)
    hooks = {"response": [heed]}
    async with httpx2.AsyncClient(
        headers=dict(config.headers), timeout=timeout, event_hooks=hooks, transport=Transport()
    ) as client:
        assert config.url is not None
        async with streamable_http_client(
            config.url, http_client=client, max_sse_event_size=max_answer_bytes
        ) as streams:
            yield streams
