"""Who is let in: names, origins, tokens."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from gortex_py.errors import UsageError
from gortex_py.service.service import Service
from gortex_py.surfaces.http.app import make_app
from gortex_py.surfaces.http.guard import GuardOptions, check_bind

ROUTES = [
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/openapi.json"),
    ("GET", "/v1/search?q=x"),
    ("GET", "/v1/repos"),
    ("POST", "/v1/shutdown"),
    ("DELETE", "/v1/repos/x"),
    ("OPTIONS", "/v1/search"),
    ("GET", "/nothing"),
]


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_foreign_names_and_pages_are_refused_on_every_route(client: TestClient, method: str, path: str) -> None:
    rebound = client.request(method, path, headers={"host": "evil.example:7411"})
    assert (rebound.status_code, rebound.json()["code"]) == (403, "host-not-allowed")
    for headers in (
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost:3000"},
        {"sec-fetch-site": "cross-site"},
    ):
        page = client.request(method, path, headers=headers)
        assert (page.status_code, page.json()["code"]) == (403, "origin-not-allowed")
        assert page.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("host", ["127.0.0.1:7411", "localhost", "LOCALHOST:1", "[::1]:7411"])
def test_own_names_and_own_pages_are_let_in(client: TestClient, host: str) -> None:
    assert client.get("/healthz", headers={"host": host}).status_code == 200
    answer = client.get("/healthz", headers={"host": host, "origin": f"http://{host}"})
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "host",
    [
        "[::1]evil.example",
        "[localhost]",
        "localhost:x@evil.example",
        "localhost:abc",
        "localhost/",
        "::1",
        "",
        "a@localhost",
    ],
)
def test_hosts_that_only_look_like_own_names_are_refused(client: TestClient, host: str) -> None:
    assert client.get("/healthz", headers={"host": host}).json()["code"] == "host-not-allowed"


@pytest.mark.parametrize(("name", "own"), [("origin", "http://127.0.0.1:7411"), ("sec-fetch-site", "same-origin")])
def test_a_second_header_cannot_hide_a_foreign_page(client: TestClient, name: str, own: str) -> None:
    foreign = {"origin": "https://evil.example", "sec-fetch-site": "cross-site"}[name]
    answer = client.get("/healthz", headers=[(name, own), (name, foreign)])
    assert answer.json()["code"] == "origin-not-allowed"


def test_listening_to_others_needs_a_token() -> None:
    for host in ("0.0.0.0", "192.168.1.5", "::", "example.org"):
        with pytest.raises(UsageError, match="needs a token"):
            check_bind(GuardOptions(host))
        check_bind(GuardOptions(host, lambda: "secret"))
    for host in ("127.0.0.1", "localhost", "::1", "127.0.0.2"):
        check_bind(GuardOptions(host))


def test_token_is_asked_for_and_renewable(service: Service) -> None:
    tokens = ["first"]
    app = make_app(service, GuardOptions("0.0.0.0", lambda: tokens[-1]))
    client = TestClient(app, base_url="http://laptop.lan:7411")

    def ask(path: str, authorization: str | None = None) -> int:
        headers = {} if authorization is None else {"authorization": authorization.encode("latin-1")}
        return client.get(path, headers=headers).status_code

    assert ask("/v1/repos", "Bearer first") == ask("/v1/repos", "bearer first") == 200
    assert ask("/healthz") == 200
    assert ask("/v1/repos") in (401, 403)
    for wrong in ("Bearer firs", "Bearer first2", "first", "Basic first", "Bearer \xff"):
        assert ask("/v1/repos", wrong) in (401, 403)
    local = TestClient(app, base_url="http://127.0.0.1:7411").get("/v1/repos")
    assert (local.status_code, local.headers["www-authenticate"]) == (401, "Bearer")
    tokens.append("second")
    assert (ask("/v1/repos", "Bearer first"), ask("/v1/repos", "Bearer second")) == (403, 200)
