"""How the texts of tools and queries become tokens: as documented, or more thoroughly where that is set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gortex_py.discovery.catalog import Tool, ToolCard
from gortex_py.discovery.narrowing import STOP_WORDS
from gortex_py.discovery.tokens import tool_tokens
from gortex_py.text.tokens import stem

DESCRIPTION_CHARS = 600  # beyond, descriptions turn to examples and warnings
DESCRIPTION_WEIGHT = 2
PARAMETER_CHARS = 200
PARAMETER_WEIGHT = 1
MAX_PARAMETERS = 40


@dataclass(frozen=True, slots=True)
class Reading:
    """What is read of a tool, and into which tokens."""

    tokens: Callable[[str], list[str]]  # of a tool's text
    asked: Callable[[str], list[str]]  # of a query
    more: Callable[[ToolCard], Iterable[tuple[str, int]]]  # further texts of a tool, with their weights


PLAIN = Reading(tool_tokens, tool_tokens, lambda card: ())


def deep_reading(tools: Mapping[str, Tool]) -> Reading:
    """Return a reading of whole descriptions and those of parameters; forms of a word are one, stop words none."""

    def more(card: ToolCard) -> list[tuple[str, int]]:
        tool = tools.get(card.name)
        return [] if tool is None else _texts(tool)

    return Reading(_stems, _asked, more)


def _texts(tool: Tool) -> list[tuple[str, int]]:
    said = len(tool.card.summary) if tool.description.startswith(tool.card.summary) else 0
    texts = [(tool.description[said:DESCRIPTION_CHARS], DESCRIPTION_WEIGHT)]
    properties = tool.input_schema.get("properties")
    described = [_description(each) for each in properties.values()] if isinstance(properties, Mapping) else []
    return [*texts, *((text[:PARAMETER_CHARS], PARAMETER_WEIGHT) for text in described[:MAX_PARAMETERS] if text)]


def _description(schema: Any) -> str:
    found = schema.get("description") if isinstance(schema, Mapping) else None
    return found if isinstance(found, str) else ""


def _asked(query: str) -> list[str]:
    tokens = tool_tokens(query)
    said = [token for token in tokens if token not in STOP_WORDS]
    return [stem(token) for token in said or tokens]


def _stems(text: str) -> list[str]:
    return [stem(token) for token in tool_tokens(text)]
