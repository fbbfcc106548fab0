"""The latency benchmark, against a server that reads the folder anew for each question."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.bench import visible
from tests.bench.daemon import Client, wait_until_ready
from tests.bench.visible import STEPS, measure_try


class GrepServer(ThreadingHTTPServer):
    """Answers as the daemon does."""

    daemon_threads = True

    def __init__(self, root: Path) -> None:
        super().__init__(("127.0.0.1", 0), GrepHandler)
        self.root = root
        self.state = "ready"
        self.asked: list[str] = []


class GrepHandler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: GrepServer

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if url.path == "/v1/repos":
            return self._answer({"repos": [{"name": "corpus", "state": self.server.state}]})
        word = parse_qs(url.query)["q"][0]
        self.server.asked.append(word)
        files = sorted(file.name for file in self.server.root.glob("*.py") if word in file.read_text())
        return self._answer({"results": [{"path": name} for name in files]})

    def log_message(self, format: str, *args: object) -> None:
        """Stay quiet."""

    def _answer(self, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GrepServer]:
    with GrepServer(tmp_path) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def client(server: GrepServer) -> Iterator[Client]:
    opened = Client(server.server_address[1])
    yield opened
    opened.close()


def test_every_step_of_a_try_is_seen_and_nothing_is_left(server: GrepServer, client: Client, tmp_path: Path) -> None:
    times = measure_try(client, tmp_path, random.Random(1))
    assert list(times) == list(STEPS)
    assert all(0 < elapsed_ms < 5000 for elapsed_ms in times.values())
    assert list(tmp_path.iterdir()) == []
    # add asks for one word; edit, rename and delete for the second
    assert len(set(server.asked)) == 2


def test_a_change_that_stays_unseen_is_a_fault(
    client: Client, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visible, "LIMIT_S", 0.02)
    elsewhere = tmp_path_factory.mktemp("unwatched")
    with pytest.raises(RuntimeError, match="the add of a file is not visible"):
        measure_try(client, elsewhere, random.Random(1))


def test_a_repository_that_failed_is_not_waited_for(server: GrepServer, client: Client) -> None:
    wait_until_ready(client, "corpus")
    server.state = "failed"
    with pytest.raises(RuntimeError, match="the repository corpus is failed"):
        wait_until_ready(client, "corpus")
