"""What only a real socket shows: requests that are not HTTP, HEAD, long request lines."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator

import pytest
import uvicorn

from gortex_py.service.service import Service
from gortex_py.surfaces.http.app import make_app
from gortex_py.surfaces.http.protocol import Protocol


@pytest.fixture(scope="module")
def port(service: Service) -> Iterator[int]:
    """The port of a server on a thread."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        make_app(service), http=Protocol, ws="none", lifespan="off", log_config=None, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    yield listener.getsockname()[1]
    server.should_exit = True
    thread.join(10)
    listener.close()


def ask(port: int, sent: bytes) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of what a connection that is closed afterwards says."""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(sent)
        parts = []
        while part := connection.recv(65_536):
            parts.append(part)
    head, _, body = b"".join(parts).partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return int(first.split()[1]), headers, body


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01 not http\r\n\r\n",
        b"GET /caf\xe9 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /v1/search?q=" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
    ids=["tls", "raw-bytes", "long-line", "negative-length", "bad-chunk"],
)
def test_what_is_not_http_gets_the_same_error_body(port: int, sent: bytes) -> None:
    status, headers, body = ask(port, sent)
    problem = json.loads(body)
    assert (status, headers["content-type"]) == (400, "application/problem+json")
    assert int(headers["content-length"]) == len(body)
    assert set(problem) == {"type", "title", "status", "detail", "code"}
    assert (problem["status"], problem["code"]) == (400, "bad-request")


@pytest.mark.parametrize("target", ["/healthz", "/v1/search?q=route", "/v1/repos", "/v1/status", "/openapi.json"])
def test_head_is_get_without_the_body(port: int, target: str) -> None:
    end = f" {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
    status, headers, body = ask(port, b"HEAD" + end)
    assert (status, headers["content-type"], body) == (200, "application/json", b"")
    assert ask(port, b"GET" + end)[0] == 200


def test_head_does_not_wait_for_a_stream_to_end(port: int) -> None:
    status, headers, _ = ask(port, b"HEAD /v1/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert (status, headers["allow"]) == (405, "GET")
