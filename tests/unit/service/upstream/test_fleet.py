"""Real processes: started late, listed over pages, called, killed, stopped."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import orjson
import pytest

from gortex_py.errors import NotFound, UpstreamFailed, UpstreamTimeout
from gortex_py.service.upstream.fleet import Fleet, outcome
from gortex_py.service.upstream.server import ServerState, UpstreamOptions
from gortex_py.service.upstream.stdio import Limits
from gortex_py.settings.mcp_servers import ServerConfig, ServerList
from gortex_py.types import JsonObject
from tests.mcp_servers import config

LIMIT_S = 20.0


class Listened:
    """A fleet and what it told."""

    def __init__(self, *configs: ServerConfig, **options: Any) -> None:
        self.configs = configs
        self.listings: list[tuple[str, list[str]]] = []
        self.fleet = Fleet(
            lambda: ServerList(self.configs),
            UpstreamOptions(**{"start_timeout_s": 15.0, "idle_stop_s": 0.0, **options}),
            on_listed=lambda server, tools: self.listings.append((server.name, [each["name"] for each in tools])),
            on_state=lambda name: None,
            is_known=lambda name: False,
        )

    def call(self, tool: str, text: str = "", *, may_repeat: bool = False) -> JsonObject:
        return self.fleet.call("small", tool, {"text": text}, may_repeat=may_repeat).result(LIMIT_S)

    def state(self, name: str = "small") -> ServerState:
        return self.fleet.status(name).state


Make = Callable[..., Listened]


def wait_until(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < limit, "waited in vain"
        time.sleep(0.01)


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[Listened] = []

    def build(*configs: ServerConfig, **options: Any) -> Listened:
        made.append(Listened(*configs, **options))
        return made[-1]

    yield build
    for each in made:
        each.fleet.close()


def test_a_server_is_started_by_its_first_call_and_listed_over_all_pages(make: Make, tmp_path: Path) -> None:
    log = tmp_path / "log"
    listened = make(config("small", "--log", str(log)))
    assert listened.fleet.configs()[0].name == "small"
    assert (listened.state(), log.exists()) == (ServerState.CONFIGURED, False)
    calls = [listened.fleet.call("small", "shout", {"text": "a"}, may_repeat=False) for _ in range(3)]
    for call in calls:
        assert call.result(LIMIT_S) == {"content": [{"type": "text", "text": "A"}], "structuredContent": {"said": "A"}}
    assert log.read_text().splitlines().count("start") == 1
    (name, tools), *others = listened.listings
    assert (name, len(tools), others) == ("small", 8, [])
    assert listened.state() is ServerState.READY


def test_what_a_tool_says_of_itself_is_passed_on(make: Make) -> None:
    listened = make(config())
    assert listened.call("refuse", "that") == {
        "content": [{"type": "text", "text": "I refuse that"}],
        "isError": True,
    }
    wrong = listened.call("contradict")
    assert wrong["isError"] is True
    assert "small/contradict answered against its own schema" in wrong["content"][0]["text"]


def test_a_call_that_may_have_been_carried_out_is_not_repeated(make: Make, tmp_path: Path) -> None:
    log = tmp_path / "log"
    listened = make(config("small", "--log", str(log)))
    with pytest.raises(UpstreamFailed, match="broke off during the call of die: it ended with status 3; it may have"):
        listened.call("die")
    assert listened.state() is ServerState.FAILED
    assert log.read_text().splitlines() == ["start", "call die"]
    assert listened.call("shout", "b")["content"][0]["text"] == "B"


def test_a_call_that_may_be_repeated_is_sent_once_more(make: Make, tmp_path: Path) -> None:
    log = tmp_path / "log"
    listened = make(config("small", "--log", str(log)))
    assert listened.call("die_once", "c", may_repeat=True)["content"][0]["text"] == "c"
    assert log.read_text().splitlines() == ["start", "call die_once", "start", "call die_once"]
    with pytest.raises(UpstreamFailed, match="broke off twice"):
        listened.call("die", may_repeat=True)


def test_a_killed_server_is_seen_and_started_again(make: Make) -> None:
    listened = make(config())
    listened.call("shout")
    pid = listened.fleet.status("small").pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: listened.state() is ServerState.FAILED)
    status = listened.fleet.status("small")
    assert (status.error, status.pid) == ("it was ended by signal 9", None)
    assert listened.call("shout", "d")["content"][0]["text"] == "D"


def test_more_tools_are_listed_when_the_server_says_so(make: Make) -> None:
    listened = make(config())
    listened.call("grow")
    wait_until(lambda: len(listened.listings) == 2)
    assert "grown_0" in listened.listings[1][1]


def test_a_slow_call_ends_in_time(make: Make) -> None:
    listened = make(config(timeout_s=0.3))
    with pytest.raises(UpstreamTimeout, match=r"small did not answer the call of sleep within 0\.3 s"):
        listened.call("sleep")


def test_an_idle_server_is_stopped_and_started_by_the_next_call(make: Make) -> None:
    listened = make(config(), idle_stop_s=0.1)
    listened.call("shout")
    wait_until(lambda: listened.state() is ServerState.STOPPED)
    assert listened.fleet.status("small").pid is None
    assert listened.call("shout", "e")["content"][0]["text"] == "E"


@pytest.mark.parametrize(
    ("mood", "says"),
    [
        ("exits", "it ended with status 1; it said: no key was set"),
        ("garbage", "it prints what is not MCP, such as 'welcome to my server"),
        ("long-line", "it printed a line of more than 1000000 bytes"),
        ("flood", "it sent 500 messages within 5 s that nobody asked for"),
        ("silent", "it does not answer (after 0.5 s)"),
        ("endless", "its list of tools does not end after 200 pages"),
    ],
)
def test_a_bad_server_is_ended_and_says_why(make: Make, mood: str, says: str) -> None:
    limits = Limits(line_bytes=1_000_000, stray_bytes=20_000, unasked=500)
    patience_s = 0.5 if mood == "silent" else 15.0
    listened = make(config("bad", "--mood", mood), config(), start_timeout_s=patience_s, limits=limits)
    error = outcome(listened.fleet.refresh("bad"), LIMIT_S)
    assert error is not None
    assert error.startswith(f"the MCP server bad failed: {says}")
    status = listened.fleet.status("bad")
    assert (status.state, status.pid) == (ServerState.FAILED, None)
    if mood != "silent":  # its little patience is for the other one, too
        assert listened.call("shout", "f")["content"][0]["text"] == "F"


def test_a_greeting_is_overlooked(make: Make) -> None:
    listened = make(config("small", "--mood", "greets"))
    assert listened.call("shout", "g")["content"][0]["text"] == "G"


def test_what_cannot_be_started_says_so(make: Make) -> None:
    listened = make(
        ServerConfig("absent", command=("/nowhere/at-all",)),
        ServerConfig("unset", command=("x",), problem="the environment has no variable KEY"),
        ServerConfig("deaf", url="http://127.0.0.1:9/mcp"),
    )
    errors = {name: outcome(listened.fleet.refresh(name), LIMIT_S) for name in ("absent", "unset", "deaf")}
    assert errors["absent"] == (
        "the MCP server absent failed: '/nowhere/at-all' cannot be started: no such file or directory"
    )
    assert errors["unset"] == "the MCP server unset failed: the environment has no variable KEY"
    assert str(errors["deaf"]).startswith("the MCP server deaf failed: ")
    with pytest.raises(NotFound, match="no MCP server named 'nobody' is set up; there are: absent, unset, deaf"):
        listened.fleet.refresh("nobody")


def test_a_reload_keeps_servers_that_are_reached_as_before(make: Make) -> None:
    listened = make(config(), config("other"))
    listened.call("shout")
    pid = listened.fleet.status("small").pid
    listened.configs = (config(block=("die",)),)
    listened.fleet.reload()
    assert [each.name for each in listened.fleet.configs()] == ["small"]
    assert listened.fleet.status("small").pid == pid
    listened.configs = (config("small", "--tools", "1"),)
    listened.fleet.reload()
    assert listened.fleet.status("small").pid is None
    assert listened.call("extra_0", "h")["content"][0]["text"] == "h"


class Answers(BaseHTTPRequestHandler):
    """An MCP server over streamable HTTP that answers in plain JSON."""

    protocol_version = "HTTP/1.1"
    redirect: ClassVar[str | None] = None
    forgets: ClassVar[set[str]] = set()  # sessions that have expired
    seen: ClassVar[list[Any]] = []
    sessions: ClassVar[int] = 0

    def do_POST(self) -> None:
        body = orjson.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).seen.append((body.get("method"), self.headers.get("X-Key")))
        if self.redirect:
            self._send(307, {}, Location=self.redirect)
        elif self.headers.get("Mcp-Session-Id") in self.forgets:
            self._send(404, {})
        elif "id" not in body:
            self._send(202, None)
        elif body["method"] == "initialize":
            type(self).sessions += 1
            result = {
                "protocolVersion": body["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "web", "version": "1"},
            }
            self._send(200, {"result": result, "id": body["id"]}, **{"Mcp-Session-Id": f"s{self.sessions}"})
        elif body["method"] == "tools/list":
            tools = [{"name": "look", "inputSchema": {"type": "object"}}]
            self._send(200, {"result": {"tools": tools}, "id": body["id"]})
        else:
            text = self.headers["Mcp-Session-Id"] + "x" * int(body["params"]["arguments"].get("text") or 0)
            result = {"content": [{"type": "text", "text": text}]}
            self._send(200, {"result": result, "id": body["id"]})

    def do_GET(self) -> None:
        self._send(405, None)

    def do_DELETE(self) -> None:
        self._send(200, None)

    def _send(self, status: int, body: Any, **headers: str) -> None:
        content = b"" if body is None else orjson.dumps({"jsonrpc": "2.0", **body})
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def web() -> Iterator[str]:
    Answers.redirect, Answers.forgets, Answers.seen, Answers.sessions = None, set(), [], 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/mcp"
    server.shutdown()
    server.server_close()


def test_a_server_is_called_over_http_with_the_headers_that_are_set(make: Make, web: str) -> None:
    listened = make(ServerConfig("small", url=web, headers={"X-Key": "secret"}))
    assert listened.call("look")["content"][0]["text"] == "s1"
    assert {key for _, key in Answers.seen} == {"secret"}
    assert "secret" not in repr(listened.fleet.configs()[0])


def test_an_expired_session_is_begun_anew(make: Make, web: str) -> None:
    listened = make(ServerConfig("small", url=web))
    listened.call("look")
    Answers.forgets = {"s1"}
    assert listened.call("look")["content"][0]["text"] == "s2"


def test_a_redirect_elsewhere_is_not_followed(make: Make, web: str) -> None:
    Answers.redirect = web.replace("127.0.0.1", "localhost") + "?key=secret"
    listened = make(ServerConfig("small", url=web, headers={"X-Key": "secret"}))
    error = str(outcome(listened.fleet.refresh("small"), LIMIT_S))
    assert "Redirect to http://localhost:" in error
    assert "not followed" in error
    assert "secret" not in error
    assert all(method == "initialize" for method, _ in Answers.seen if method != "server/discover")


def test_an_answer_without_end_is_broken_off(make: Make, web: str) -> None:
    listened = make(ServerConfig("small", url=web), limits=Limits(line_bytes=10_000))
    assert len(listened.call("look", "5000")["content"][0]["text"]) == 5002
    result = listened.call("look", "20000")
    assert result["isError"] is True
    assert "its answer is longer than 10000 bytes" in result["content"][0]["text"]
    assert listened.call("look")["content"][0]["text"] == "s1"
