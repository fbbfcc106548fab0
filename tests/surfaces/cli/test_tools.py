"""gortex tools: from another client's file to few tools, with the renderer's text to the byte."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gortex_py.service.address import read_address
from gortex_py.surfaces.client import DaemonClient
from tests.mcp_servers import command
from tests.surfaces.conftest import CommandLine
from tests.unit.discovery.catalogue import LINES

FOUND = """\
✓ Tool Discovery: find the definition of a symbol 8 matches · 8 active · 12 total · limit:8
├─ Find Symbol score 23.773
│  Locate the definition of a symbol by its exact or partial name
├─ List Callers score 8.529
│  Show every call site of a function or method
├─ db/list_tables db · score 5.341
│  List the tables and columns of the reporting database
├─ tracker/create_ticket tracker · score 3.608
│  Open a new ticket in the issue tracker
├─ db/runSQLQuery db · score 3.456
│  Run a read-only SQL query against the reporting database
└─ … 3 more tools
"""
EMPTY = """\
⚠ Tool Discovery: kubernetes 0 matches · 0 active · 12 total · limit:8
No matching tools found.
"""
TWELVE = {"tools": [{**json.loads(line), "description": "", "input_schema": {}} for line in LINES]}


@pytest.fixture
def running(gortex: CommandLine) -> Iterator[CommandLine]:
    gortex.environ["GORTEX_DAEMON_PORT"] = "0"
    started = gortex("daemon", "start")
    assert started.returncode == 0, started.stderr
    yield gortex
    gortex("daemon", "stop")


def client_file(folder: Path, servers: dict[str, Any]) -> Path:
    path = folder / "client.json"
    path.write_text(json.dumps({"mcpServers": servers}))
    return path


def server(*arguments: str) -> dict[str, Any]:
    program, *rest = command(*arguments)
    return {"command": program, "args": rest}


def test_a_search_looks_as_the_renderer_says_and_is_kept_over_a_kill(running: CommandLine) -> None:
    at = read_address(running.paths)
    assert at is not None
    DaemonClient(at.host, at.port).request("PUT", "/v1/tools/catalogues/twelve", body=TWELVE)
    session = running("tools", "sessions", "--new", "--mode", "all").stdout.strip()
    found = running("tools", "search", "find the definition of a symbol", "--session", session)
    assert (found.stdout, found.stderr, found.returncode) == (FOUND, "", 0)
    empty = running("tools", "search", "kubernetes")
    assert (empty.stdout, empty.returncode) == (EMPTY, 1)
    before = running("tools", "list", "--session", session, "--json").stdout
    assert len(json.loads(before)["tools"]) == 9
    address = read_address(running.paths)
    assert address is not None
    os.kill(address.pid, signal.SIGKILL)
    assert running("daemon", "start").returncode == 0
    assert running("tools", "list", "--session", session, "--json").stdout == before
    assert running("tools", "sessions").stdout.startswith(f"{session}  all  9 active, 4 hidden")
    assert running("tools", "sessions", "--close", session).stderr == ""
    refused = running("tools", "search", "x", "--session", session)
    assert (refused.returncode, refused.stderr) == (2, f"error: no tool session '{session}'\n")


def test_from_a_clients_file_to_what_is_saved(running: CommandLine, tmp_path: Path) -> None:
    path = client_file(tmp_path, {"small": server("--tools", "30"), "bad": server("--mood", "exits")})
    listed = running("tools", "import", str(path), "--dry-run")
    assert [line.split()[0] for line in listed.stdout.splitlines()] == ["small", "bad"]
    assert not running.paths.servers_file.exists()
    imported = running("tools", "import", str(path))
    assert imported.returncode == 2
    assert "error: the MCP server bad failed: it ended with status 1; it said: no key was set" in imported.stderr
    lines = imported.stdout.splitlines()
    assert lines[0].startswith("bad    failed  0 tools")
    assert lines[2].startswith("small  ready  38 tools, about ")
    assert lines[-1].startswith("all 38 tools in the context: about ")
    assert lines[-1].endswith("% saved)")
    assert running("tools", "list").stdout.startswith("mcp__small_shout  Write a text in capitals\n")
    found = running("tools", "search", "capitals", "-k", "1")
    assert found.stdout.splitlines()[1].startswith("└─ small/shout small · score ")
    assert found.stderr == "not searched: bad (it ended with status 1; it said: no key was set)\n"
    unknown = running("tools", "servers", "--refresh", "nobody")
    assert (unknown.returncode, unknown.stderr.splitlines()[-1]) == (
        2,
        "error: no MCP server named 'nobody' is set up; there are: bad, small",
    )


def test_what_cannot_be_imported_says_why(gortex: CommandLine, tmp_path: Path) -> None:
    path = client_file(tmp_path, {"small": server()})
    other = gortex("tools", "import", str(path), "--only", "nobody")
    assert (other.returncode, "has no server 'nobody'; there are: small" in other.stderr) == (2, True)
    path.write_text("{}")
    empty = gortex("tools", "import", str(path))
    assert (empty.returncode, "holds no MCP servers" in empty.stderr) == (2, True)
    plain = gortex("mcp")
    assert (plain.returncode, plain.stderr.splitlines()[-1]) == (2, "error: say what to serve: gortex mcp --tools")
