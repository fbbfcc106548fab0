"""What a client sees of a repository that is empty, gone, or being indexed; and the event stream."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from starlette.testclient import TestClient

from gortex_py.service.service import Service
from gortex_py.surfaces.http.stream import EventStreams
from tests.surfaces.http.conftest import READY_LIMIT_S, wait_until_ready, write_tree


def wait_for(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + READY_LIMIT_S
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.02)


def test_root_that_went_away_fails_with_a_reason_and_its_index_answers(
    client: TestClient, service: Service, tmp_path: Path
) -> None:
    root = write_tree(tmp_path / "stick")
    client.post("/v1/repos", json={"path": str(root)})
    wait_until_ready(service, "stick")
    root.rename(tmp_path / "unplugged")
    client.post("/v1/repos/stick/reindex")
    wait_for(lambda: service.repository("stick").state == "failed")
    row = next(row for row in client.get("/v1/repos").json()["repos"] if row["name"] == "stick")
    assert "its last index still answers" in row["reason"] and row["files"] == 4
    body = client.get("/v1/search", params={"q": "open_session", "repo": "stick"}).json()
    assert body["results"][0]["symbol"] == "open_session"
    assert body["index"]["state"] == "failed" and "not up to date" in body["warnings"][0]
    (tmp_path / "unplugged").rename(root)
    client.post("/v1/repos/stick/reindex")
    wait_until_ready(service, "stick")
    client.delete("/v1/repos/stick")


def test_repository_without_files_to_index_says_so(client: TestClient, service: Service, tmp_path: Path) -> None:
    root = tmp_path / "void"
    root.mkdir()
    (root / "a.py").write_text("x = 1\n")
    (root / ".gitignore").write_text("*\n")
    client.post("/v1/repos", json={"path": str(root)})
    wait_for(lambda: service.repository("void").state == "empty")
    row = next(row for row in client.get("/v1/repos").json()["repos"] if row["name"] == "void")
    assert "`*` in .gitignore line 1" in row["reason"] and row["progress"] is None
    body = client.get("/v1/search", params={"q": "x", "repo": "void"}).json()
    assert body["results"] == [] and "nothing indexed" in body["warnings"][0]
    client.delete("/v1/repos/void")


def test_index_folder_goes_with_the_repository(client: TestClient, service: Service, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "brief")
    client.post("/v1/repos", json={"path": str(root)})
    wait_until_ready(service, "brief")
    folder = service.index_folder("brief")
    assert (folder / "index.db").exists()
    client.get("/v1/search", params={"q": "open_session"})  # a reader is open
    client.delete("/v1/repos/brief")
    wait_for(lambda: not folder.exists())
    client.post("/v1/repos", json={"path": str(root)})
    wait_until_ready(service, "brief")
    client.delete("/v1/repos/brief")


def test_event_stream_tells_keeps_alive_and_ends(service: Service) -> None:
    async def listen() -> list[bytes]:
        streams = EventStreams(service, keep_alive_s=0.01)
        stream = streams.open()
        seen = [await anext(stream), await anext(stream)]
        service.events.publish("state", repo="shop", state="ready")
        service.events.publish("stopping")
        return seen + [piece async for piece in stream if not piece.startswith(b": keep")]

    pieces = asyncio.run(listen())
    assert pieces[0] == b": connected\n\n" and pieces[1] == b": keep-alive\n\n"
    assert pieces[2] == b'event: state\ndata: {"repo":"shop","state":"ready"}\n\n'
    assert pieces[3].startswith(b"event: stopping")


def test_slow_listener_loses_the_oldest_and_no_memory(service: Service) -> None:
    async def listen() -> list[bytes]:
        stream = EventStreams(service).open()
        await anext(stream)
        for number in range(2_000):
            service.events.publish("progress", number=number)
        await asyncio.sleep(0)
        service.events.publish("stopping")
        return [piece async for piece in stream]

    pieces = asyncio.run(listen())
    assert len(pieces) == 256
    assert b'"number":1999' in pieces[-2]
