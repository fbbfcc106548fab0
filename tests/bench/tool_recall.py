"""How often a search finds the tool that a task needs, over the tools of public MCP servers.

    python -m tests.bench.tool_recall LISTS.json [--keep]

LISTS.json is what tests.bench.public_tools prints. A task counts as found at k when one of its tools is among the
first k. ``--keep`` writes the figures to data/eval/tool-discovery/results.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gortex_py.discovery.bm25plus import ToolIndex
from gortex_py.discovery.catalog import Tool, ToolCard
from gortex_py.discovery.narrowing import WIDE, Narrowing
from gortex_py.discovery.registry import ToolRegistry
from gortex_py.discovery.shapes import read_catalogue
from tests.bench.public_tools import FOLDER

TASKS = FOLDER / "tasks.jsonl"
RESULTS = FOLDER / "results.json"
DEPTHS = (1, 5, 8)
Rank = Callable[[str], list[ToolCard]]


def read_tools(lists: dict[str, Any]) -> list[Tool]:
    """Return the tools of all servers."""
    return [tool for server, tools in lists.items() for tool in read_catalogue({"tools": tools}, server=server).tools]


def read_tasks() -> list[tuple[str, frozenset[str]]]:
    """Return each task with the tools that do it, as SERVER/TOOL."""
    rows = [json.loads(line) for line in TASKS.read_text().splitlines()]
    return [(row["task"], frozenset(row["tools"])) for row in rows]


def ways(tools: list[Tool]) -> dict[str, Rank]:
    """Return the ways of searching, by name."""
    plain, deep = ToolRegistry(tools).whole_index, ToolRegistry(tools, is_deep=True).whole_index

    def ranked(index: ToolIndex, narrowing: Narrowing = WIDE) -> Rank:
        return lambda task: [match.card for match in index.search(task, max(DEPTHS), narrowing=narrowing)]

    return {
        "default": ranked(plain),
        "exact_name_first": ranked(plain, Narrowing(exact_name_first=True)),
        "min_coverage 0.25": ranked(plain, Narrowing(min_coverage=0.25)),
        "min_coverage 0.5": ranked(plain, Narrowing(min_coverage=0.5)),
        "relative_floor 0.35": ranked(plain, Narrowing(relative_floor=0.35)),
        "deep_search": ranked(deep),
        "deep_search, relative_floor 0.35": ranked(deep, Narrowing(relative_floor=0.35)),
    }


def measured(rank: Rank, tasks: list[tuple[str, frozenset[str]]]) -> dict[str, float]:
    """Return recall at each depth and how many tools a search switches on in the mean."""
    found = dict.fromkeys(DEPTHS, 0)
    shown = 0
    for task, wanted in tasks:
        cards = rank(task)
        shown += len(cards)
        names = [f"{card.server_name}/{card.mcp_tool_name}" for card in cards]
        for depth in DEPTHS:
            found[depth] += bool(wanted & set(names[:depth]))
    figures = {f"recall@{depth}": round(count / len(tasks), 3) for depth, count in found.items()}
    return {**figures, "activated": round(shown / len(tasks), 2)}


def main() -> None:
    """Print, and keep, the figures of each way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lists", type=Path)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    lists = json.loads(options.lists.read_text())
    tools, tasks = read_tools(lists), read_tasks()
    results = {
        "servers": len(lists),
        "tools": len(tools),
        "tasks": len(tasks),
        "ways": {name: measured(rank, tasks) for name, rank in ways(tools).items()},
    }
    if options.keep:
        RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    sys.stdout.write(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
