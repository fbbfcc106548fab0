"""Requests that schemathesis makes up from the OpenAPI document: no 5xx, no malformed body."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.testclient import TestClient

from gortex_py.service.service import Service
from gortex_py.surfaces.http.app import make_api
from tests.surfaces.http.conftest import wait_until_ready, write_tree

# Streams do not end, and what these would do is tested elsewhere.
LEFT_OUT = {("GET", "/v1/events"), ("GET", "/v1/tools/sessions/{id}/events"), ("POST", "/v1/shutdown")}
CHECKS = [status_code_conformance, content_type_conformance, response_schema_conformance]
SHORT, SOAK = 6, 2_400  # examples an operation


@pytest.fixture(scope="module")
def fuzzed(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    root = write_tree(tmp_path_factory.mktemp("fuzz") / "victim")
    service.track(str(root), "victim")
    wait_until_ready(service, "victim")
    yield TestClient(make_api(service), base_url="http://127.0.0.1:7411", raise_server_exceptions=False)
    service.untrack("victim")


def operations(service: Service) -> list[Any]:
    schema = schemathesis.openapi.from_asgi("/openapi.json", make_api(service))
    found = [result.ok() for result in schema.get_all_operations()]
    return [operation for operation in found if (operation.method.upper(), operation.path) not in LEFT_OUT]


def check(case: Any, client: TestClient) -> None:
    response = case.call(session=client)
    assert response.status_code < 500 or response.json()["code"] in ("busy", "not-ready"), response.text
    json.loads(response.content, parse_constant=lambda constant: pytest.fail(f"{constant} is not JSON"))
    case.validate_response(response, checks=CHECKS)


def run(service: Service, client: TestClient, examples: int) -> int:
    count = 0
    for operation in operations(service):
        for mode in (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE):
            strategy: st.SearchStrategy[Any] = operation.as_strategy(generation_mode=mode)

            @settings(
                max_examples=max(1, examples // 2),
                deadline=None,
                database=None,
                derandomize=examples == SHORT,
                phases=[Phase.explicit, Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(strategy)
            def one(case: Any) -> None:
                nonlocal count
                count += 1
                check(case, client)

            try:
                one()
            except Unsatisfiable:
                # An operation without parameters cannot be asked wrongly.
                assert mode is schemathesis.GenerationMode.NEGATIVE
    return count


def test_made_up_requests_get_proper_answers(service: Service, fuzzed: TestClient, tmp_path: Path) -> None:
    assert run(service, fuzzed, SHORT) >= 60


@pytest.mark.soak
@pytest.mark.timeout(1_200)
def test_ten_thousand_made_up_requests_get_proper_answers(
    service: Service, fuzzed: TestClient, capsys: pytest.CaptureFixture[str]
) -> None:
    count = run(service, fuzzed, SOAK)
    with capsys.disabled():
        sys.stdout.write(f" {count} requests ")
    assert count >= 10_000
