"""An example of every answer of the tool routes, for the OpenAPI document; a test holds them to their schemas."""

from __future__ import annotations

from typing import Any

_NAME = "mcp__github_create_issue"
_HEAD: dict[str, Any] = {"name": "github", "version": 1, "digest": "9b1f7c"}
_SESSION: dict[str, Any] = {
    "id": "73900a2a004a495491aa4400c0ed6c12",
    "mode": "mcp-only",
    "active": ["search_tool_bm25", _NAME],
    "selected": [_NAME],
    "discoverable": 16,
    "registered": 17,
    "catalogues": {"github": 1},
}
_TOOL: dict[str, Any] = {
    "name": _NAME,
    "label": "github/create_issue",
    "summary": "Open a new issue",
    "description": "Open a new issue",
    "source": "mcp",
    "load_mode": None,
    "server_name": "github",
    "mcp_tool_name": "create_issue",
    "schema_keys": ["title"],
    "input_schema": {"type": "object", "properties": {"title": {"type": "string"}}},
}
_MATCH: dict[str, Any] = {
    "name": _NAME,
    "label": "github/create_issue",
    "description": "Open a new issue",
    "server_name": "github",
    "mcp_tool_name": "create_issue",
    "schema_keys": ["title"],
    "score": 5.701251,
}

_SERVER: dict[str, Any] = {
    "name": "github",
    "kind": "stdio",
    "where": "npx",
    "state": "ready",
    "error": None,
    "pid": 4711,
    "tools": 17,
    "withheld": 0,
    "changed": [],
    "tokens": 5210,
}

TOOL_ANSWERS: dict[str, Any] = {
    "ToolSearchAnswer": {
        "query": "open an issue",
        "limit": 5,
        "total_tools": 17,
        "activated_tools": [_NAME],
        "active_selected_tools": [_NAME],
        "tools": [_MATCH],
        "content": f'{{"query":"open an issue","activated_tools":["{_NAME}"],"match_count":1,"total_tools":17}}',
    },
    "RenderAnswer": {
        "text": "⚠ Tool Discovery: issue 0 matches · 0 active · 12 total · limit:8\nNo matching tools found."
    },
    "ExplanationAnswer": {
        "name": _NAME,
        "state": "discoverable",
        "reasons": ["mode mcp-only hides it; search for it, or activate it by name"],
        "catalogues": ["github"],
    },
    "CataloguesAnswer": {"catalogues": [{**_HEAD, "tools": 17}]},
    "CatalogueAnswer": {**_HEAD, "tools": [_TOOL]},
    "CatalogueChangeAnswer": {
        "name": "github",
        "version": 1,
        "added": [_NAME],
        "changed": [],
        "removed": [],
        "unchanged": 0,
        "errors": [{"position": 1, "name": "", "message": "a tool is a JSON object"}],
    },
    "CatalogueRemovedAnswer": {"name": "github", "removed": True},
    "ToolSessionAnswer": _SESSION,
    "ToolSessionsAnswer": {"sessions": [_SESSION]},
    "ToolAnswer": {"tool": _TOOL},
    "ToolsAnswer": {"tools": [_TOOL]},
    "DescriptionAnswer": {
        "name": "search_tool_bm25",
        "description": "Looks through the metadata of tools that are hidden in this session …",
    },
    "CallAnswer": {"content": [{"type": "text", "text": "Opened #12"}], "isError": False},
    "UsableToolsAnswer": {
        "tools": [
            {
                "name": _NAME,
                "label": "github/create_issue",
                "description": "Open a new issue",
                "catalogue": "mcp:github",
                "tokens": 96,
            }
        ]
    },
    "ServersAnswer": {"servers": [_SERVER], "problems": []},
    "ServerBody": _SERVER,
    "ActivationAnswer": {"names": [_NAME], "session": _SESSION},
}
