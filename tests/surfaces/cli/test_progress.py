"""The line that shows how far an index pass is."""

from __future__ import annotations

import io

import pytest

from gortex_py.surfaces.cli.console import Console
from gortex_py.surfaces.cli.progress import wait_for_pass
from gortex_py.surfaces.client import DaemonClient
from tests.surfaces.stub_daemon import StubDaemon


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.mark.parametrize("name", ["shop", "a-repository-whose-name-is-longer-than-a-terminal-has-room-for" * 2])
def test_the_line_of_progress_fits_a_terminal(stub: StubDaemon, name: str) -> None:
    progress = {"stage": "optimize", "done": 12_345, "total": 54_321}
    stub.repos.append(
        {"name": name, "path": "/r", "state": "indexing", "files": 0, "generation": 0, "progress": progress}
    )
    stub.looks_until_ready = 4
    stub.events = [b"event: repository\ndata: {}\n\n"] * 6
    drawn = Terminal()
    wait_for_pass(DaemonClient("127.0.0.1", stub.port), Console(io.StringIO(), drawn, {}), name, limit_s=20)
    lines = drawn.getvalue().replace("\x1b[?25l", "").replace("\x1b[?25h", "").replace("\n", "\r").split("\r")
    assert any("optimize 12345 of 54321" in line for line in lines)
    assert max(map(len, lines)) < 80
