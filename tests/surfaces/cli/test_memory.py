"""``gortex memory`` against a stub."""

from __future__ import annotations

import json

from tests.surfaces.conftest import CommandLine
from tests.surfaces.stub_daemon import StubDaemon

WHOLE = {
    "repo": "shop", "scope": "query", "key": "add to cart", "path": "src/cart.py", "symbol": "Cart.add_item",
    "selections": 3, "hits": 3.0, "misses": 0.0, "last_used": 1_767_225_600.0, "lift": 0.15,
}  # fmt: skip
WORD = {**WHOLE, "scope": "keyword", "key": "cart", "path": "src/c\x1b[2J.py", "symbol": None, "lift": 0.12}


def test_what_was_learned_is_one_line_each(gortex: CommandLine, stub: StubDaemon) -> None:
    stub.memory = {"enabled": True, "total": 5, "associations": [WHOLE, WORD]}
    done = gortex("memory", "show", "--repo", "shop", "--query", "add to cart", "-k", "2", TZ="UTC")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        'shop  "add to cart"  src/cart.py Cart.add_item  3 times, last 2026-01-01 00:00  lift 0.15',
        "shop  word cart  src/c\\x1b[2J.py  3 times, last 2026-01-01 00:00  lift 0.12",
    ]
    assert "3 more" in done.stderr
    assert stub.requests[-1] == (
        "GET",
        "/v1/memory",
        {"repo": ["shop"], "query": ["add to cart"], "limit": ["2"]},
    )


def test_nothing_learned_exits_1_and_json_is_what_the_daemon_said(gortex: CommandLine, stub: StubDaemon) -> None:
    stub.memory = {"enabled": False, "total": 0, "associations": []}
    done = gortex("memory", "show", "--json")
    assert (done.returncode, json.loads(done.stdout)) == (1, stub.memory)
    assert "search.task_memory is off" in done.stderr


def test_clearing_says_how_much_went(gortex: CommandLine, stub: StubDaemon) -> None:
    stub.memory = {"removed": 1}
    done = gortex("memory", "clear", "--query", "add to cart")
    assert (done.returncode, done.stdout) == (0, "forgot 1 association\n")
    assert stub.requests[-1] == ("DELETE", "/v1/memory", {"query": ["add to cart"]})
