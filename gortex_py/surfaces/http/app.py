"""The FastAPI application over a service object."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.types import ASGIApp, Receive, Scope, Send

from gortex_py import __version__
from gortex_py.service.service import Service
from gortex_py.surfaces.http import bodies, examples, problems
from gortex_py.surfaces.http.guard import Guard, GuardOptions
from gortex_py.surfaces.http.memory_bodies import MEMORY_ANSWERS
from gortex_py.surfaces.http.routes import make_router
from gortex_py.surfaces.http.tool_examples import TOOL_ANSWERS
from gortex_py.surfaces.mcp.mount import MCP_PATH, McpMount

DESCRIPTION = (
    "Local hybrid code search. Lines are 1-based and inclusive, paths relative to their repository, scores "
    "higher-is-better. Every error has the same body (application/problem+json) with a stable code."
)


def make_api(service: Service) -> FastAPI:
    """Return the routes as an application, without the guard."""
    # The pages that would show the document load their scripts from elsewhere; the document itself suffices.
    api = FastAPI(
        title="gortex",
        version=__version__,
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # one address for each thing; a redirect would be an answer without a problem body
    )
    api.include_router(make_router(service))
    problems.install(api)

    def openapi() -> dict[str, Any]:
        if api.openapi_schema is None:
            document = get_openapi(title=api.title, version=api.version, description=api.description, routes=api.routes)
            schemas = document.setdefault("components", {}).setdefault("schemas", {})
            schemas["ProblemBody"] = bodies.ProblemBody.model_json_schema(ref_template="#/components/schemas/{model}")
            for name, example in {**examples.ANSWERS, **TOOL_ANSWERS, **MEMORY_ANSWERS}.items():
                schemas[name]["examples"] = [example]
            for unused in ("HTTPValidationError", "ValidationError"):
                schemas.pop(unused, None)
            api.openapi_schema = document
        return api.openapi_schema

    api.openapi = openapi  # type: ignore[method-assign]
    return api


def make_app(service: Service, guard: GuardOptions | None = None) -> ASGIApp:
    """Return the application that is served."""
    api, gateway = make_api(service), McpMount(service)

    async def either(scope: Scope, receive: Receive, send: Send) -> None:
        await (gateway if scope.get("path") == MCP_PATH else api)(scope, receive, send)

    return Guard(either, guard or GuardOptions())
