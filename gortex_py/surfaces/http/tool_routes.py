"""The routes under /v1/tools. Each is a thin call of the service's tool desk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import APIRouter, Body, Path, Query
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from gortex_py.discovery.bm25plus import Match
from gortex_py.discovery.catalog import ToolCard, source_of
from gortex_py.discovery.modes import SEARCH_TOOL_NAME, DiscoveryMode, DiscoveryOptions, Start
from gortex_py.discovery.render import render_found
from gortex_py.discovery.search_tool import Found, content_of, details_of
from gortex_py.discovery.shapes import CatalogueShape, compact, write_tool
from gortex_py.service.events import Event
from gortex_py.service.service import Service
from gortex_py.service.tool_catalogues import Catalogue, CatalogueChange
from gortex_py.service.tool_options import SearchOptions
from gortex_py.service.tool_sessions import Explanation, SessionRequest, SessionView
from gortex_py.service.tools import CHANGED_EVENT
from gortex_py.surfaces.http import tool_bodies as bodies
from gortex_py.surfaces.http.answers import problems, send
from gortex_py.surfaces.http.stream import EventStreams
from gortex_py.surfaces.http.tool_server_routes import add_server_routes
from gortex_py.types import JsonObject

CatalogueName: TypeAlias = Annotated[
    str, Path(description="1 to 64 of A-Z a-z 0-9 _ . -, no dot first.", pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$")
]
AnyCatalogueName: TypeAlias = Annotated[
    str,
    Path(
        description="A catalogue's name; `mcp:` and a name is the catalogue of an MCP server.",
        pattern=r"^(mcp:)?[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$",
    ),
]
Strict: TypeAlias = Annotated[bool, Query(description="Change nothing when one item cannot be taken.")]
Server: TypeAlias = Annotated[
    str, Query(description="The MCP server of an MCP listing; the catalogue's name.", max_length=100)
]
SessionId: TypeAlias = Annotated[str, Path(description="The session's id.", max_length=200)]
Shape: TypeAlias = Annotated[Literal["own", "mcp", "openai", "anthropic"], Query(description="Form of the tools.")]
State: TypeAlias = Annotated[Literal["active", "discoverable", "selected"], Query(description="Which tools.")]
Form: TypeAlias = Annotated[
    Literal["own", "mcp", "openai", "anthropic", "compact"],
    Query(description="Form of the tools; compact has name, label and description."),
]
CatalogueInput: TypeAlias = Annotated[bodies.CatalogueBody | list[Any], Body(examples=[bodies.LISTING])]


def make_tool_router(service: Service, streams: EventStreams) -> APIRouter:
    """Return the tool routes of a service."""
    router = APIRouter(prefix="/v1/tools")
    _add_search(router, service)
    _add_catalogues(router, service)
    _add_sessions(router, service)
    _add_selection(router, service)
    _add_session_events(router, service, streams)
    add_server_routes(router, service)
    return router


def _add_search(router: APIRouter, service: Service) -> None:
    @router.post("/search", response_model=bodies.ToolSearchAnswer, responses=problems(400, 404, 409))
    async def search(body: bodies.ToolSearchBody) -> Response:
        """Find tools and activate the best in a session; or only rank a catalogue, or everything.

        The error texts for query and limit are those of `search_tool_bm25`, in its order of checks.
        """
        return send(await run_in_threadpool(_search, service, body))

    @router.post("/render", response_model=bodies.RenderAnswer, responses=problems(400))
    async def render(body: bodies.RenderBody) -> Response:
        """Return a search's answer as text for a terminal; `expanded` shows more than five tools."""
        return send({"text": render_found(_found(body.details), expanded=body.expanded)})

    @router.get("/explain", response_model=bodies.ExplanationAnswer, responses=problems(400, 404))
    async def explain(
        session_id: Annotated[str, Query(description="The session.", max_length=200)],
        name: Annotated[str, Query(description="The tool.", max_length=200)],
    ) -> Response:
        """Say why a session sees a tool or does not."""
        return send(_explanation_json(await run_in_threadpool(service.tools.explain, session_id, name)))


