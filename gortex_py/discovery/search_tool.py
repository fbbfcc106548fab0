"""The tool ``search_tool_bm25``: checks in their order, search, activation, the two answers.

Every text below is compared by callers; the order of the checks is part of the interface.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gortex_py.discovery.activation import ToolSession
from gortex_py.discovery.bm25plus import Match, ToolIndex
from gortex_py.discovery.catalog import Tool, ToolCard
from gortex_py.discovery.narrowing import WIDE, Narrowing
from gortex_py.discovery.order import rounded
from gortex_py.discovery.signatures import signature
from gortex_py.errors import Conflict, UsageError
from gortex_py.types import JsonObject

logger = logging.getLogger(__name__)

DEFAULT_LIMIT = 8
MAX_LIMIT = 1 << 53  # no corpus is larger, and every reader of JSON can hold it
UNAVAILABLE = "Tool discovery is unavailable in this session."
DISABLED = "Tool discovery is disabled. Enable tools.discoveryMode or mcp.discoveryMode to use search_tool_bm25."
EMPTY_QUERY = "Query is required and must not be empty."
BAD_LIMIT = "Limit must be a positive integer."


@dataclass(frozen=True, slots=True)
class Activation:
    """What a session must offer: is discovery on, what is selected, switch tools on."""

    is_enabled: Callable[[], bool]
    selected: Callable[[], Sequence[str]]
    activate: Callable[[Sequence[str]], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Hooks:
    """What a session offers to the search tool. Without ``activation`` the older MCP-only one serves."""

    activation: Activation | None = None
    legacy_mcp: Activation | None = None
    cards: Callable[[], Sequence[ToolCard]] | None = None
    index: Callable[[], ToolIndex | None] | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What a call of the search tool did."""

    query: str  # trimmed
    limit: int
    total_tools: int  # size of the corpus that was searched
    activated: tuple[str, ...]
    selected: tuple[str, ...]  # all that is selected after this call
    matches: tuple[Match, ...]
    signatures: Mapping[str, str] = field(default_factory=dict)  # by name, where they were asked for


def hooks_of(session: ToolSession) -> Hooks:
    """Return what one of our own sessions offers."""
    return Hooks(
        activation=Activation(lambda: session.is_enabled, lambda: session.selected, session.activate),
        cards=session.discoverable,
        index=session.index,
    )


def search_tools(
    hooks: Hooks, query: str | None, limit: object = None, *, narrowing: Narrowing = WIDE, activate: bool = True
) -> Found:
    """Find hidden tools and activate the best.

    :param limit: how many to return and activate; DEFAULT_LIMIT when None.
    :param activate: False to rank alone.
    :raises Conflict: when the session has no discovery, or it is off.
    :raises UsageError: for a query that is empty or without a letter or number, and for a limit that is no
        positive whole number.
    """
    activation = hooks.activation or hooks.legacy_mcp
    if activation is None:
        raise Conflict(UNAVAILABLE, code="discovery-unavailable")
    if not activation.is_enabled():
        raise Conflict(DISABLED, code="discovery-off")
    text, count = read_query(query), read_limit(limit)
    index = _index_of(hooks)
    already = frozenset(activation.selected())
    # Those already selected go before the cut: the same query again walks on down the ranking.
    matches = tuple(index.search(text, count, exclude=already, narrowing=narrowing))
    names = [match.card.name for match in matches] if activate else []
    activated = tuple(activation.activate(names)) if names else ()
    return Found(text, count, index.size, activated, tuple(activation.selected()), matches)


def rank_tools(index: ToolIndex, query: str | None, limit: object = None, *, narrowing: Narrowing = WIDE) -> Found:
    """Rank a corpus by itself: no session, nothing is activated.

    :raises UsageError: as search_tools does.
    """
    text, count = read_query(query), read_limit(limit)
    matches = tuple(index.search(text, count, narrowing=narrowing))
    return Found(text, count, index.size, (), (), matches)


def with_signatures(found: Found, tool_of: Callable[[str], Tool | None]) -> Found:
    """Return an answer with a one-line signature of each tool."""
    tools = [tool for match in found.matches if (tool := tool_of(match.card.name)) is not None]
    return replace(found, signatures={tool.name: signature(tool.name, tool.input_schema) for tool in tools})


def read_query(query: str | None) -> str:
    """Return the query without space around it.

    :raises UsageError: when nothing is left.
    """
    text = (query or "").strip().strip("\ufeff").strip()
    if not text:
        raise UsageError(EMPTY_QUERY, code="empty-query")
    return text


def read_limit(limit: object) -> int:
    """Return a limit: any number that is whole and above 0, so 2.0 too.

    :raises UsageError: for anything else.
    """
    if limit is None:
        return DEFAULT_LIMIT
    if isinstance(limit, int | float) and not isinstance(limit, bool):
        is_whole = isinstance(limit, int) or limit.is_integer()  # False for NaN and the infinities
        if is_whole and limit > 0:
            return min(int(limit), MAX_LIMIT)
    raise UsageError(BAD_LIMIT, code="bad-limit")


def content_of(found: Found) -> str:
    """Return what the model sees: compact JSON without the ranking."""
    body = {
        "query": found.query,
        "activated_tools": list(found.activated),
        "match_count": len(found.matches),
        "total_tools": found.total_tools,
    }
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def details_of(found: Found) -> JsonObject:
    """Return what renderers and other callers see."""
    return {
        "query": found.query,
        "limit": found.limit,
        "total_tools": found.total_tools,
        "activated_tools": list(found.activated),
        "active_selected_tools": list(found.selected),
        "tools": [_match_json(match, found.signatures) for match in found.matches],
    }


def _match_json(match: Match, signatures: Mapping[str, str]) -> JsonObject:
    card = match.card
    body: JsonObject = {"name": card.name, "label": card.label, "description": card.summary}
    if card.server_name is not None:
        body["server_name"] = card.server_name
    if card.mcp_tool_name is not None:
        body["mcp_tool_name"] = card.mcp_tool_name
    if card.name in signatures:
        body["signature"] = signatures[card.name]
    return {**body, "schema_keys": list(card.schema_keys), "score": float(rounded(match.score))}


def _index_of(hooks: Hooks) -> ToolIndex:
    """Return the cached index, else one of the list, else an empty one: a host's fault never ends a search."""
    try:
        index = hooks.index() if hooks.index else None
    except Exception as error:  # noqa: BLE001 - whatever a host's hook raises
        logger.warning("the tool index of a session cannot be had, it is built anew: %s", error)
        index = None
    return ToolIndex(cards_of(hooks)) if index is None else index


def cards_of(hooks: Hooks) -> Sequence[ToolCard]:
    """Return the discoverable tools; none when the host's list cannot be read."""
    try:
        return hooks.cards() if hooks.cards else ()
    except Exception as error:  # noqa: BLE001 - whatever a host's hook raises
        logger.warning("the discoverable tools of a session cannot be listed: %s", error)
        return ()
