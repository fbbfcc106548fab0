"""Every error has one body: problem+json with type, title, status, detail and a stable code.

``detail`` is one sentence that says what was given, what was expected, or what to do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import Message

from gortex_py import errors
from gortex_py.errors import GortexError
from gortex_py.service.service import Service
from gortex_py.surfaces.http.app import make_api, make_app
from gortex_py.surfaces.http.guard import MAX_BODY_BYTES
from gortex_py.surfaces.http.problems import STATUSES


def problem_of(answer: Any, status: int, code: str) -> str:
    body = answer.json()
    assert answer.status_code == status, body
    assert answer.headers["content-type"] == "application/problem+json"
    assert set(body) == {"type", "title", "status", "detail", "code"}
    assert (body["status"], body["code"], body["type"]) == (status, code, f"urn:gortex:problem:{code}")
    assert body["detail"] and "\n" not in body["detail"] and len(body["detail"]) < 700
    return str(body["detail"])


@pytest.mark.parametrize(
    ("query", "status", "code", "says"),
    [
        ("", 422, "invalid-request", "q is missing"),
        ("q=", 400, "empty-query", "empty"),
        ("q=%20%09%20", 400, "empty-query", "empty"),
        ("q=x&limit=0", 422, "invalid-request", "limit must be at least 1, not '0'"),
        ("q=x&limit=-1", 422, "invalid-request", "at least 1"),
        ("q=x&limit=1000000000", 422, "invalid-request", "at most 1000"),
        ("q=x&limit=abc", 422, "invalid-request", "limit must be a whole number, not 'abc'"),
        ("q=x&limit=" + "9" * 5000, 422, "invalid-request", "whole number"),
        ("q=x&offset=-1", 422, "invalid-request", "offset must be at least 0"),
        ("q=x&offset=99999999999999999999", 422, "invalid-request", "offset"),
        ("q=x&explain=maybe", 422, "invalid-request", "explain must be true or false"),
        ("q=x&corpus=cod", 400, "unknown-corpus", "did you mean 'code'?"),
        ("q=x&lang=pyton", 400, "unknown-language", "did you mean 'python'?"),
        ("q=x&kind=classs", 400, "unknown-kind", "did you mean 'class'?"),
        ("q=x&repo=nope", 400, "unknown-repository", "tracked: "),
        ("q=x&" + "&".join(["path=a"] * 51), 422, "invalid-request", "path has more than 50 entries"),
    ],
)
def test_bad_parameters_get_one_clear_sentence(
    client: TestClient, query: str, status: int, code: str, says: str
) -> None:
    assert says in problem_of(client.get(f"/v1/search?{query}"), status, code)


@pytest.mark.parametrize(
    ("content", "status", "code", "says"),
    [
        (b"", 422, "invalid-request", "the body is missing"),
        (b"{", 400, "invalid-json", "not valid JSON"),
        (b"\xff\xfe", 400, "invalid-json", "not valid JSON"),
        (b"[" * 100_000, 400, "bad-request", "cannot be read as JSON"),
        (b"[]", 422, "invalid-request", "JSON object"),
        (b'{"q": 5}', 422, "invalid-request", "q must be text, not 5"),
        (b'{"q": null}', 422, "invalid-request", "q must be text"),
        (b'{"q": "x", "limt": 5}', 422, "invalid-request", "limt is not a known field"),
        (b'{"q": "x", "limit": 1e9}', 422, "invalid-request", "at most 1000"),
        (b'{"q": "x", "limit": NaN}', 422, "invalid-request", "limit must be a whole number"),
        (b'{"q": "x", "lang": {"a": 1}}', 422, "invalid-request", "lang"),
        (b'{"q": "\\ud800"}', 422, "invalid-request", "lone surrogates"),
        (b'{"q": "x", "path": ["\\udfff"]}', 422, "invalid-request", "path.0 holds characters"),
        (b'{"q": "' + b"x" * 70_000 + b'"}', 422, "invalid-request", "q is longer than 65536 characters"),
    ],
)
def test_bad_bodies_get_one_clear_sentence(
    client: TestClient, content: bytes, status: int, code: str, says: str
) -> None:
    answer = client.post("/v1/search", content=content, headers={"content-type": "application/json"})
    assert says in problem_of(answer, status, code)


@pytest.mark.parametrize(
    "text", ["a\0b", "\0", "�", "std::vector", "don't", '"', "NEAR(", "*", "C++", "🦓", "x" * 10_240, "AND OR NOT"]
)
def test_odd_queries_are_answered(client: TestClient, text: str) -> None:
    for answer in (client.get("/v1/search", params={"q": text}), client.post("/v1/search", json={"q": text})):
        assert answer.status_code == 200, answer.text
        assert answer.json()["query"] == text


def test_query_bytes_that_are_not_utf8_are_answered(client: TestClient) -> None:
    assert client.get("/v1/search?q=caf%E9").json()["query"] == "caf�"


def test_offset_beyond_the_end_is_an_empty_page(client: TestClient) -> None:
    body = client.get("/v1/search", params={"q": "routes", "offset": 1_000_000}).json()
    assert body["results"] == [] and body["total"] > 0


def test_framework_errors_have_the_same_body(client: TestClient) -> None:
    assert "/v1/nothing" in problem_of(client.get("/v1/nothing"), 404, "no-such-route")
    refused = client.put("/v1/search")
    assert "PUT" in problem_of(refused, 405, "method-not-allowed")
    assert "GET" in refused.headers["allow"]
    form = client.post("/v1/search", data={"q": "x"})
    assert "application/json" in problem_of(form, 415, "unsupported-media-type")
    untyped = client.post("/v1/search", content=b'{"q": "x"}')
    problem_of(untyped, 415, "unsupported-media-type")


def test_refused_methods_name_all_that_are_allowed(client: TestClient) -> None:
    for path, allowed in (("/v1/search", "GET, POST"), ("/v1/repos", "GET, POST"), ("/v1/repos/x", "DELETE")):
        for method in ("PATCH", "OPTIONS"):
            refused = client.request(method, path)
            problem_of(refused, 405, "method-not-allowed")
            assert refused.headers["allow"] == allowed


@pytest.mark.parametrize("path", ["/v1/search/?q=x", "/v1/repos/", "/healthz/", "//healthz"])
def test_a_slash_too_many_is_another_address(client: TestClient, path: str) -> None:
    problem_of(client.get(f"http://127.0.0.1:7411{path}", follow_redirects=False), 404, "no-such-route")


@pytest.mark.parametrize("headers", [{"content-encoding": "gzip"}, {"content-type": "text/x+json"}])
def test_bodies_that_are_not_plain_json_are_named(client: TestClient, headers: dict[str, str]) -> None:
    refused = client.post("/v1/search", content=b'{"q": "x"}', headers={"content-type": "application/json", **headers})
    assert next(iter(headers.values())) in problem_of(refused, 415, "unsupported-media-type")


def test_too_large_headers_are_refused(client: TestClient) -> None:
    problem_of(client.get("/healthz", headers={"x": "y" * 70_000}), 431, "headers-too-large")


def test_too_much_is_refused(client: TestClient) -> None:
    headers = {"content-type": "application/json"}
    declared = client.post("/v1/search", content=b" " * (MAX_BODY_BYTES + 1), headers=headers)
    problem_of(declared, 413, "body-too-large")

    def stream() -> Iterator[bytes]:
        for _ in range(40):
            yield b" " * 65_536

    problem_of(client.post("/v1/search", content=stream(), headers=headers), 413, "body-too-large")


def test_too_long_a_request_line_is_refused(service: Service) -> None:
    # Straight to the application: clients refuse to send it.
    sent: list[Message] = []

    async def ask() -> None:
        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {
            **{"type": "http", "method": "GET", "path": "/v1/search", "raw_path": b"/v1/search"},
            **{"query_string": b"q=" + b"x" * 70_000, "headers": [(b"host", b"127.0.0.1")]},
        }
        await make_app(service)(scope, receive, send)

    asyncio.run(ask())
    assert sent[0]["status"] == 413 and b"query-too-long" in sent[1]["body"]


@pytest.mark.parametrize(
    "path", ["/", "relative", "/no/such/folder", "/etc/hostname", "/a\0b", "/proc", "/sys", "/dev"]
)
def test_paths_that_cannot_be_tracked(client: TestClient, path: str) -> None:
    problem_of(client.post("/v1/repos", json={"path": path}), 400, "bad-path")


def test_unexpected_errors_have_the_same_body(service: Service) -> None:
    api = make_api(service)

    @api.get("/boom")
    async def boom() -> None:
        raise ZeroDivisionError("secret")

    client = TestClient(api, raise_server_exceptions=False)
    assert "secret" not in problem_of(client.get("/boom"), 500, "internal-error")


def test_every_error_class_has_a_status() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, GortexError)]
    assert set(kinds) == set(STATUSES)
