"""The wire, where it goes wrong before there is a request: the same error body there."""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from gortex_py.surfaces.http.guard import MAX_TARGET_BYTES
from gortex_py.surfaces.http.problems import problem


class Protocol(HttpToolsProtocol):
    """HTTP/1.1 that refuses what it cannot parse with a problem body."""

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP, and end the connection."""
        del msg  # says nothing of use
        refusal = problem(
            400,
            "bad-request",
            f"this is not a valid HTTP request, or its request line has over {MAX_TARGET_BYTES} bytes; "
            "encode the query with percent signs, and send a long one by POST",
        )
        headers: list[tuple[bytes, Any]] = [*refusal.raw_headers, (b"x-content-type-options", b"nosniff")]
        lines = [name + b": " + value for name, value in (*headers, (b"connection", b"close"))]
        self.transport.write(b"\r\n".join([b"HTTP/1.1 400 Bad Request", *lines, b"", bytes(refusal.body)]))
        self.transport.close()
