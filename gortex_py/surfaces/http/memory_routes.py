"""The routes of the task memory. Each is a thin call of the service."""

from __future__ import annotations

import asyncio
from typing import Annotated, TypeAlias

from fastapi import APIRouter, Query
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from gortex_py.errors import UsageError
from gortex_py.service.feedback import Feedback
from gortex_py.service.service import Service
from gortex_py.surfaces import render
from gortex_py.surfaces.http import memory_bodies as bodies
from gortex_py.surfaces.http.answers import problems, send
from gortex_py.surfaces.http.bodies import MAX_LIMIT, MAX_QUERY_CHARS

OneRepo: TypeAlias = Annotated[
    str | None, Query(description="Name of a repository; all when left out.", max_length=200)
]
OneQuery: TypeAlias = Annotated[
    str | None,
    Query(description="A query: what is kept of it and of its keywords.", max_length=MAX_QUERY_CHARS),
]


def make_memory_router(service: Service) -> APIRouter:
    """Return the routes of a service's task memory."""
    router = APIRouter()

    @router.post("/v1/feedback", response_model=bodies.FeedbackAnswer, responses=problems(400, 404, 409, 503))
    async def feedback(body: bodies.FeedbackBody) -> Response:
        """Learn what was the answer to a query, so that it ranks higher when the like is asked again."""
        if not body.query.strip():
            raise UsageError("the query is empty; say what was looked for", code="empty-query")
        given = Feedback(body.query, body.repo, body.id, body.path, body.line, body.useful)
        return send(render.feedback_json(await asyncio.wrap_future(service.feedback(given))))

    @router.get("/v1/memory", response_model=bodies.MemoryAnswer, responses=problems(503))
    async def memory(
        repo: OneRepo = None,
        query: OneQuery = None,
        limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="How many associations.")] = 100,
    ) -> Response:
        """Show what was learned, the last used first."""
        rows = await run_in_threadpool(service.memory.show, repo, query)
        shown = [render.association_json(row) for row in rows[:limit]]
        return send({"enabled": service.memory.is_enabled, "total": len(rows), "associations": shown})

    @router.delete("/v1/memory", response_model=bodies.ForgottenAnswer, responses=problems(503))
    async def forget(repo: OneRepo = None, query: OneQuery = None) -> Response:
        """Delete what was learned of a repository, or of a query with its keywords; without either, everything.

        Deleted rows are overwritten and the database is written anew.
        """
        return send({"removed": await run_in_threadpool(service.memory.forget, repo, query)})

    return router
