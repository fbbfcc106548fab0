"""The twelve tools whose scores are known to the last digit, and small tools to build with."""

from __future__ import annotations

import json
from pathlib import Path

from gortex_py.discovery.catalog import LoadMode, Tool, ToolCard, source_of

LINES = (Path(__file__).parent / "catalogue.jsonl").read_text(encoding="utf-8").splitlines()


def cards() -> list[ToolCard]:
    records = [json.loads(line) for line in LINES]
    return [
        ToolCard(
            record["name"],
            record["label"],
            record["summary"],
            source_of(record["name"]),
            record.get("server_name"),
            record.get("mcp_tool_name"),
            tuple(record["schema_keys"]),
        )
        for record in records
    ]


def card(name: str, label: str = "", server: str | None = None, summary: str = "") -> ToolCard:
    return ToolCard(name, label, summary, source_of(name), server)


def tool(name: str, load_mode: LoadMode | None = None, server: str | None = None) -> Tool:
    if name.startswith("mcp__") and server is None:
        server = name.removeprefix("mcp__").partition("_")[0]
    return Tool(card(name, name, server, f"what {name} does"), load_mode=load_mode)


def tools() -> list[Tool]:
    """Return the twelve, built-ins discoverable."""
    return [Tool(each, load_mode=None if each.server_name else LoadMode.DISCOVERABLE) for each in cards()]
