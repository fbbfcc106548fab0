"""Feedback, reads after a search, and what was learned of them, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from gortex_py.service.compose import Places, compose
from gortex_py.service.service import Service
from gortex_py.settings.paths import Paths
from gortex_py.settings.schema import build_settings
from gortex_py.surfaces.http.app import make_api
from tests.surfaces.http.conftest import wait_until_ready

Q = "dispatch a request to its route"
FIND = "src/routing.py::Router.find_handler"
SESSION = "src/session.py::open_session"


@pytest.fixture(autouse=True)
def fresh(client: TestClient) -> Iterator[None]:
    client.delete("/v1/memory")
    yield
    client.delete("/v1/memory")


def lifted(client: TestClient, query: str = Q, **headers: str) -> dict[str, float]:
    """Return path -> what memory adds."""
    answer = client.get("/v1/search", params={"q": query, "explain": "true"}, headers=headers).json()
    parts = [(hit["path"], part) for hit in answer["results"] for part in hit["contributions"]]
    return {path: round(part["score"], 3) for path, part in parts if part["signal"] == "memory"}


def tell(client: TestClient, times: int = 3, **body: Any) -> Any:
    for _ in range(times):
        answer = client.post("/v1/feedback", json={"query": Q, **body})
    return answer


def test_feedback_by_id_lifts_what_was_the_answer(client: TestClient) -> None:
    answer = tell(client, id=FIND)
    assert answer.status_code == 200
    assert answer.json() == {
        "repo": "shop",
        "path": "src/routing.py",
        "symbol": "Router.find_handler",
        "id": FIND,
        "query": Q,
        "useful": True,
        "selections": 3,
    }
    assert lifted(client) == {"src/routing.py": 0.9}
    assert 0 < lifted(client, "requests of a route")["src/routing.py"] < 0.9


def test_feedback_by_path_and_line_means_the_innermost_definition(client: TestClient) -> None:
    answer = tell(client, repo="shop", path="src/routing.py", line=9).json()
    assert (answer["symbol"], answer["id"]) == ("Router.find_handler", FIND)
    assert lifted(client) == {"src/routing.py": 0.9}
    whole = tell(client, times=1, path="src/routing.py").json()
    assert (whole["symbol"], whole["id"], whole["selections"]) == (None, None, 1)


def test_feedback_that_it_was_not_the_answer_takes_back(client: TestClient) -> None:
    tell(client, times=4, id=FIND)
    tell(client, times=1, id=FIND, useful=False)
    assert lifted(client) == {"src/routing.py": 0.9}


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"id": FIND, "query": " "}, 400, "empty-query"),
        ({}, 400, "no-place"),
        ({"id": FIND, "path": "src/routing.py"}, 400, "no-place"),
        ({"path": "src/routing.py", "line": 99}, 400, "bad-line"),
        ({"path": "src/routing.py", "line": 0}, 422, "invalid-request"),
        ({"id": FIND, "repo": "absent"}, 400, "unknown-repository"),
        ({"id": "src/routing.py::absent"}, 404, "unknown-symbol"),
        ({"path": "src/absent.py"}, 404, "unknown-file"),
        ({"id": FIND, "mood": "good"}, 422, "invalid-request"),
    ],
)
def test_feedback_that_cannot_be_taken_says_why(
    client: TestClient, body: dict[str, Any], status: int, code: str
) -> None:
    answer = client.post("/v1/feedback", json={"query": Q, **body})
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert client.get("/v1/memory").json()["total"] == 0


def test_reading_the_source_of_a_hit_three_times_lifts_it(client: TestClient) -> None:
    for _ in range(3):
        client.get("/v1/search", params={"q": "who opens sessions of users"})
        assert client.get(f"/v1/symbols/{SESSION}").status_code == 200
        client.get(f"/v1/symbols/{SESSION}")  # looking twice is no second choice
    assert lifted(client, "who opens sessions of users") == {"src/session.py": 0.9}


def test_a_read_counts_for_the_client_that_searched(client: TestClient) -> None:
    for _ in range(3):
        client.post("/v1/search", json={"q": "who opens sessions"}, headers={"Gortex-Client": "ann"})
        client.get(f"/v1/symbols/{SESSION}", headers={"Gortex-Client": "bob"})
        client.get(f"/v1/symbols/{SESSION}", headers={"User-Agent": "other"})
    assert client.get("/v1/memory").json()["total"] == 0
    client.get(f"/v1/symbols/{SESSION}", headers={"Gortex-Client": "ann", "User-Agent": "other"})
    assert client.get("/v1/memory").json()["total"] > 0


def test_a_symbol_that_no_page_showed_teaches_nothing(client: TestClient) -> None:
    client.get("/v1/search", params={"q": "who opens sessions", "path": "docs/*"})
    client.get(f"/v1/symbols/{SESSION}")
    assert client.get("/v1/memory").json()["total"] == 0


def test_what_was_learned_is_shown_and_deleted(client: TestClient) -> None:
    tell(client, id=FIND)
    shown = client.get("/v1/memory").json()
    assert shown["enabled"] and shown["total"] == len(shown["associations"]) == 4
    whole = next(row for row in shown["associations"] if row["scope"] == "query")
    assert (whole["key"], whole["path"], whole["symbol"]) == (Q, "src/routing.py", "Router.find_handler")
    assert whole["selections"] == 3 and whole["lift"] == pytest.approx(0.15, abs=1e-3)
    assert len(client.get("/v1/memory", params={"limit": 1}).json()["associations"]) == 1
    assert client.get("/v1/memory", params={"repo": "absent"}).json()["total"] == 0
    assert client.get("/v1/memory", params={"query": "quite another thing"}).json()["total"] == 0
    assert client.delete("/v1/memory", params={"query": Q}).json() == {"removed": 4}
    assert client.get("/v1/memory").json()["associations"] == []
    assert lifted(client) == {}


@pytest.fixture
def own(tmp_path: Path) -> Iterator[tuple[Service, TestClient, Path]]:
    """A service of its own, whose repository may be changed."""
    root = tmp_path / "own"
    (root / "src").mkdir(parents=True)
    (root / "src" / "lock.py").write_text("def hold(lock):\n    # hold the lock of a parcel\n    return lock\n")
    (root / "src" / "other.py").write_text("def parcel(lock):\n    # lock a parcel\n    return lock\n")
    yield from serving(tmp_path, root, {})


def serving(base: Path, root: Path, values: dict[str, Any]) -> Iterator[tuple[Service, TestClient, Path]]:
    paths = Paths.from_environment({"GORTEX_HOME": str(base / "gortex")}, base)
    paths.ensure()
    settings = build_settings({"index.workers": 1, "watch.enabled": False, **values})
    service = compose(paths, settings, Places(base))
    service.start()
    service.track(str(root))
    wait_until_ready(service, root.name)
    yield service, TestClient(make_api(service), base_url="http://127.0.0.1:7411"), root
    assert service.stop()


def test_what_was_learned_follows_a_rename_and_goes_with_the_repository(
    own: tuple[Service, TestClient, Path],
) -> None:
    service, client, root = own
    tell(client, id="src/lock.py::hold", query="hold a parcel")
    (root / "src" / "lock.py").rename(root / "src" / "mutex.py")
    service.reindex("own")
    wait_until_ready(service, "own")
    assert lifted(client, "hold a parcel") == {"src/mutex.py": 0.9}
    service.untrack("own")
    assert client.get("/v1/memory").json()["total"] == 0


def test_switched_off_feedback_is_refused_and_nothing_is_kept(tmp_path: Path) -> None:
    root = tmp_path / "off"
    root.mkdir()
    (root / "lock.py").write_text("def hold(lock):\n    return lock\n")
    for service, client, _ in serving(tmp_path, root, {"search.task_memory": False}):
        answer = client.post("/v1/feedback", json={"query": "hold", "id": "lock.py::hold"})
        assert (answer.status_code, answer.json()["code"]) == (409, "memory-off")
        client.get("/v1/search", params={"q": "hold a lock"})
        assert client.get("/v1/symbols/lock.py::hold").status_code == 200
        assert client.get("/v1/memory").json() == {"enabled": False, "total": 0, "associations": []}
        assert not (tmp_path / "gortex" / "data" / "memory.db").exists()
        assert service.problems() == []