def _add_catalogues(router: APIRouter, service: Service) -> None:
    async def put(name: str, body: CatalogueInput, **how: Any) -> Response:
        items = body.tools if isinstance(body, bodies.CatalogueBody) else body
        return send(_change_json(await run_in_threadpool(service.tools.put_catalogue, name, items, **how)))

    @router.get("/catalogues", response_model=bodies.CataloguesAnswer, responses=problems())
    async def catalogues() -> Response:
        """List the catalogues."""
        found = await run_in_threadpool(service.tools.catalogues)
        return send({"catalogues": [{**_head_json(each), "tools": len(each.tools)} for each in found]})

    @router.get("/catalogues/{name}", response_model=bodies.CatalogueAnswer, responses=problems(404))
    async def catalogue(name: AnyCatalogueName, shape: Shape = "own") -> Response:
        """Return a catalogue with its tools."""
        found = await run_in_threadpool(service.tools.catalogue, name)
        tools = [write_tool(tool, CatalogueShape(shape)) for tool in found.tools]
        return send({**_head_json(found), "tools": tools})

    @router.put("/catalogues/{name}", response_model=bodies.CatalogueChangeAnswer, responses=problems(400))
    async def put_catalogue(
        name: CatalogueName, body: CatalogueInput, server: Server = "", strict: Strict = False
    ) -> Response:
        """Put a catalogue in the place of what had its name; the shape of each item is seen by itself."""
        return await put(name, body, server=server or None, strict=strict, merge=False)

    @router.post("/catalogues/{name}", response_model=bodies.CatalogueChangeAnswer, responses=problems(400))
    async def merge_catalogue(
        name: CatalogueName, body: CatalogueInput, server: Server = "", strict: Strict = False
    ) -> Response:
        """Put tools into a catalogue, which is begun when there is none; those that are not named stay."""
        return await put(name, body, server=server or None, strict=strict, merge=True)

    @router.delete("/catalogues/{name}", response_model=bodies.CatalogueRemovedAnswer, responses=problems(404))
    async def delete_catalogue(name: CatalogueName) -> Response:
        """Delete a catalogue; what sessions selected of it comes back when it does."""
        gone = await run_in_threadpool(service.tools.delete_catalogue, name)
        return send({"name": gone.name, "removed": True})


def _add_sessions(router: APIRouter, service: Service) -> None:
    @router.get("/sessions", response_model=bodies.ToolSessionsAnswer, responses=problems())
    async def sessions() -> Response:
        """List the tool sessions."""
        found = await run_in_threadpool(service.tools.sessions)
        return send({"sessions": [_session_json(each) for each in found]})

    @router.post("/sessions", status_code=201, response_model=bodies.ToolSessionAnswer, responses=problems(400, 404))
    async def open_session(body: bodies.ToolSessionBody) -> Response:
        """Begin a tool session. It is kept over restarts until it is deleted."""
        return send(_session_json(await run_in_threadpool(service.tools.open_session, _request(service, body))), 201)

    @router.get("/sessions/{id}", response_model=bodies.ToolSessionAnswer, responses=problems(404))
    async def session(session_id: Annotated[SessionId, Path(alias="id")]) -> Response:
        """Return a tool session as it is now."""
        return send(_session_json(await run_in_threadpool(service.tools.session, session_id)))

    @router.delete("/sessions/{id}", response_model=bodies.ToolSessionAnswer, responses=problems(404))
    async def close_session(session_id: Annotated[SessionId, Path(alias="id")]) -> Response:
        """Forget a tool session; answers with what it was."""
        return send(_session_json(await run_in_threadpool(service.tools.close_session, session_id)))

    @router.get("/sessions/{id}/tools", response_model=bodies.ToolsAnswer, responses=problems(404))
    async def tools(
        session_id: Annotated[SessionId, Path(alias="id")], state: State = "active", form: Form = "own"
    ) -> Response:
        """Return the tools of a session that are active, discoverable or selected."""
        found = await run_in_threadpool(service.tools.tools, session_id, state)
        written = [compact(tool) if form == "compact" else write_tool(tool, CatalogueShape(form)) for tool in found]
        return send({"tools": written})

    @router.get("/sessions/{id}/description", response_model=bodies.DescriptionAnswer, responses=problems(404))
    async def description(session_id: Annotated[SessionId, Path(alias="id")]) -> Response:
        """Return what `search_tool_bm25` says of itself in this session at this moment."""
        text = await run_in_threadpool(service.tools.description, session_id)
        return send({"name": SEARCH_TOOL_NAME, "description": text})


def _add_selection(router: APIRouter, service: Service) -> None:
    async def switch(
        session_id: str, change: Callable[[str, list[str]], tuple[str, ...]], names: list[str]
    ) -> Response:
        def run() -> JsonObject:
            switched = change(session_id, names)
            return {"names": switched, "session": _session_json(service.tools.session(session_id))}

        return send(await run_in_threadpool(run))

    @router.post("/sessions/{id}/activate", response_model=bodies.ActivationAnswer, responses=problems(400, 404))
    async def activate(session_id: Annotated[SessionId, Path(alias="id")], body: bodies.NamesBody) -> Response:
        """Switch tools on by name."""
        return await switch(session_id, service.tools.activate, body.names)

    @router.post("/sessions/{id}/deactivate", response_model=bodies.ActivationAnswer, responses=problems(400, 404))
    async def deactivate(session_id: Annotated[SessionId, Path(alias="id")], body: bodies.NamesBody) -> Response:
        """Switch tools off by name; searches can find them again."""
        return await switch(session_id, service.tools.deactivate, body.names)

    @router.post("/sessions/{id}/reset", response_model=bodies.ToolSessionAnswer, responses=problems(404))
    async def reset(session_id: Annotated[SessionId, Path(alias="id")]) -> Response:
        """Go back to what the session began with."""

        def run() -> SessionView:
            service.tools.reset(session_id)
            return service.tools.session(session_id)

        return send(_session_json(await run_in_threadpool(run)))


