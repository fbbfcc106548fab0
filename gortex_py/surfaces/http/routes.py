"""The routes. Each is a thin call of the service; answers are sent as bytes that orjson made."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Annotated, TypeAlias

from fastapi import APIRouter, Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.convertors import Convertor, register_url_convertor
from starlette.responses import Response, StreamingResponse

from gortex_py import __version__
from gortex_py.errors import NotReady
from gortex_py.service.service import Service
from gortex_py.service.status import resident_bytes
from gortex_py.surfaces import render
from gortex_py.surfaces.http import bodies
from gortex_py.surfaces.http.answers import problems, send
from gortex_py.surfaces.http.asking import Asked, client_of, read_search
from gortex_py.surfaces.http.bodies import SearchBody, SearchParameters, TrackBody
from gortex_py.surfaces.http.memory_routes import make_memory_router
from gortex_py.surfaces.http.stream import EventStreams
from gortex_py.surfaces.http.tool_routes import make_tool_router
from gortex_py.types import IndexState, JsonObject

SERVICE_NAME = "gortex"
RepositoryName: TypeAlias = Annotated[str, Path(description="The repository's name.", max_length=400)]


class SymbolConvertor(Convertor[str]):
    """The rest of a path, whatever it holds: a file's name may have a newline in it."""

    regex = "(?s:.*)"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("symbol", SymbolConvertor())


def make_router(service: Service) -> APIRouter:
    """Return the routes of a service."""
    router = APIRouter()
    streams = EventStreams(service)
    _add_probes(router, service)
    _add_questions(router, service)
    _add_repositories(router, service)
    _add_daemon(router, service, streams)
    router.include_router(make_memory_router(service))
    router.include_router(make_tool_router(service, streams))
    return router


def _add_probes(router: APIRouter, service: Service) -> None:
    @router.get("/healthz", response_model=bodies.HealthAnswer, responses=problems())
    async def healthz() -> Response:
        """Say that the process is alive. Needs no token."""
        return send({"status": "ok", **_identity(service)})

    @router.get("/readyz", response_model=bodies.ReadyAnswer, responses=problems(503))
    async def readyz() -> Response:
        """Say that every repository answers from a whole index."""
        unready = service.readiness.unready()
        if unready:
            names = ", ".join(unready[:10])
            raise NotReady(f"still being indexed: {names}; searches answer from what is indexed so far")
        return send({"status": "ready", "repos": len(service.repositories())})


def _add_questions(router: APIRouter, service: Service) -> None:
    async def answer(asked: Asked, warnings: list[str], client: str) -> Response:
        found = await asyncio.wrap_future(service.search(asked.query, asked.repos, client=client))
        body = render.answer_json(found)
        body["warnings"] = [*warnings, *body["warnings"]]
        return send(body)

    @router.get("/v1/search", response_model=bodies.SearchAnswer, responses=problems(400, 503))
    async def search(request: Request, parameters: Annotated[SearchParameters, Query()]) -> Response:
        """Search the tracked repositories."""
        unknown = [name for name in request.query_params if name not in SearchParameters.model_fields]
        warnings = [f"the parameter {render.text(name[:50])!r} is not known and was ignored" for name in unknown[:5]]
        return await answer(read_search(parameters), warnings, client_of(request))

    @router.post("/v1/search", response_model=bodies.SearchAnswer, responses=problems(400, 503))
    async def search_by_body(request: Request, body: SearchBody) -> Response:
        """Search the tracked repositories; the same as GET for long or structured queries."""
        return await answer(read_search(body), [], client_of(request))

    @router.get("/v1/symbols/{id:symbol}", response_model=bodies.SymbolAnswer, responses=problems(400, 404, 409, 503))
    async def symbol(
        request: Request,
        symbol_id: Annotated[str, Path(alias="id", description="The id of a hit.", max_length=8_000)],
        repo: Annotated[str, Query(description="Needed where several repositories have it.", max_length=200)] = "",
    ) -> Response:
        """Return a definition with its source. The task memory learns that it was read after a search."""
        found = service.symbol(symbol_id, repo or None, client=client_of(request))
        return send(render.symbol_json(await asyncio.wrap_future(found)))


def _add_repositories(router: APIRouter, service: Service) -> None:
    @router.get("/v1/repos", response_model=bodies.RepositoriesAnswer, responses=problems())
    async def repositories() -> Response:
        """List the tracked repositories."""
        return send({"repos": [render.repository_json(status) for status in service.repositories()]})

    @router.post("/v1/repos", status_code=202, response_model=bodies.RepositoryBody, responses=problems(400, 409))
    async def track(body: TrackBody) -> Response:
        """Track a folder; indexing goes on behind."""
        return send(render.repository_json(await run_in_threadpool(service.track, body.path, body.name)), 202)

    @router.delete("/v1/repos/{name}", response_model=bodies.RemovedAnswer, responses=problems(404))
    async def untrack(name: RepositoryName) -> Response:
        """Forget a repository and delete its index."""
        return send(render.removed_json(await run_in_threadpool(service.untrack, name)))

    @router.post(
        "/v1/repos/{name}/reindex", status_code=202, response_model=bodies.RepositoryBody, responses=problems(404)
    )
    async def reindex(name: RepositoryName) -> Response:
        """Look at every file of a repository again; goes on behind."""
        return send(render.repository_json(await run_in_threadpool(service.reindex, name)), 202)


def _add_daemon(router: APIRouter, service: Service, streams: EventStreams) -> None:

    @router.get("/v1/status", response_model=bodies.StatusAnswer, responses=problems(503))
    async def status() -> Response:
        """Return counts, skipped files by reason, degraded parts, index age and memory."""
        statuses = await asyncio.wrap_future(service.statuses())
        embedding = service.embedding()
        return send(
            {
                **_identity(service),
                "state": _overall([each.state for each in statuses]),
                "embeddings": {
                    "provider": embedding.provider,
                    "variant": embedding.variant,
                    "dim": embedding.dim,
                },
                "memory": {"rss_bytes": resident_bytes()},
                "problems": [render.text(problem) for problem in service.problems()],
                "repos": [render.repository_detail_json(each) for each in statuses],
            }
        )

    @router.get(
        "/v1/events",
        response_class=StreamingResponse,
        responses={200: {"description": "Server-sent events", "content": {"text/event-stream": {}}}, **problems(503)},
    )
    async def events() -> StreamingResponse:
        """Stream what happens.

        Events: ``progress``, ``index``, ``state``, ``repository``, ``tools-changed``, ``tool-server``, ``stopping``.
        """
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(streams.open(), media_type="text/event-stream", headers=headers)

    @router.post("/v1/shutdown", status_code=202, response_model=bodies.StoppingAnswer, responses=problems())
    async def shutdown() -> Response:
        """Finish what is being written and end the daemon."""
        service.on_stop_requested()
        return send({"status": "stopping", "pid": os.getpid()}, 202)


def _identity(service: Service) -> JsonObject:
    return {
        "service": SERVICE_NAME,
        "version": __version__,
        "pid": os.getpid(),
        "uptime_s": round(time.time() - service.started_at, 3),
    }


def _overall(states: list[IndexState]) -> str:
    for state in (IndexState.FAILED, IndexState.INDEXING, IndexState.READY):
        if state in states:
            return state.value
    return IndexState.EMPTY.value
