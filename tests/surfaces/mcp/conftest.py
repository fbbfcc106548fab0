"""A daemon as a real process with two small MCP servers set up, and the official client to both ways in."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gortex_py.service.address import read_address
from gortex_py.settings.paths import Paths
from tests.mcp_servers import ENVIRON, command
from tests.surfaces.conftest import PROJECT


class Setup:
    """A home with MCP servers set up, and how to reach its daemon."""

    def __init__(self, base: Path) -> None:
        home = base / "home"
        home.mkdir()
        self.environ = {
            **ENVIRON,
            "HOME": str(home),
            "GORTEX_HOME": str(base / "state"),
            "PYTHONPATH": str(PROJECT),
            "GORTEX_DAEMON_PORT": "0",
            "GORTEX_TOOLS_DISCOVERY_MODE": "mcp-only",
        }
        self.paths = Paths.from_environment(self.environ, home)

    def set_up(self, servers: dict[str, Any]) -> None:
        self.paths.servers_file.parent.mkdir(parents=True, exist_ok=True)
        self.paths.servers_file.write_text(json.dumps({"mcpServers": servers}))

    def gortex(self, *arguments: str, timeout_s: float = 60) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", "-m", "gortex_py", *arguments],
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=timeout_s,
            check=False,
        )

    @property
    def url(self) -> str:
        address = read_address(self.paths)
        assert address is not None
        return f"{address.url}/mcp"

    def ways(self) -> dict[str, Any]:
        """Return what the client connects to."""
        from mcp import StdioServerParameters

        program = StdioServerParameters(
            command=sys.executable, args=["-P", "-m", "gortex_py", "mcp", "--tools"], env=self.environ
        )
        return {"stdio": program, "http": self.url}


@pytest.fixture(scope="session")
def setup(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Setup]:
    made = Setup(tmp_path_factory.mktemp("gateway"))
    program, *arguments = command("--tools", "40")
    made.set_up({"small": {"command": program, "args": arguments}, "bad": {"command": "/nowhere/at-all"}})
    started = made.gortex("daemon", "start")
    assert started.returncode == 0, started.stderr
    yield made
    made.gortex("daemon", "stop")
