"""The client: what it makes of answers good, odd and absent."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from gortex_py.errors import Conflict, GortexError, NotFound, NotReady, UsageError
from gortex_py.surfaces.client import BadAnswer, DaemonClient, Event, ForeignListener, Unreachable
from tests.surfaces.stub_daemon import StubDaemon, running_stub


@contextmanager
def listener(reply: bytes) -> Iterator[int]:
    """Accept connections and answer each with the same bytes; nothing at all when they are empty."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65536)
                    if reply:
                        connection.sendall(reply)
                    else:
                        silent.wait(5)

        silent = threading.Event()
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        silent.set()
        server.shutdown(socket.SHUT_RDWR)
    thread.join()


def client_of(stub: StubDaemon) -> DaemonClient:
    return DaemonClient("127.0.0.1", stub.port)


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def test_nobody_there_is_unreachable() -> None:
    with pytest.raises(Unreachable, match="connection refused"):
        DaemonClient("127.0.0.1", closed_port()).status()


def test_a_silent_daemon_times_out() -> None:
    with listener(b"") as port, pytest.raises(Unreachable, match="timed out"):
        DaemonClient("127.0.0.1", port, timeout_s=0.1).status()


@pytest.mark.parametrize(
    "reply",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n<html></html>",
        b'HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{"status": "ok"}',
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
    ],
    ids=["not http", "a web page", "another service", "no such route"],
)
def test_a_stranger_on_the_port_is_recognised(reply: bytes) -> None:
    with listener(reply) as port, pytest.raises(ForeignListener, match="not a gortex daemon"):
        DaemonClient("127.0.0.1", port).health()


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, UsageError), (404, NotFound), (409, Conflict), (422, UsageError), (503, NotReady), (500, GortexError)],
)
def test_a_refusal_keeps_the_daemons_code_and_words(status: int, kind: type[GortexError]) -> None:
    with running_stub() as stub:
        stub.problem = (status, {"title": "No", "detail": "not like this", "code": "some-code", "extra": 1})
        with pytest.raises(GortexError) as raised:
            client_of(stub).search({"q": "x"})
    assert (type(raised.value), raised.value.code, raised.value.message) == (kind, "some-code", "not like this")


def test_a_refusal_without_a_problem_body_still_says_something() -> None:
    with running_stub() as stub:
        stub.problem, stub.raw = (500, {}), b"Internal Server Error"
        with pytest.raises(GortexError, match="HTTP 500"):
            client_of(stub).status()


def test_an_answer_that_is_not_an_object_is_a_bad_answer() -> None:
    with running_stub() as stub:
        stub.raw = b"[1, 2"
        with pytest.raises(BadAnswer, match="daemon restart"):
            client_of(stub).status()


def test_rows_without_the_expected_fields_are_tolerated() -> None:
    with running_stub() as stub:
        stub.raw = b'{"repos": [{"new": 1}, 7, null]}'
        assert client_of(stub).repos() == [{"new": 1}]
        stub.raw = b"{}"
        assert client_of(stub).repos() == []


def test_parameters_are_encoded_and_empty_ones_left_out() -> None:
    with running_stub() as stub:
        client_of(stub).search({"q": "a&b=c #?ü", "repo": None, "lang": (), "path": ["a b", "ü/*"], "explain": True})
    assert stub.searches == [{"q": ["a&b=c #?ü"], "path": ["a b", "ü/*"], "explain": ["true"]}]


def test_a_repository_name_is_one_path_segment() -> None:
    with running_stub() as stub:
        stub.repos.append({"name": "a/b ü", "path": "/x", "state": "ready"})
        client_of(stub).untrack("a/b ü")
    assert stub.repos == []


def test_events_are_read_across_chunk_borders() -> None:
    with running_stub() as stub:
        stub.events = [
            b": hello\nevent: progress\nda",
            b'ta: {"done": 1}\n\nevent: index\ndata: {"a":\ndata: 2}\n\n',
            b"data: not json\n\n",
        ]
        events = list(client_of(stub).events(silence_s=5))
    assert events == [None, Event("progress", {"done": 1}), Event("index", {"a": 2}), Event("message", {})]


def test_silence_on_the_event_stream_is_told() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    with socket.create_server(("127.0.0.1", 0)) as server:
        stream = DaemonClient("127.0.0.1", server.getsockname()[1]).events(silence_s=0.05)
        ready = threading.Event()

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(head)
                ready.wait(5)
                connection.sendall(b'12\r\ndata: {"n": 1}\n\n\n\r\n0\r\n\r\n')

        thread = threading.Thread(target=serve)
        thread.start()
        assert [next(stream), next(stream), next(stream)] == [None, None, None]
        ready.set()
        rest = [event for event in stream if event is not None]
        thread.join()
    assert rest == [Event("message", {"n": 1})]


def test_an_ipv6_address_is_spelled_as_a_url() -> None:
    assert DaemonClient("::1", 7411).url == "http://[::1]:7411"
