"""Talk to an MCP server over streamable HTTP, with a bound on the length of an answer.

Redirects to another origin are never followed, so headers and arguments go only where the user said.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from gortex_py.errors import UpstreamFailed
from gortex_py.settings.mcp_servers import ServerConfig

if TYPE_CHECKING:
    import httpx2
    from mcp.client._transport import TransportStreams

MAX_ANSWER_BYTES = 32 * 1024 * 1024
CONNECT_S = 10.0
SILENCE_S = 300.0  # of a stream that is kept open


@asynccontextmanager
async def http_streams(config: ServerConfig, note: list[str]) -> AsyncIterator[TransportStreams]:
    """Yield the streams of messages from and to a URL.

    :param note: takes what went wrong below the protocol, the newest last.
    """
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async def heed(response: httpx2.Response) -> None:
        if response.status_code >= 400 and response.status_code != 405:
            note.append(f"it answered {response.status_code}")
        is_stream = response.headers.get("content-type", "").lower().startswith("text/event-stream")
        if not is_stream and int(response.headers.get("content-length") or 0) > MAX_ANSWER_BYTES:
            note.append(f"its answer is longer than {MAX_ANSWER_BYTES} bytes")
            raise UpstreamFailed(note[-1])

    timeout = httpx2.Timeout(CONNECT_S, read=SILENCE_S)
    hooks = {"response": [heed]}
    async with httpx2.AsyncClient(headers=dict(config.headers), timeout=timeout, event_hooks=hooks) as client:
        assert config.url is not None
        async with streamable_http_client(
            config.url, http_client=client, max_sse_event_size=MAX_ANSWER_BYTES
        ) as streams:
            yield streams
