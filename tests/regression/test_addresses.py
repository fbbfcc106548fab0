"""Where the daemon lives: long paths, and what else may listen."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.surfaces.conftest import PROJECT, CommandLine


@pytest.fixture
def far(tmp_path: Path) -> Iterator[CommandLine]:
    """A command line whose home and temporary folder have paths longer than a socket's may be."""
    home = tmp_path / ("h" * 150) / "home"
    (home / "tmp").mkdir(parents=True)
    environ = {
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(PROJECT),
        "LC_ALL": "C",
        "PYTHONIOENCODING": "ascii",
        "PYTHONUTF8": "0",
        "GORTEX_DAEMON_PORT": "0",
        "GORTEX_INDEX_WORKERS": "1",
    }
    made = CommandLine(home, environ)
    yield made
    made("daemon", "stop")


def test_a_far_home_is_like_any_other(far: CommandLine, tmp_path: Path) -> None:
    """A path of 150 characters used to look like a broken installation; here it starts, indexes, answers, stops.

    The locale spells ASCII only, and the answer does not: it is printed all the same.
    """
    root = tmp_path / "library"
    (root / ".git").mkdir(parents=True)
    (root / "loans.py").write_text("def lend_book():\n    return '漢字—'\n", encoding="utf-8")
    indexed = far("index", str(root))
    assert indexed.returncode == 0, indexed.stderr
    ran = far("search", "lend_book", cwd=root)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("loans.py:1") and "lend_book" in ran.stdout
    second = far("daemon", "start", "--foreground")
    assert second.returncode == 2 and "already runs" in second.stderr
    assert far("daemon", "stop").returncode == 0
