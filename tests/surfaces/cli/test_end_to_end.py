"""The command line with a real daemon: one repository, one process, from nothing to stopped."""

from __future__ import annotations

import json
import socket
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.surfaces.conftest import CommandLine
from tests.surfaces.stub_daemon import running_stub


@pytest.fixture
def real(gortex: CommandLine) -> Iterator[CommandLine]:
    """A command line whose daemons take a free port and are stopped at the end."""
    gortex.environ["GORTEX_DAEMON_PORT"] = "0"
    gortex.environ["GORTEX_INDEX_WORKERS"] = "1"
    yield gortex
    gortex("daemon", "stop")


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A repository with something to find."""
    root = tmp_path / "library"
    (root / ".git").mkdir(parents=True)
    (root / "loans.py").write_text(
        '"""Lending."""\n\n\nclass Desk:\n    """Lends books — 漢字."""\n\n'
        "    def lend_book(self, book, reader):\n        return (book, reader)\n"
    )
    (root / "fines.py").write_text("def overdue_fine(days):\n    return days * 0.1\n")
    return root


def test_a_search_from_nothing_starts_tracks_and_answers(real: CommandLine, library: Path) -> None:
    ran = real("search", "lend a book", cwd=library)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("loans.py:")
    assert "Desk.lend_book" in ran.stdout
    assert "starting the daemon" in ran.stderr
    assert f"tracking {library}" in ran.stderr
    again = real("search", "overdue_fine", "--json", cwd=library)
    assert json.loads(again.stdout)["results"][0]["path"] == "fines.py"
    assert again.stderr == ""
    assert real("search", "zzqqxx", cwd=library).returncode == 1
    narrow = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    assert real("search", "Desk", cwd=library, **narrow).returncode == 0


def test_start_index_curl_status_stop(real: CommandLine, library: Path) -> None:
    url = real("daemon", "start").stdout.strip()
    indexed = real("index", str(library), "--try", "overdue fine")
    assert indexed.returncode == 0, indexed.stderr
    assert f"curl -s '{url}/v1/search?q=overdue+fine" in indexed.stdout
    with urllib.request.urlopen(f"{url}/v1/search?q=overdue_fine") as answer:
        assert json.load(answer)["results"][0]["symbol"] == "overdue_fine"
    (library / "fines.py").write_text("def waived_fine(days):\n    return 0\n")
    assert real("index", str(library)).returncode == 0
    assert "fines.py" in real("search", "-l", "waived_fine", str(library)).stdout
    assert json.loads(real("status", "--json").stdout)["repos"][0]["name"] == "library"
    assert real("daemon", "start").stdout.strip() == url
    restarted = real("daemon", "restart")
    assert restarted.stdout.strip() == url, restarted.stderr
    assert "fines.py" in real("search", "-l", "waived_fine", str(library)).stdout
    assert real("untrack", "library").returncode == 0
    assert "by request" in real("daemon", "stop").stdout
    assert real("daemon", "status").returncode == 1


def test_a_repository_without_a_file_to_index_says_so(real: CommandLine, library: Path) -> None:
    (library / ".gitignore").write_text("*\n")
    ran = real("index", str(library))
    assert ran.returncode == 2
    assert ".gitignore" in ran.stderr


def test_another_program_on_the_port_has_its_own_exit_code(real: CommandLine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = str(server.getsockname()[1])
        real.paths.ensure()
        real.paths.log.write_text("what an earlier daemon wrote\n")
        ran = real("daemon", "start", "--port", taken)
    assert ran.returncode == 3
    assert "earlier" not in ran.stderr
    assert f"another program listens on 127.0.0.1:{taken}" in ran.stderr


def test_a_gortex_of_another_user_on_the_port_has_that_code_too(real: CommandLine) -> None:
    with running_stub() as stub:
        ran = real("daemon", "start", "--foreground", "--port", str(stub.port))
    assert ran.returncode == 3
    assert "gortex daemon" in ran.stderr


def test_a_second_daemon_on_the_same_state_is_refused(real: CommandLine) -> None:
    assert real("daemon", "start").returncode == 0
    ran = real("daemon", "start", "--foreground")
    assert ran.returncode == 2
    assert "a daemon already runs on" in ran.stderr
