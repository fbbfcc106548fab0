"""The tools of the public MCP servers that data/eval/tool-discovery names, from a folder where npm installed them.

    npm install --prefix FOLDER $(python -m tests.bench.public_tools --packages)
    python -m tests.bench.public_tools FOLDER > LISTS.json

The lists hold what the servers say of themselves; they are read where they are measured and never kept here.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from gortex_py.service.upstream.fleet import Fleet, outcome
from gortex_py.service.upstream.server import UpstreamOptions
from gortex_py.settings.mcp_servers import ServerConfig, ServerList
from gortex_py.types import JsonObject

FOLDER = Path(__file__).parents[2] / "data" / "eval" / "tool-discovery"
SERVERS = FOLDER / "servers.json"
START_S = 120.0


def servers() -> list[dict[str, Any]]:
    """Return which servers, at which versions."""
    found: list[dict[str, Any]] = json.loads(SERVERS.read_text())
    return found


def listed(folder: Path) -> dict[str, list[JsonObject]]:
    """Start each server and return its tools, by server."""
    tools: dict[str, list[JsonObject]] = {}
    configs = tuple(_config(row, folder) for row in servers())
    fleet = Fleet(
        lambda: ServerList(configs),
        UpstreamOptions(start_timeout_s=START_S),
        on_listed=lambda config, found: tools.update({config.name: found}),
        on_state=lambda name: None,
        is_known=lambda name: False,
    )
    try:
        for config in configs:
            trouble = outcome(fleet.refresh(config.name), 2 * START_S)
            if trouble is not None:
                sys.stderr.write(f"{trouble}\n")
    finally:
        fleet.close()
    return {config.name: tools[config.name] for config in configs if config.name in tools}


def _config(row: dict[str, Any], folder: Path) -> ServerConfig:
    program = folder / "node_modules" / ".bin" / row["program"]
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), **row["env"]}
    return ServerConfig(row["name"], command=(str(program), *row["args"]), env=env)


def main() -> None:
    """Print the lists, or the packages to install."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--packages", action="store_true")
    options = parser.parse_args()
    if options.packages or options.folder is None:
        sys.stdout.write("\n".join(f"{row['package']}@{row['version']}" for row in servers()) + "\n")
    else:
        sys.stdout.write(json.dumps(listed(options.folder)) + "\n")


if __name__ == "__main__":
    main()
