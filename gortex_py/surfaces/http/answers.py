"""How answers are sent and how error answers are documented."""

from __future__ import annotations

from typing import Any, TypeAlias

import orjson
from starlette.responses import Response

from gortex_py.surfaces.http.problems import MEDIA_TYPE
from gortex_py.types import JsonObject

Responses: TypeAlias = dict[int | str, dict[str, Any]]

_PROBLEM = {
    "description": "Why the request was not answered",
    "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemBody"}}},
}


def problems(*statuses: int) -> Responses:
    """Return the documentation of error answers; every route can give the first ones too."""
    return dict.fromkeys((401, 403, 413, 415, 422, 431, 500, *statuses), _PROBLEM)


def send(body: JsonObject, status: int = 200) -> Response:
    """Return an answer. Strict JSON: orjson writes null for what is not a finite number."""
    return Response(orjson.dumps(body), status, media_type="application/json")
