"""A home of its own for every test of a surface, and a command line that runs in it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gortex_py.settings.paths import Paths
from tests.surfaces.stub_daemon import StubDaemon, running_stub

PROJECT = Path(__file__).resolve().parents[2]


@dataclass
class CommandLine:
    """Runs the real command in a process of its own."""

    home: Path
    environ: dict[str, str] = field(default_factory=dict)

    @property
    def paths(self) -> Paths:
        return Paths.from_environment(self.environ, self.home)

    def __call__(self, *arguments: str, cwd: Path | None = None, **environ: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", "-m", "gortex_py", *arguments],
            cwd=cwd or self.home,
            env={**self.environ, **environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=40,
            check=False,
        )


@pytest.fixture
def gortex(tmp_path: Path) -> CommandLine:
    """A command line whose home and state are the test's own."""
    home = tmp_path / "home"
    home.mkdir()
    environ = {
        "HOME": str(home),
        "GORTEX_HOME": str(tmp_path / "state"),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(PROJECT),
        "LC_ALL": "C.UTF-8",
    }
    return CommandLine(home, environ)


@pytest.fixture
def stub(gortex: CommandLine) -> Iterator[StubDaemon]:
    """A stub daemon that the command line finds."""
    with running_stub(gortex.paths.state) as daemon:
        yield daemon


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A small git repository."""
    root = tmp_path / "shop"
    (root / "src" / "deep").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "src" / "cart.py").write_text("class Cart: ...\n")
    return root


@pytest.fixture
def tracked(stub: StubDaemon, shop: Path) -> Path:
    """The shop, tracked by the stub under its name."""
    row = {"name": "shop", "path": str(shop), "state": "ready", "files": 2, "symbols": 3, "generation": 1}
    stub.repos.append(row)
    return shop
