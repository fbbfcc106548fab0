"""What tool discovery costs at 1,000, 10,000 and 100,000 tools.

    python -m tests.bench.tools [--sizes 1000 10000 100000] [--keep]

Processor time, since other programs may be running. ``--keep`` writes the figures to
data/eval/tool-discovery/speed.json.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import random
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

from gortex_py.discovery.activation import ToolSession
from gortex_py.discovery.catalog import Tool, ToolCard, ToolSource, mcp_wire_name
from gortex_py.discovery.modes import DiscoveryMode, DiscoveryOptions
from gortex_py.discovery.registry import ToolRegistry
from gortex_py.discovery.search_tool import hooks_of, search_tools
from tests.bench.public_tools import FOLDER

SIZES = (1_000, 10_000, 100_000)
SEARCHES = 200
HIDING = DiscoveryOptions(DiscoveryMode.MCP_ONLY)
VERBS = "create update delete list get search send open close merge export import move copy read write find run".split()
NOUNS = (
    "issue ticket page file folder message channel user team project board card invoice order customer query table "
    "index branch commit review pipeline build deploy metric alert dashboard event calendar contact document image"
).split()
FILLER = "the of a in with for and by its from given all new existing optional one or more".split()


def made_tools(count: int) -> list[Tool]:
    """Return tools whose texts are about as long as those of public servers, always the same ones."""
    chance = random.Random(7)
    words = [f"{a}{b}" for a in NOUNS for b in ("", "Id", "Name", "Type", "State")]
    tools = []
    for number in range(count):
        server = f"server{number % max(count // 25, 1)}"
        name = f"{chance.choice(VERBS)}_{chance.choice(NOUNS)}_{chance.choice(words)}_{number}"
        summary = " ".join(chance.choice(FILLER if i % 2 else words) for i in range(24))
        keys = tuple(sorted(chance.sample(words, 4)))
        wire = mcp_wire_name(server, name)
        tools.append(Tool(ToolCard(wire, f"{server}/{name}", summary, ToolSource.MCP, server, name, keys)))
    return tools


def measured(count: int) -> dict[str, Any]:
    """Return the figures for a number of tools."""
    tools = made_tools(count)
    registry = ToolRegistry(tools)
    index_s = timed(lambda: registry.index(DiscoveryMode.MCP_ONLY))
    session_s = statistics.median(timed(lambda: ToolSession(registry, HIDING).index()) for _ in range(5))
    session = ToolSession(registry, HIDING)
    chance = random.Random(11)
    times = []
    for _ in range(SEARCHES):
        query = f"{chance.choice(VERBS)} the {chance.choice(NOUNS)} of a {chance.choice(NOUNS)}"
        times.append(timed(lambda query=query: search_tools(hooks_of(session), query, 3)))  # type: ignore[misc]
    ordered = sorted(times)
    return {
        "tools": count,
        "index_s": round(index_s, 3),
        "new_session_ms": round(1000 * session_s, 2),
        "search_p50_ms": round(1000 * ordered[SEARCHES // 2], 2),
        "search_p95_ms": round(1000 * ordered[SEARCHES * 95 // 100], 2),
        "index_mb": round(index_bytes(tools) / 1e6, 1),
    }


def index_bytes(tools: list[Tool]) -> int:
    """Return what the index of some tools takes, without the tools."""
    gc.collect()
    tracemalloc.start()
    kept = ToolRegistry(tools).index(DiscoveryMode.MCP_ONLY)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del kept
    return taken


def timed(work: Callable[[], object]) -> float:
    """Return the processor seconds of some work."""
    began = time.process_time()
    work()
    return time.process_time() - began


def exponent(rows: list[dict[str, Any]], key: str) -> float:
    """Return the power of the number of tools with which a figure grows, over the whole range."""
    first, last = rows[0], rows[-1]
    return round(math.log(last[key] / first[key]) / math.log(last["tools"] / first["tools"]), 2)


def main() -> None:
    """Print, and keep, the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    rows = [measured(count) for count in options.sizes]
    keys = ("index_s", "new_session_ms", "search_p95_ms", "index_mb")
    growth = {key: exponent(rows, key) for key in keys} if len(rows) > 1 else {}
    results = {"sizes": rows, "growth_exponents": growth}
    if options.keep:
        (FOLDER / "speed.json").write_text(json.dumps(results, indent=2) + "\n")
    sys.stdout.write(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
