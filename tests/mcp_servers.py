"""Set up the small MCP server of mcp_server.py in tests."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from gortex_py.settings.mcp_servers import ServerConfig

PROGRAM = Path(__file__).with_name("mcp_server.py")
ENVIRON = {"PATH": os.environ["PATH"]}


def command(*arguments: str) -> list[str]:
    """Return what starts it; without site packages, which is faster."""
    return [sys.executable, "-E", "-S", str(PROGRAM), *arguments]


def config(name: str = "small", *arguments: str, **more: object) -> ServerConfig:
    """Return it as set up."""
    return ServerConfig(name, command=tuple(command(*arguments)), env=ENVIRON, **more)  # type: ignore[arg-type]
