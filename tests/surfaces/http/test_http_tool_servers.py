"""The routes of MCP servers, of calls and of what a whole daemon can use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from gortex_py.service.compose import Places, compose
from gortex_py.settings.mcp_servers import ServerConfig, ServerList
from gortex_py.settings.paths import Paths
from gortex_py.settings.schema import build_settings
from gortex_py.surfaces.http.app import make_app
from tests.mcp_servers import config
from tests.surfaces.http.test_http_tools import problem

SERVERS = (config("small"), config("bad", "--mood", "exits"), config("slow", timeout_s=0.2))


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    home = tmp_path_factory.mktemp("servers")
    paths = Paths.from_environment({"GORTEX_HOME": str(home / "gortex")}, home)
    paths.ensure()
    settings = build_settings(
        {"tools.discovery_mode": "mcp-only", "tools.count_tokens": True, "tools.compact_signatures": True}
    )
    service = compose(paths, settings, Places(home), load_servers=lambda: ServerList(SERVERS))
    with TestClient(make_app(service), base_url="http://127.0.0.1:7411", raise_server_exceptions=False) as made:
        yield made
    assert service.stop()


@pytest.fixture(scope="module")
def session(tools: TestClient) -> str:
    for name in ("small", "slow"):
        answer = tools.post(f"/v1/tools/servers/{name}/refresh")
        assert (answer.status_code, answer.json()["state"], answer.json()["tools"]) == (200, "ready", 8)
    return str(tools.post("/v1/tools/sessions", json={}).json()["id"])


def call(tools: TestClient, session: str, name: str, **arguments: Any) -> Any:
    return tools.post(f"/v1/tools/sessions/{session}/call", json={"name": name, "arguments": arguments})


def test_a_call_answers_what_the_server_answers(tools: TestClient, session: str) -> None:
    assert call(tools, session, "mcp__small_shout", text="a").json() == {
        "content": [{"type": "text", "text": "A"}],
        "structuredContent": {"said": "A"},
    }
    refused = call(tools, session, "mcp__small_refuse", text="b")
    assert (refused.status_code, refused.json()["isError"]) == (200, True)
    assert "mcp__small_shout" in tools.get(f"/v1/tools/sessions/{session}").json()["active"]


def test_trouble_of_a_call_has_a_code_of_its_own(tools: TestClient, session: str) -> None:
    assert problem(call(tools, session, "nothing"))[:2] == (404, "unknown-tool")
    assert problem(call(tools, "nobody", "mcp__small_shout"))[:2] == (404, "unknown-session")
    assert problem(call(tools, session, "mcp__small_die"))[:2] == (502, "upstream-failed")
    assert problem(call(tools, session, "mcp__slow_sleep"))[:2] == (504, "upstream-timeout")
    tools.put("/v1/tools/catalogues/posted", json=[{"name": "mcp__posted_x"}])
    assert problem(call(tools, session, "mcp__posted_x"))[:2] == (409, "not-callable")
    assert tools.delete("/v1/tools/catalogues/posted").status_code == 200


def test_a_server_that_fails_is_named_in_a_search(tools: TestClient, session: str) -> None:
    assert problem(tools.post("/v1/tools/servers/bad/refresh"))[:2] == (502, "upstream-failed")
    answer = tools.post("/v1/tools/search", json={"session_id": session, "query": "more tool", "limit": 1}).json()
    failed = {"name": "bad", "state": "failed", "error": "it ended with status 1; it said: no key was set"}
    assert failed in answer["servers"]
    assert answer["tools"][0]["signature"] == "mcp__slow_grow(text)"
    assert 0 < answer["tokens"]["shown"] < answer["tokens"]["hidden"]


def test_servers_are_shown_and_nobody_can_set_one_up(tools: TestClient, session: str) -> None:
    rows = tools.get("/v1/tools/servers").json()["servers"]
    assert [(row["name"], row["kind"]) for row in rows] == [("small", "stdio"), ("bad", "stdio"), ("slow", "stdio")]
    assert tools.get("/v1/tools/servers/small").json()["tokens"] > 100
    assert problem(tools.get("/v1/tools/servers/nobody"))[:2] == (404, "unknown-server")
    for method in ("PUT", "POST", "DELETE"):
        assert tools.request(method, "/v1/tools/servers/evil", json={"command": "x"}).status_code == 405
    assert len(tools.post("/v1/tools/servers/reload").json()["servers"]) == 3


def test_definitions_can_be_read_in_every_form(tools: TestClient, session: str) -> None:
    base = f"/v1/tools/sessions/{session}/tools/mcp__small_refuse"
    forms = {form: tools.get(base, params={"form": form}).json()["tool"] for form in ("own", "mcp", "openai")}
    assert forms["mcp"]["annotations"] == {"readOnlyHint": False}
    assert forms["own"]["extras"] == {"annotations": {"readOnlyHint": False}}
    assert forms["openai"]["function"]["parameters"]["required"] == ["text"]
    assert problem(tools.get(base + "x"))[:2] == (404, "unknown-tool")
    usable = tools.get("/v1/tools").json()["tools"]
    assert {row["catalogue"] for row in usable} == {"mcp:small", "mcp:slow"}
    assert tools.get("/v1/tools/catalogues/mcp:small").json()["version"] == 1


@pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.name)
def test_nothing_secret_is_shown(tools: TestClient, server: ServerConfig) -> None:
    shown = tools.get(f"/v1/tools/servers/{server.name}").text
    assert str(Path(server.command[-1])) not in shown
    assert "env" not in tools.get(f"/v1/tools/servers/{server.name}").json()