def _add_session_events(router: APIRouter, service: Service, streams: EventStreams) -> None:
    @router.get(
        "/sessions/{id}/events",
        response_class=StreamingResponse,
        responses={
            200: {"description": "Server-sent events", "content": {"text/event-stream": {}}},
            **problems(404, 503),
        },
    )
    async def events(session_id: Annotated[SessionId, Path(alias="id")]) -> StreamingResponse:
        """Stream ``tools-changed`` with the active names, each time they change; and ``stopping``."""
        await run_in_threadpool(service.tools.session, session_id)

        def concerns(event: Event) -> bool:
            return event.name == "stopping" or (event.name == CHANGED_EVENT and event.data.get("session") == session_id)

        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(streams.open(concerns), media_type="text/event-stream", headers=headers)


# --- requests into calls, results into answers ------------------------------------------------


def _search(service: Service, body: bodies.ToolSearchBody) -> JsonObject:
    options = _options(service, body)
    tools = service.tools
    if body.session_id is not None:
        found = tools.search(body.session_id, body.query, body.limit, options=options)
    else:
        found = tools.rank(body.catalogue, body.query, body.limit, options=options)
    answer: JsonObject = {**details_of(found), "content": content_of(found)}
    troubled = tools.servers.troubled() if body.catalogue is None else []
    if troubled:
        answer["servers"] = [{"name": each.name, "state": each.state, "error": each.error} for each in troubled]
    if body.session_id is not None and tools.options.count_tokens:
        answer["tokens"] = tools.session(body.session_id).tokens
    return answer


def _options(service: Service, body: bodies.ToolSearchBody) -> SearchOptions:
    """Return how a search goes: as its body says, else as the settings say."""
    set_so = service.tools.options.search
    narrowing = {
        key: value
        for key in ("min_coverage", "relative_floor", "exact_name_first")
        if (value := getattr(body, key)) is not None
    }
    return SearchOptions(
        set_so.activate if body.activate is None else body.activate,
        replace(set_so.narrowing, **narrowing),
        set_so.compact_signatures if body.compact_signatures is None else body.compact_signatures,
    )


def _request(service: Service, body: bodies.ToolSessionBody) -> SessionRequest:
    given = {
        "mode": None if body.mode is None else DiscoveryMode(body.mode),
        "legacy_mcp": body.legacy_mcp_discovery,
        "default_servers": _names(body.default_servers),
        "essential_override": _names(body.essential_override),
        "max_active": body.max_active,
        "frozen_description": body.frozen_description,
    }
    # Any, because each field of the record has a type of its own.
    said: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    options: DiscoveryOptions = replace(service.tools.options.discovery, **said)
    start = Start(tuple(body.explicit_tools), _names(body.restore), tuple(body.forced_tools))
    return SessionRequest(options, start, _names(body.catalogues), body.servers_only)


def _names(given: list[str] | None) -> tuple[str, ...] | None:
    return None if given is None else tuple(given)


def _found(details: bodies.ToolSearchDetails) -> Found:
    matches = [
        Match(
            ToolCard(each.name, each.label, each.description, source_of(each.name), each.server_name or None),
            each.score,
        )
        for each in details.tools
    ]
    selected = tuple(details.active_selected_tools)
    return Found(details.query, details.limit, details.total_tools, (), selected, tuple(matches))


def _head_json(catalogue: Catalogue) -> JsonObject:
    return {"name": catalogue.name, "version": catalogue.version, "digest": catalogue.digest}


def _change_json(change: CatalogueChange) -> JsonObject:
    return {
        "name": change.catalogue.name,
        "version": change.catalogue.version,
        "added": change.added,
        "changed": change.changed,
        "removed": change.removed,
        "unchanged": change.unchanged,
        "errors": [{"position": each.position, "name": each.name, "message": each.message} for each in change.errors],
    }


def _session_json(view: SessionView) -> JsonObject:
    return {
        "id": view.id,
        "mode": view.mode,
        "active": view.active,
        "selected": view.selected,
        "discoverable": view.discoverable,
        "registered": view.registered,
        "catalogues": view.catalogues,
        **({} if view.tokens is None else {"tokens": view.tokens}),
    }


def _explanation_json(explanation: Explanation) -> JsonObject:
    return {
        "name": explanation.name,
        "state": explanation.state,
        "reasons": explanation.reasons,
        "catalogues": explanation.catalogues,
    }
