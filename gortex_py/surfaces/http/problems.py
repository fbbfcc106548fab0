"""One error body everywhere: problem+json with a stable code, whoever noticed the trouble."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from gortex_py.errors import (
    Conflict,
    EmbeddingFailed,
    GortexError,
    IncompatibleIndex,
    NotFound,
    NotReady,
    StoreFailed,
    UpstreamFailed,
    UpstreamTimeout,
    UsageError,
)
from gortex_py.surfaces.render import text

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
STATUSES: Mapping[type[GortexError], int] = {
    UsageError: 400,
    NotFound: 404,
    Conflict: 409,
    IncompatibleIndex: 409,
    NotReady: 503,
    EmbeddingFailed: 503,
    UpstreamTimeout: 504,
    UpstreamFailed: 502,
    StoreFailed: 500,
    GortexError: 500,
}
_METHODS = ("DELETE", "GET", "POST", "PUT")
_HTTP_CODES = {
    400: "bad-request",
    404: "no-such-route",
    405: "method-not-allowed",
    413: "too-large",
    415: "unsupported-media-type",
}


def problem(status: int, code: str, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return an error answer."""
    body = {
        "type": f"urn:gortex:problem:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": text(detail),
        "code": code,
    }
    return Response(orjson.dumps(body), status, dict(headers or {}), MEDIA_TYPE)


def status_of(error: GortexError) -> int:
    """Return the status of the nearest class that has one."""
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def install(app: FastAPI) -> None:
    """Route every kind of trouble through ``problem``."""
    app.add_exception_handler(GortexError, _on_own_error)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(Exception, _on_unexpected)


async def _on_own_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, GortexError)
    status = status_of(error)
    if status >= 500 and not isinstance(error, NotReady | UpstreamFailed):
        logger.error("%s: %s", error.code, error.message)
    headers = {"Retry-After": "1"} if isinstance(error, NotReady) else None
    return problem(status, error.code, error.message, headers)


async def _on_invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first: Mapping[str, Any] = next(iter(error.errors()), {})
    if first.get("type") == "json_invalid":
        reason = first.get("ctx", {}).get("error", "it cannot be parsed")
        return problem(400, "invalid-json", f"the body is not valid JSON: {reason}")
    return problem(422, "invalid-request", sentence_of(first))


async def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = error.status_code
    detail = str(error.detail)
    headers = error.headers
    if status == 404:
        detail = f"there is no {request.url.path[:200]}; the routes are listed in /openapi.json"
    elif status == 405:
        # Of several routes of one path the framework names the methods of the first alone.
        headers = {"Allow": ", ".join(_allowed(request))}
        detail = f"{request.method} is not allowed on {request.url.path[:200]}"
    elif status == 400:
        detail = "the body cannot be read as JSON"
    return problem(status, _HTTP_CODES.get(status, "http-error"), detail, headers)


def _allowed(request: Request) -> list[str]:
    scope = {name: request.scope[name] for name in ("type", "path", "headers", "query_string")}
    return [
        method
        for method in _METHODS
        if any(route.matches({**scope, "method": method})[0] is Match.FULL for route in request.app.routes)
    ]


async def _on_unexpected(request: Request, error: Exception) -> Response:
    logger.error("%s %s failed unexpectedly", request.method, request.url.path, exc_info=error)
    return problem(500, "internal-error", f"an unexpected error ({type(error).__name__}); the daemon's log has it")


def sentence_of(error: Mapping[str, Any]) -> str:
    """Say in one sentence what is wrong with a request.

    >>> sentence_of({"type": "int_parsing", "loc": ("query", "limit"), "input": "abc"})
    "limit must be a whole number, not 'abc'"
    """
    name = _name_of(error.get("loc", ()))
    kind = str(error.get("type", ""))
    context: Mapping[str, Any] = error.get("ctx", {})
    given = _shown(error.get("input"))
    sentences = {
        "missing": f"{name} is missing",
        "extra_forbidden": f"{name} is not a known field",
        "greater_than_equal": f"{name} must be at least {context.get('ge')}, not {given}",
        "less_than_equal": f"{name} must be at most {context.get('le')}, not {given}",
        "string_type": f"{name} must be text, not {given}",
        "string_unicode": f"{name} holds characters that are not Unicode (lone surrogates)",
        "string_too_long": f"{name} is longer than {context.get('max_length')} characters",
        "too_long": f"{name} has more than {context.get('max_length')} entries",
        "bool_type": f"{name} must be true or false, not {given}",
        "bool_parsing": f"{name} must be true or false, not {given}",
        "model_attributes_type": "the body must be a JSON object",
        "dict_type": "the body must be a JSON object",
    }
    if kind.startswith("int_") or kind == "finite_number":
        return f"{name} must be a whole number, not {given}"
    if kind == "missing" and name == "body":
        return "the body is missing; send a JSON object"
    return sentences.get(kind, f"{name}: {error.get('msg', 'is not valid')}")


def _name_of(location: Sequence[object]) -> str:
    parts = location[1:] if location and location[0] in ("query", "path", "body") else location
    return ".".join(str(part) for part in parts)[:200] or "body"


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."
