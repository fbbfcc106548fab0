"""Public MCP servers from the registry, behind the gateway. Needs npx and the network: pytest -m public."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from pathlib import Path

import pytest
from mcp import Client

from tests.surfaces.mcp.conftest import Setup

pytestmark = [pytest.mark.public, pytest.mark.timeout(600)]


def test_two_public_servers_behind_one(tmp_path: Path) -> None:
    assert shutil.which("npx"), "npx is needed"
    setup = Setup(tmp_path)
    setup.environ["GORTEX_MCP_START_TIMEOUT_S"] = "240"
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "hello.txt").write_text("good morning\n")
    npm = {key: value for key, value in os.environ.items() if key.lower().startswith("npm_config_")}
    client_file = tmp_path / "client.json"
    client_file.write_text(
        json.dumps(
            {
                "mcpServers": {
                    "everything": {
                        "command": "npx",
                        "args": ["-y", "@modelcontextprotocol/server-everything"],
                        "env": npm,
                    },
                    "files": {
                        "command": "npx",
                        "args": ["-y", "@modelcontextprotocol/server-filesystem", str(shared)],
                        "env": npm,
                    },
                }
            }
        )
    )

    async def test(target: object) -> None:
        async with Client(target, mode="legacy") as client:  # type: ignore[arg-type]
            assert len((await client.list_tools()).tools) == 3
            found = await client.call_tool("search_tool_bm25", {"query": "read a text file", "limit": 3})
            assert "mcp__files_read_text_file" in json.loads(found.content[0].text)["activated_tools"]  # type: ignore[union-attr]
            listed = [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools]
            assert "mcp__files_read_text_file" in listed
            read = await client.call_tool("mcp__files_read_text_file", {"path": str(shared / "hello.txt")})
            assert read.structured_content == {"content": "good morning\n"}
            echoed = await client.call_tool(
                "call_tool", {"name": "mcp__everything_echo", "arguments": {"message": "hello"}}
            )
            assert echoed.content[0].text == "Echo: hello"  # type: ignore[union-attr]

    try:
        imported = setup.gortex("tools", "import", str(client_file), timeout_s=500)
        assert imported.returncode == 0, imported.stderr
        assert "saved" in imported.stdout
        for target in setup.ways().values():
            asyncio.run(test(target))
    finally:
        setup.gortex("daemon", "stop")
