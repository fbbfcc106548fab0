"""The gateway over the standard streams, for clients that start it as a program."""

from __future__ import annotations

from gortex_py.surfaces.mcp.backend import ToolBackend


def run_stdio(backend: ToolBackend, mode: str | None = None) -> None:
    """Serve one client until its input ends."""
    import anyio

    anyio.run(_serve, backend, mode)


async def _serve(backend: ToolBackend, mode: str | None) -> None:
    from mcp.server.stdio import stdio_server

    from gortex_py.surfaces.mcp.gateway import Gateway

    gateway = Gateway(backend, mode)
    server = gateway.server()
    try:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
    finally:
        await gateway.forget()
