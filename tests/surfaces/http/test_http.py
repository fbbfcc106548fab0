"""The contract of the answers that editor plugins rely on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from gortex_py.service.service import Service
from gortex_py.surfaces.http import bodies, memory_bodies, tool_bodies
from tests.surfaces.http.conftest import wait_until_ready, write_tree

ANSWER = {"query", "results", "total", "query_shape", "query_advice", "warnings", "index", "elapsed_ms"}
HIT = {
    *("repo", "path", "start_line", "end_line", "symbol", "qualified_name", "kind", "language", "score"),
    *("snippet", "highlights", "also", "id"),
}


def strict(content: bytes) -> dict[str, object]:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    parsed = json.loads(content, parse_constant=refuse)
    assert isinstance(parsed, dict)
    return parsed


def test_search_answer_has_exactly_the_documented_shape(client: TestClient) -> None:
    answer = client.get("/v1/search", params={"q": "add_route", "limit": 3})
    body = strict(answer.content)
    assert answer.status_code == 200
    assert set(body) == ANSWER
    hit = body["results"][0]  # type: ignore[index]
    assert set(hit) == HIT
    assert hit["path"] == "src/routing.py"
    assert (hit["symbol"], hit["qualified_name"], hit["kind"]) == ("add_route", "Router.add_route", "method")
    assert hit["start_line"] == 4 and hit["end_line"] == 6
    assert hit["repo"] == "shop" and hit["language"] == "python"
    start, end = hit["highlights"][0]
    assert hit["snippet"][start:end]
    assert body["query"] == "add_route" and body["warnings"] == []
    assert set(body["index"]) == {"generation", "age_s", "state"}  # type: ignore[call-overload]
    assert body["index"]["state"] == "ready"  # type: ignore[index]
    assert {"class", "alpha"} <= set(body["query_shape"])  # type: ignore[call-overload]


def test_contributions_are_shown_when_asked_for_and_sum_to_the_score(client: TestClient) -> None:
    hit = client.get("/v1/search", params={"q": "register routes", "explain": "true"}).json()["results"][0]
    assert set(hit) == HIT | {"contributions"}
    assert sum(part["score"] for part in hit["contributions"]) == pytest.approx(hit["score"], rel=0, abs=1e-9)


def test_post_answers_as_get_does(client: TestClient) -> None:
    parameters = {"q": "session", "limit": 2, "lang": "python", "kind": "class", "corpus": "code"}
    got = client.get("/v1/search", params=parameters).json()
    posted = client.post("/v1/search", json=parameters).json()
    assert got["results"] and got["results"] == posted["results"]
    listed = client.post("/v1/search", json={**parameters, "lang": ["python", "go"], "repo": ["shop"]}).json()
    assert listed["results"] == got["results"]


def test_filters_apply_and_blank_ones_say_nothing(client: TestClient) -> None:
    def paths(**parameters: str) -> list[str]:
        answer = client.get("/v1/search", params={"q": "routes", **parameters}).json()
        return [hit["path"] for hit in answer["results"]]

    assert paths(corpus="docs") == ["docs/guide.md"]
    assert "docs/guide.md" not in paths()
    assert paths(path="tests/**") == ["tests/test_routing.py"]
    assert paths(repo="", path="", lang="", kind="", corpus="") == paths()
    assert paths(lang="go") == []


def test_unknown_parameter_is_named_in_the_warnings(client: TestClient) -> None:
    body = client.get("/v1/search", params={"q": "routes", "limt": "5"}).json()
    assert body["results"] and "'limt'" in body["warnings"][0]


def test_symbol_has_its_source(client: TestClient) -> None:
    hit = client.get("/v1/search", params={"q": "open_session"}).json()["results"][0]
    body = client.get(f"/v1/symbols/{hit['id']}").json()
    assert body["source"] == "def open_session(user):\n    return Session(user)"
    assert (body["repo"], body["path"], body["start_line"], body["language"]) == ("shop", "src/session.py", 1, "python")
    assert client.get(f"/v1/symbols/{hit['id']}", params={"repo": "shop"}).json() == body
    missing = client.get("/v1/symbols/src/session.py::nothing")
    assert (missing.status_code, missing.json()["code"]) == (404, "unknown-symbol")


def test_repositories_come_and_go(client: TestClient, service: Service, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "second shop")
    tracked = client.post("/v1/repos", json={"path": str(root), "name": "second shop"})
    assert tracked.status_code == 202
    assert tracked.json()["name"] == "second shop" and tracked.json()["path"] == str(root)
    assert tracked.json()["state"] == "indexing"
    wait_until_ready(service, "second shop")
    rows = {row["name"]: row for row in client.get("/v1/repos").json()["repos"]}
    assert rows["second shop"]["state"] == "ready"
    assert rows["second shop"]["files"] == 4 and rows["second shop"]["symbols"] > 4
    both = client.get("/v1/search", params={"q": "open_session", "limit": 5}).json()
    assert {hit["repo"] for hit in both["results"]} == {"shop", "second shop"}
    one = client.get("/v1/search", params={"q": "open_session", "repo": "second shop"}).json()
    assert {hit["repo"] for hit in one["results"]} == {"second shop"}
    ambiguous = client.get("/v1/symbols/src/session.py::Session")
    assert (ambiguous.status_code, ambiguous.json()["code"]) == (409, "ambiguous-symbol")
    again = client.post("/v1/repos", json={"path": str(root)})
    assert (again.status_code, again.json()["name"]) == (202, "second shop")
    reindexed = client.post("/v1/repos/second shop/reindex")
    assert (reindexed.status_code, reindexed.json()["state"]) == (202, "indexing")
    removed = client.delete("/v1/repos/second shop")
    assert (removed.status_code, removed.json()["removed"]) == (200, True)
    assert client.delete("/v1/repos/second shop").status_code == 404
    after = client.get("/v1/search", params={"q": "open_session"}).json()
    assert {hit["repo"] for hit in after["results"]} == {"shop"}


def test_status_counts_and_names_what_is_left_out(client: TestClient) -> None:
    body = strict(client.get("/v1/status").content)
    row = next(row for row in body["repos"] if row["name"] == "shop")  # type: ignore[attr-defined]
    assert row["files"] == 4 and row["units"] > 4 and row["database_bytes"] > 0
    assert row["skipped"]["binary"]["count"] == 1
    assert row["skipped"]["binary"]["examples"][0]["path"] == "logo.png"
    assert row["age_s"] >= 0 and row["watch"] == "off"
    assert body["memory"]["rss_bytes"] > 1_000_000  # type: ignore[index]
    assert body["embeddings"] == {"provider": "static", "variant": "code-128d", "dim": 128}


def test_probes(client: TestClient) -> None:
    assert client.get("/healthz").json()["service"] == "gortex"
    assert client.get("/readyz").json()["status"] == "ready"


def test_openapi_has_examples_and_one_error_body(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    for path in ("/v1/search", "/v1/repos", "/v1/symbols/{id}", "/v1/status", "/v1/events", "/healthz", "/readyz"):
        assert path in document["paths"]
    for operations in document["paths"].values():
        for operation in operations.values():
            assert "application/problem+json" in operation["responses"]["422"]["content"]
    assert document["components"]["schemas"]["SearchBody"]["examples"]


def test_shutdown_asks_the_server_to_stop(client: TestClient, service: Service) -> None:
    asked: list[bool] = []
    service.on_stop_requested = lambda: asked.append(True)
    answer = client.post("/v1/shutdown")
    assert (answer.status_code, answer.json()["status"]) == (202, "stopping")
    assert asked == [True]


def test_every_answer_has_an_example_that_its_schema_takes(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    answers = {
        answer["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        for path, operations in document["paths"].items()
        for operation in operations.values()
        for status, answer in operation["responses"].items()
        if status.startswith("2") and not path.endswith("/events")
    }
    for name in answers | {"ProblemBody", "SearchBody", "TrackBody"}:
        (example,) = document["components"]["schemas"][name]["examples"]
        model = next(getattr(each, name) for each in (bodies, tool_bodies, memory_bodies) if hasattr(each, name))
        assert set(model.model_validate(example).model_dump(by_alias=True)) >= set(example), name
    (hit,) = document["components"]["schemas"]["SearchAnswer"]["examples"][0]["results"]
    assert sum(part["score"] for part in hit["contributions"]) == hit["score"]
