"""A small daemon that answers the HTTP contract from plain data, and what tests can turn in it."""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from gortex_py import __version__

HIT: dict[str, Any] = {
    "repo": "shop",
    "path": "src/cart.py",
    "start_line": 3,
    "end_line": 9,
    "symbol": "add_item",
    "qualified_name": "Cart.add_item",
    "kind": "method",
    "language": "python",
    "score": 1.5,
    "snippet": "def add_item(self, item):\n    # 漢字—\n    self.items.append(item)",
    "highlights": [[4, 12]],
    "also": [{"start_line": 20, "end_line": 22, "symbol": "total", "kind": "method"}],
}


@dataclass
class StubDaemon:
    """State of the stub; tests read and change it while it runs."""

    repos: list[dict[str, Any]] = field(default_factory=list)
    results: list[dict[str, Any]] = field(default_factory=lambda: [dict(HIT)])
    answer: dict[str, Any] = field(default_factory=dict)  # merged into each search answer
    status: dict[str, Any] = field(default_factory=dict)
    memory: dict[str, Any] = field(default_factory=dict)  # what /v1/memory answers
    looks_until_ready: int = 0  # a new repository is indexing for this many looks at the list
    raw: bytes | None = None  # when set, the body of every answer
    problem: tuple[int, dict[str, Any]] | None = None  # when set, what every /v1 route answers
    events: list[bytes] = field(default_factory=list)
    requests: list[tuple[str, str, dict[str, list[str]]]] = field(default_factory=list)
    tokens: set[str | None] = field(default_factory=set)
    shutdown_asked: threading.Event = field(default_factory=threading.Event)
    port: int = 0

    @property
    def searches(self) -> list[dict[str, list[str]]]:
        """Return the parameters of the searches so far."""
        return [query for method, path, query in self.requests if path == "/v1/search"]

    def route(self, method: str, path: str, query: dict[str, list[str]], body: dict[str, Any]) -> tuple[int, Any]:
        """Return (status, JSON body) of one request."""
        self.requests.append((method, path, query))
        if path == "/healthz":
            return 200, {"service": "gortex", "status": "ok", "version": __version__}
        if self.problem is not None:
            return self.problem
        if path == "/v1/search":
            answer = {
                "query": query["q"][0],
                "results": self.results,
                "total": len(self.results),
                "query_shape": {"alpha": 0.4, "class": "concept"},
                "query_advice": None,
                "warnings": [],
                "index": {"generation": 1, "age_s": 0.5, "state": "ready"},
                "elapsed_ms": {"total": 1.0},
            }
            return 200, {**answer, **self.answer}
        if path == "/v1/status":
            return 200, {"version": __version__, "repos": self.repos, **self.status}
        if path == "/v1/memory":
            return 200, self.memory
        if path == "/v1/shutdown":
            self.shutdown_asked.set()
            return 202, {"state": "stopping"}
        if path.startswith("/v1/repos"):
            return self.route_repos(method, path, body)
        return 404, {"title": "Not found", "status": 404, "detail": f"no route {path}", "code": "not-found"}

    def route_repos(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Answer what begins with /v1/repos."""
        if path == "/v1/repos" and method == "GET":
            self.looks_until_ready -= 1
            for row in self.repos:
                if row["state"] == "indexing" and self.looks_until_ready <= 0:
                    row.update(state="ready", files=12, symbols=34, progress=None, generation=row["generation"] + 1)
            return 200, {"repos": self.repos}
        if path == "/v1/repos":
            name = body.get("name") or Path(body["path"]).name
            row = {"name": name, "path": body["path"], "state": "indexing", "files": 0, "symbols": 0, "generation": 0}
            self.repos.append(row)
            return 202, row
        name = unquote(path.split("/")[3])
        row = next((row for row in self.repos if row["name"] == name), None)
        if row is None:
            return 404, {"detail": f"no repository named {name!r}", "code": "unknown-repository", "status": 404}
        if method == "DELETE":
            self.repos.remove(row)
            return 200, {"name": name, "state": "untracked"}
        row["state"] = "indexing"
        return 202, row


@contextmanager
def running_stub(
    state_dir: Path | None = None, *, version: str = __version__, pid: int | None = None
) -> Iterator[StubDaemon]:
    """Run a stub on a free port; with a state folder it is announced there as the daemon."""
    stub = StubDaemon()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(stub))
    server.daemon_threads = True
    stub.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        if state_dir is None:
            yield stub
        else:
            with announced(state_dir, stub.port, version=version, pid=pid):
                yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def announced(state_dir: Path, port: int, *, version: str = __version__, pid: int | None = None) -> Iterator[None]:
    """Hold the daemon's lock and write its address, as a running daemon does."""
    state_dir.mkdir(parents=True, exist_ok=True)
    lock = os.open(state_dir / "daemon.lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    address = {"host": "127.0.0.1", "port": port, "pid": pid or os.getpid(), "version": version}
    (state_dir / "daemon.json").write_text(json.dumps(address))
    try:
        yield
    finally:
        os.close(lock)


def _handler(stub: StubDaemon) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one piece: two would wait for each other on the loopback

        def do_GET(self) -> None:
            self._answer()

        do_POST = do_DELETE = do_GET  # noqa: N815 (http.server's names)

        def _answer(self) -> None:
            parts = urlsplit(self.path)
            stub.tokens.add(self.headers.get("Authorization"))
            length = int(self.headers.get("Content-Length", 0))
            body = json.loads(self.rfile.read(length)) if length else {}
            if parts.path == "/v1/events" and stub.events:
                self._stream()
                return
            status, answer = stub.route(self.command, parts.path, parse_qs(parts.query), body)
            content = stub.raw if stub.raw is not None else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def _stream(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for piece in stub.events:
                self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")

        def log_message(self, format: str, *args: Any) -> None:
            """Keep the test's output clean."""

    return Handler
