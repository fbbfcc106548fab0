"""Long runs against the real daemon on a repository of 4,000 files.

``make soak`` runs them; SOAK_CHECKOUT=/path takes a copy of that checkout in place of the generated files.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.conftest import Daemon, wait_for
from tests.daemon.large import QUERIES, branch_off, git, make_large

pytestmark = pytest.mark.soak
ROUNDS = 10


def say(line: str) -> None:
    sys.stderr.write(f"\n{line}")


def new_daemon(home: Path) -> Daemon:
    home.mkdir(parents=True)
    return Daemon(home, workers=0)


def undisturbed(home: Path, root: Path) -> tuple[dict[str, Any], float]:
    """Return the account of a fresh index, and the seconds it took."""
    daemon = new_daemon(home).start()
    try:
        began = time.monotonic()
        assert daemon.ask("POST", "/v1/repos", {"path": str(root)})[0] == 202
        wait_for(lambda: daemon.is_settled(root.name), 600)
        took_s = time.monotonic() - began
        return daemon.account(root.name, QUERIES), took_s
    finally:
        daemon.kill()


def difference(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    return {key: (left[key], right[key]) for key in left if left[key] != right[key]}


def test_ten_branch_switches_end_where_a_fresh_index_would(tmp_path: Path) -> None:
    root = make_large(tmp_path / "work" / "large")
    branches = branch_off(root)
    assert len(git(root, "diff", "--name-only", "--no-renames", *branches).split()) >= 300
    fresh = {}
    for branch in branches:
        git(root, "checkout", branch)
        fresh[branch], took_s = undisturbed(tmp_path / f"fresh-{branch}", root)
        say(f"fresh index of {branch}: {fresh[branch]['files']} files in {took_s:.1f} s")
    daemon = new_daemon(tmp_path / "home").start()
    try:
        daemon.track(root) if fresh["main"]["files"] < 100 else daemon.ask("POST", "/v1/repos", {"path": str(root)})
        daemon.wait_until_quiet("large")
        for number in range(ROUNDS):
            branch = branches[number % 2]
            if number % 4 < 2:
                git(root, "checkout", branch)
            else:  # without a change of HEAD, which would call for a look at everything
                git(root, "read-tree", "-m", "-u", branches[1 - number % 2], branch)
            began = time.monotonic()
            counts = [fresh[branch][key] for key in ("files", "symbols")]
            wait_for(lambda counts=counts: [daemon.repo("large")[key] for key in ("files", "symbols")] == counts, 60)
            counted_s = time.monotonic() - began
            daemon.wait_until_quiet("large")
            say(f"{branch}: counts agree after {counted_s:.1f} s")
            assert difference(daemon.account("large", QUERIES), fresh[branch]) == {}
    finally:
        daemon.kill()


def test_ten_kills_in_the_first_index_lose_nothing_that_was_committed(tmp_path: Path) -> None:
    root = make_large(tmp_path / "work" / "large")
    expected, took_s = undisturbed(tmp_path / "fresh", root)
    say(f"undisturbed: {expected['files']} files in {took_s:.1f} s")
    rng = random.Random(time.time_ns())
    for number in range(ROUNDS):
        moment_s = rng.uniform(0.0, took_s)
        daemon = new_daemon(tmp_path / f"home-{number}").start()
        began = time.monotonic()
        assert daemon.ask("POST", "/v1/repos", {"path": str(root)})[0] == 202
        committed = 0
        while time.monotonic() - began < moment_s:
            committed = daemon.repo("large")["files"]
            time.sleep(0.01)
        below = set(daemon.processes()) - {daemon.process.pid if daemon.process else 0}
        daemon.kill()
        mark = len(daemon.log())
        daemon.start()
        try:
            row = daemon.repo("large")
            assert row["files"] >= committed
            found = daemon.get("/v1/search", q="open account", corpus="all")
            assert bool(found["results"]) == bool(row["files"])
            began = time.monotonic()
            wait_for(lambda daemon=daemon: daemon.is_settled("large"), 600)
            rest_s = time.monotonic() - began
            say(
                f"killed at {moment_s:.1f} s: {committed} seen, {row['files']} served after"
                f" {daemon.started_in_s:.2f} s, rest in {rest_s:.1f} s"
            )
            assert "damaged" not in daemon.log()[mark:]
            assert difference(daemon.account("large", QUERIES), expected) == {}
            assert not [pid for pid in below if Path(f"/proc/{pid}").exists()], "orphans"
        finally:
            daemon.kill()


def test_restart_on_an_unchanged_repository_is_ready_within_a_second(tmp_path: Path) -> None:
    root = make_large(tmp_path / "work" / "large")
    daemon = new_daemon(tmp_path / "home").start()
    try:
        daemon.ask("POST", "/v1/repos", {"path": str(root)})
        wait_for(lambda: daemon.is_settled("large"), 600)
        before = daemon.account("large", QUERIES)
        for end in (daemon.stop, daemon.kill):
            for _ in range(5):
                end()
                mark = len(daemon.log())
                daemon.start()
                assert daemon.repo("large")["state"] == "ready"
                assert daemon.ask("GET", "/readyz")[0] == 200
                began = time.monotonic()
                wait_for(lambda mark=mark: "index pass finished" in daemon.log()[mark:], 60)
                passed_s = time.monotonic() - began
                lines = [
                    line for line in daemon.log()[mark:].splitlines() if "vector index" in line or "pass f" in line
                ]
                say(f"{end.__name__}: answers {daemon.started_in_s:.2f} s after its start, pass {passed_s:.2f} s")
                say("\n".join(line.partition(" INFO ")[2] for line in lines))
                assert "embedded 0" in lines[-1] and "added 0, changed 0, deleted 0" in lines[-1]
        assert difference(daemon.account("large", QUERIES), before) == {}
    finally:
        daemon.kill()
