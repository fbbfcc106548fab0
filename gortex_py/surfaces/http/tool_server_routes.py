"""The routes of MCP servers and of calls of their tools."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal, TypeAlias

from fastapi import APIRouter, Path, Query
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from gortex_py.discovery.savings import estimated_tokens
from gortex_py.discovery.shapes import CatalogueShape, write_tool
from gortex_py.service.service import Service
from gortex_py.service.tool_servers import ServerView
from gortex_py.surfaces.http import tool_bodies as bodies
from gortex_py.surfaces.http.answers import problems, send
from gortex_py.types import JsonObject

ServerName: TypeAlias = Annotated[
    str, Path(description="The server's name.", pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$")
]
ToolName: TypeAlias = Annotated[str, Path(description="The tool's name.", max_length=200)]
ToolForm: TypeAlias = Annotated[
    Literal["own", "mcp", "openai", "anthropic"], Query(description="Form of the definition.")
]
SessionId: TypeAlias = Annotated[str, Path(alias="id", description="The session's id.", max_length=200)]


def add_server_routes(router: APIRouter, service: Service) -> None:
    """Add the routes of MCP servers. None of them can set one up: that is the user's file alone."""
    _add_servers(router, service)
    _add_tools(router, service)


def _add_servers(router: APIRouter, service: Service) -> None:
    @router.get("/servers", response_model=bodies.ServersAnswer, responses=problems())
    async def servers() -> Response:
        """List the MCP servers that the user has set up, with where each stands."""
        return send(await run_in_threadpool(_servers_json, service))

    @router.post("/servers/reload", response_model=bodies.ServersAnswer, responses=problems())
    async def reload() -> Response:
        """Read the user's file of MCP servers anew; servers that changed are stopped."""
        await run_in_threadpool(service.tools.servers.reload)
        return send(await run_in_threadpool(_servers_json, service))

    @router.get("/servers/{name}", response_model=bodies.ServerBody, responses=problems(404))
    async def server(name: ServerName) -> Response:
        """Return where one MCP server stands."""
        return send(_server_json(await run_in_threadpool(service.tools.servers.view, name)))

    @router.post("/servers/{name}/refresh", response_model=bodies.ServerBody, responses=problems(404, 502, 504))
    async def refresh(name: ServerName) -> Response:
        """List an MCP server's tools anew; it is started for that."""
        work = await run_in_threadpool(service.tools.servers.refresh, name)
        return send(_server_json(await asyncio.wrap_future(work)))

    @router.post("/servers/{name}/approve", response_model=bodies.ServerBody, responses=problems(400, 404))
    async def approve(name: ServerName, body: bodies.ApproveBody) -> Response:
        """Approve changed definitions of an MCP server's tools, where definitions are pinned."""
        return send(_server_json(await run_in_threadpool(service.tools.servers.approve, name, body.tools)))


def _add_tools(router: APIRouter, service: Service) -> None:
    @router.get("", response_model=bodies.UsableToolsAnswer, responses=problems())
    async def usable() -> Response:
        """List every tool that can be used, wherever it comes from."""
        return send({"tools": await run_in_threadpool(_usable_json, service)})

    @router.get("/sessions/{id}/tools/{name}", response_model=bodies.ToolAnswer, responses=problems(404, 409))
    async def definition(session_id: SessionId, name: ToolName, form: ToolForm = "own") -> Response:
        """Return one tool of a session with its whole definition, hidden or not."""
        found = await run_in_threadpool(service.tools.definition, session_id, name)
        return send({"tool": write_tool(found, CatalogueShape(form))})

    @router.post("/sessions/{id}/call", response_model=bodies.CallAnswer, responses=problems(400, 404, 409, 502, 504))
    async def call(session_id: SessionId, body: bodies.CallBody) -> Response:
        """Call a tool of an MCP server, hidden or not; the answer is the server's own."""
        work = await run_in_threadpool(service.tools.call, session_id, body.name, body.arguments)
        return send(await asyncio.wrap_future(work))


def _servers_json(service: Service) -> JsonObject:
    servers = service.tools.servers
    return {
        "servers": [_server_json(each) for each in servers.views()],
        "problems": [f"{each.where}: {each.what}" for each in servers.problems()],
    }


def _server_json(view: ServerView) -> JsonObject:
    status = view.status
    return {
        "name": status.name,
        "kind": status.kind,
        "where": status.where,
        "state": status.state,
        "error": status.error,
        "pid": status.pid,
        "tools": view.tools,
        "withheld": view.withheld,
        "changed": view.changed,
        "tokens": view.tokens,
    }


def _usable_json(service: Service) -> list[JsonObject]:
    return [
        {
            "name": tool.name,
            "label": tool.card.label,
            "description": tool.card.summary,
            "catalogue": catalogue,
            "tokens": estimated_tokens(tool),
        }
        for catalogue, tool in service.tools.usable()
    ]
