"""Tool catalogues and sessions over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from gortex_py.service.service import Service
from gortex_py.surfaces.http.guard import MAX_CATALOGUE_BYTES
from gortex_py.surfaces.http.stream import EventStreams
from gortex_py.surfaces.http.tool_routes import make_tool_router
from tests.unit.discovery.catalogue import LINES

SCHEMA = {"type": "object", "properties": {"title": {"type": "string"}}}
TWELVE = [{**json.loads(line), "description": "", "input_schema": {}} for line in LINES]


def forget_all(service: Service) -> None:
    for session in service.tools.sessions():
        service.tools.close_session(session.id)
    for catalogue in service.tools.catalogues():
        service.tools.delete_catalogue(catalogue.name)


@pytest.fixture
def tools(client: TestClient, service: Service) -> Iterator[TestClient]:
    forget_all(service)  # what made-up requests of other tests left
    assert client.put("/v1/tools/catalogues/twelve", json={"tools": TWELVE}).status_code == 200
    yield client
    forget_all(service)


def begin(client: TestClient, **body: Any) -> str:
    answer = client.post("/v1/tools/sessions", json={"mode": "all", **body})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def problem(answer: Any) -> tuple[int, str, str]:
    body = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.status_code, body["code"], body["detail"]


def test_a_search_activates_and_repeats_go_on(tools: TestClient) -> None:
    session = begin(tools)
    first = tools.post("/v1/tools/search", json={"session_id": session, "query": " search ", "limit": 1}).json()
    assert [(each["name"], each["score"]) for each in first["tools"]] == [("mcp__chat_searchHistory", 4.002053)]
    assert first["content"] == (
        '{"query":"search","activated_tools":["mcp__chat_searchHistory"],"match_count":1,"total_tools":12}'
    )
    second = tools.post("/v1/tools/search", json={"session_id": session, "query": "search", "limit": 1.0}).json()
    assert [(each["name"], each["score"]) for each in second["tools"]] == [("search_text", 4.77752)]
    assert "server_name" not in second["tools"][0]
    assert second["active_selected_tools"] == ["mcp__chat_searchHistory", "search_text"]
    state = tools.get(f"/v1/tools/sessions/{session}").json()
    assert (state["mode"], state["discoverable"], state["registered"]) == ("all", 10, 12)
    assert state["active"] == ["search_tool_bm25", "mcp__chat_searchHistory", "search_text"]


def test_sessions_do_not_see_each_other(tools: TestClient) -> None:
    one, other = begin(tools), begin(tools)
    tools.post("/v1/tools/search", json={"session_id": one, "query": "search"})
    assert tools.get(f"/v1/tools/sessions/{other}").json()["selected"] == []


def test_ranking_alone(tools: TestClient) -> None:
    answer = tools.post("/v1/tools/search", json={"catalogue": "twelve", "query": "limit"}).json()
    assert [each["score"] for each in answer["tools"]] == [2.826049, 2.733272, 2.578107]
    assert answer["activated_tools"] == answer["active_selected_tools"] == []
    session = begin(tools)
    quiet = tools.post("/v1/tools/search", json={"session_id": session, "query": "limit", "activate": False}).json()
    assert (len(quiet["tools"]), quiet["activated_tools"]) == (3, [])
    assert tools.get(f"/v1/tools/sessions/{session}").json()["selected"] == []


@pytest.mark.parametrize(
    ("body", "status", "code", "detail"),
    [
        ('{"query": " ", "limit": 0}', 400, "empty-query", "Query is required and must not be empty."),
        ('{"limit": 3}', 400, "empty-query", "Query is required and must not be empty."),
        *(
            (f'{{"query": "!!!", "limit": {limit}}}', 400, "bad-limit", "Limit must be a positive integer.")
            for limit in ("0", "-1", "1.5", "true", '"3"', "NaN", "Infinity", "[]")
        ),
        ('{"query": "!!!"}', 400, "query-without-words", "Query must contain at least one letter or number."),
    ],
)
def test_query_and_limit_speak_with_their_own_texts(
    tools: TestClient, body: str, status: int, code: str, detail: str
) -> None:
    for where in ({"session_id": begin(tools)}, {"catalogue": "twelve"}):
        content = body[:-1] + "," + json.dumps(where)[1:]
        answer = tools.post("/v1/tools/search", content=content, headers={"Content-Type": "application/json"})
        assert problem(answer) == (status, code, detail)


def test_discovery_that_is_off_is_a_conflict_before_anything_else(tools: TestClient) -> None:
    session = begin(tools, mode="off")
    answer = tools.post("/v1/tools/search", json={"session_id": session, "query": "", "limit": 0})
    assert problem(answer) == (
        409,
        "discovery-off",
        "Tool discovery is disabled. Enable tools.discoveryMode or mcp.discoveryMode to use search_tool_bm25.",
    )


def test_what_is_unknown_is_told(tools: TestClient) -> None:
    session = begin(tools)
    asked = [
        (tools.get("/v1/tools/sessions/nobody"), "unknown-session"),
        (tools.post("/v1/tools/search", json={"session_id": "nobody", "query": "x"}), "unknown-session"),
        (tools.get("/v1/tools/sessions/nobody/events"), "unknown-session"),
        (tools.get("/v1/tools/catalogues/nobody"), "unknown-catalogue"),
        (tools.post("/v1/tools/search", json={"catalogue": "nobody", "query": "x"}), "unknown-catalogue"),
        (tools.post("/v1/tools/sessions", json={"catalogues": ["nobody"]}), "unknown-catalogue"),
        (tools.post(f"/v1/tools/sessions/{session}/activate", json={"names": ["nobody"]}), "unknown-tool"),
        (tools.get("/v1/tools/explain", params={"session_id": session, "name": "nobody"}), "unknown-tool"),
    ]
    assert [problem(answer)[:2] for answer, _ in asked] == [(404, code) for _, code in asked]


def test_without_a_corpus_everything_is_ranked_and_nothing_activated(tools: TestClient) -> None:
    begin(tools)
    answer = tools.post("/v1/tools/search", json={"query": "search"}).json()
    assert (answer["tools"][0]["name"], answer["tools"][0]["score"]) == ("mcp__chat_searchHistory", 4.002053)
    assert (answer["total_tools"], answer["activated_tools"], answer["active_selected_tools"]) == (12, [], [])
    assert "servers" not in answer
    assert "tokens" not in answer


def test_a_merge_keeps_what_is_not_named(tools: TestClient) -> None:
    item = {"name": "fresh", "description": "is new", "parameters": {}}
    changed = {**TWELVE[0], "summary": "Go to a definition"}
    answer = tools.post("/v1/tools/catalogues/twelve", json={"tools": [changed, {"type": "function", **item}]}).json()
    assert (answer["added"], answer["changed"], answer["removed"]) == (["fresh"], ["find_symbol"], [])
    names = [each["name"] for each in tools.get("/v1/tools/catalogues/twelve").json()["tools"]]
    assert names == [*(each["name"] for each in TWELVE), "fresh"]
    assert tools.post("/v1/tools/catalogues/begun", json=[item]).json()["version"] == 1


def test_strict_refuses_all_for_one_bad_item(tools: TestClient) -> None:
    listing = [{"name": "fine"}, {"name": "not fine"}, {"name": "fine"}, 7]
    for send in (tools.put, tools.post):
        answer = problem(send("/v1/tools/catalogues/twelve", json=listing, params={"strict": "true"}))
        assert answer[:2] == (400, "bad-items")
        assert "item 1: a name has" in answer[2]
        assert "item 3: a tool is" in answer[2]
    assert tools.get("/v1/tools/catalogues/twelve").json()["version"] == 1
    assert len(tools.put("/v1/tools/catalogues/lenient", json=listing).json()["errors"]) == 3
    assert problem(tools.put("/v1/tools/catalogues/a%20b", json=[]))[:2] == (422, "invalid-request")


@pytest.mark.parametrize(
    ("item", "wire"),
    [
        ({"name": "create", "label": "Create", "input_schema": SCHEMA}, "create"),
        ({"name": "create", "inputSchema": SCHEMA}, "mcp__github_create"),
        ({"type": "function", "function": {"name": "create", "parameters": SCHEMA}}, "create"),
        ({"name": "create", "input_schema": SCHEMA}, "create"),
    ],
)
def test_four_shapes_in_and_out(tools: TestClient, item: Any, wire: str) -> None:
    for body in ([item], {"tools": [item]}):
        answer = tools.put("/v1/tools/catalogues/mine?server=github", json=body).json()
        assert answer["errors"] == []
    assert (answer["version"], answer["unchanged"]) == (1, 1)
    for shape, key in [("own", "input_schema"), ("mcp", "inputSchema"), ("anthropic", "input_schema")]:
        (shown,) = tools.get("/v1/tools/catalogues/mine", params={"shape": shape}).json()["tools"]
        assert (shown["name"], shown[key]) == (wire, SCHEMA)
    (shown,) = tools.get("/v1/tools/catalogues/mine", params={"shape": "openai"}).json()["tools"]
    assert (shown["type"], shown["function"]["name"], shown["function"]["parameters"]) == ("function", wire, SCHEMA)


def test_bad_items_are_named_and_the_others_are_in(tools: TestClient) -> None:
    body = [{"name": "a"}, {"name": "b\x1b"}, 3, {"name": "a"}, {"name": "c", "input_schema": {"x": 1 << 70}}]
    answer = tools.put("/v1/tools/catalogues/mine", json=body).json()
    assert answer["added"] == ["a"]
    assert [error["position"] for error in answer["errors"]] == [1, 2, 3, 4]
    assert answer["errors"][0]["name"] == "b\x1b"


def test_a_catalogue_may_be_larger_than_other_bodies(tools: TestClient) -> None:
    many = [{"name": f"tool_{i}", "description": "d" * 1_000} for i in range(1_500)]
    assert len(tools.put("/v1/tools/catalogues/mine", json=many).json()["added"]) == 1_500
    huge = tools.put(
        "/v1/tools/catalogues/mine",
        content=b" " * (MAX_CATALOGUE_BYTES + 1),
        headers={"Content-Type": "application/json"},
    )
    assert problem(huge)[:2] == (413, "body-too-large")
    assert tools.get("/v1/tools/catalogues/mine").json()["version"] == 1


def test_what_was_deleted_is_gone(tools: TestClient) -> None:
    session = begin(tools)
    assert [each["id"] for each in tools.get("/v1/tools/sessions").json()["sessions"]] == [session]
    assert tools.delete(f"/v1/tools/sessions/{session}").json()["id"] == session
    assert tools.get("/v1/tools/sessions").json() == {"sessions": []}
    assert tools.delete("/v1/tools/catalogues/twelve").json() == {"name": "twelve", "removed": True}
    assert tools.get("/v1/tools/catalogues").json() == {"catalogues": []}


def test_manual_control(tools: TestClient) -> None:
    session = begin(tools)
    on = tools.post(
        f"/v1/tools/sessions/{session}/activate", json={"names": ["find_symbol", "mcp__db_list_tables"]}
    ).json()
    assert on["names"] == ["mcp__db_list_tables", "find_symbol"]
    assert on["session"]["active"] == ["search_tool_bm25", "mcp__db_list_tables", "find_symbol"]
    off = tools.post(f"/v1/tools/sessions/{session}/deactivate", json={"names": ["find_symbol"]}).json()
    assert (off["names"], off["session"]["selected"]) == (["find_symbol"], ["mcp__db_list_tables"])
    assert tools.post(f"/v1/tools/sessions/{session}/reset").json()["active"] == ["search_tool_bm25"]


def test_definitions_of_a_session(tools: TestClient) -> None:
    session = begin(tools, explicit_tools=["find_symbol"])
    path = f"/v1/tools/sessions/{session}/tools"
    active = tools.get(path, params={"form": "anthropic"}).json()["tools"]
    assert [tool["name"] for tool in active] == ["find_symbol", "search_tool_bm25"]
    assert active[1]["description"] == tools.get(f"/v1/tools/sessions/{session}/description").json()["description"]
    assert "Total discoverable tools available: 11." in active[1]["description"]
    hidden = tools.get(path, params={"state": "discoverable", "form": "compact"}).json()["tools"]
    assert hidden[0] == {
        "name": "search_text",
        "label": "Search Text",
        "description": "Full-text search over the indexed source files",
    }


def test_explaining_a_tool(tools: TestClient) -> None:
    session = begin(tools)

    def state() -> str:
        answer = tools.get("/v1/tools/explain", params={"session_id": session, "name": "find_symbol"}).json()
        assert answer["catalogues"] == ["twelve"] and answer["reasons"]
        return str(answer["state"])

    assert state() == "discoverable"
    tools.post("/v1/tools/search", json={"session_id": session, "query": "symbol"})
    assert state() == "active"


def test_an_answer_can_be_rendered(tools: TestClient) -> None:
    details = tools.post("/v1/tools/search", json={"catalogue": "twelve", "query": "the"}).json()
    collapsed = tools.post("/v1/tools/render", json={"details": details}).json()["text"]
    assert collapsed.startswith("✓ Tool Discovery: the 5 matches · 0 active · 12 total · limit:8\n├─ ")
    nothing = tools.post("/v1/tools/search", json={"catalogue": "twelve", "query": "kubernetes"}).json()
    shown = tools.post("/v1/tools/render", json={"details": nothing, "expanded": True}).json()["text"]
    assert shown.endswith("\nNo matching tools found.")
    details["tools"][0]["score"] = 1e300
    assert problem(tools.post("/v1/tools/render", json={"details": details}))[:2] == (422, "invalid-request")


def test_a_session_hears_of_its_own_changes_alone(tools: TestClient, service: Service) -> None:
    mine, other = begin(tools), begin(tools)
    router = make_tool_router(service, EventStreams(service))
    (events,) = [route.endpoint for route in router.routes if route.path.endswith("/events")]  # type: ignore[attr-defined]

    async def listen() -> list[bytes]:
        stream = (await events(mine)).body_iterator
        seen = [await anext(stream)]
        for session in (other, mine):
            tools.post(f"/v1/tools/sessions/{session}/activate", json={"names": ["find_symbol"]})
        service.events.publish("progress", number=1)
        service.events.publish("stopping")
        return seen + [piece async for piece in stream]

    pieces = asyncio.run(listen())
    expected = json.dumps({"session": mine, "active": ["search_tool_bm25", "find_symbol"]}, separators=(",", ":"))
    assert pieces[1] == f"event: tools-changed\ndata: {expected}\n\n".encode()
    assert len(pieces) == 3 and pieces[2].startswith(b"event: stopping")


def test_a_search_is_narrowed_as_its_body_says(tools: TestClient) -> None:
    def found(**how: Any) -> list[str]:
        body = {"catalogue": "twelve", "query": "find the definition of a symbol", **how}
        return [each["name"] for each in tools.post("/v1/tools/search", json=body).json()["tools"]]

    assert len(found()) == 8
    assert found(min_coverage=0.5) == ["find_symbol"]
    assert found(relative_floor=0.3) == ["find_symbol", "list_callers"]
    assert found(query="Search Text")[0] == "search_text"
    assert found(query="search_tickets", exact_name_first=True)[0] == "mcp__tracker_search_tickets"
    assert problem(tools.post("/v1/tools/search", json={"query": "x", "min_coverage": 2}))[:2] == (
        422,
        "invalid-request",
    )


def test_signatures_are_told_where_they_are_asked_for(tools: TestClient) -> None:
    schema = {"properties": {"mode": {"enum": ["fast", "slow"]}, "path": {}}, "required": ["path"]}
    tools.put("/v1/tools/catalogues/one", json=[{"name": "compare", "input_schema": schema, "load_mode": None}])
    body = {"catalogue": "one", "query": "compare", "compact_signatures": True}
    answer = tools.post("/v1/tools/search", json=body).json()
    assert answer["tools"][0]["signature"] == "compare(path, mode?: fast|slow)"
    assert (
        "signature" not in tools.post("/v1/tools/search", json={**body, "compact_signatures": None}).json()["tools"][0]
    )


def test_a_search_without_activation_leaves_the_session_as_it_was(tools: TestClient) -> None:
    session = begin(tools)
    before = tools.get(f"/v1/tools/sessions/{session}").json()
    body = {"session_id": session, "query": "search", "activate": False}
    answer = tools.post("/v1/tools/search", json=body).json()
    assert (len(answer["tools"]), answer["activated_tools"]) == (3, [])
    assert tools.get(f"/v1/tools/sessions/{session}").json() == before
