"""How many tokens definitions take: an estimate, since each model counts in its own way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import orjson

from gortex_py.discovery.catalog import Tool
from gortex_py.discovery.shapes import CatalogueShape, write_tool

BYTES_A_TOKEN = 4  # of JSON in English, by the rule of thumb that model providers give


@dataclass(frozen=True, slots=True)
class Savings:
    """Estimated tokens of the definitions a model is given, and of those it is spared."""

    shown: int
    hidden: int


def estimated_tokens(tool: Tool) -> int:
    """Return about how many tokens a tool's definition takes in a model's context."""
    return -(-len(orjson.dumps(write_tool(tool, CatalogueShape.MCP))) // BYTES_A_TOKEN)


def total_tokens(tools: Iterable[Tool]) -> int:
    """Return about how many tokens some definitions take."""
    return sum(map(estimated_tokens, tools))
