"""Bodies of the tool routes, for the OpenAPI document; answers are sent from plain dicts."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

MAX_NAMES = 10_000

ToolName: TypeAlias = Annotated[str, Field(max_length=200)]
ToolNames: TypeAlias = Annotated[list[ToolName], Field(max_length=MAX_NAMES)]
Mode: TypeAlias = Literal["auto", "off", "mcp-only", "all"]
EffectiveMode: TypeAlias = Literal["off", "mcp-only", "all"]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
# Checked where the order of the complaints is fixed, not here.
LooseLimit: TypeAlias = Annotated[Any, WithJsonSchema({"type": "integer", "minimum": 1, "default": 8})]

LISTING: Any = {
    "tools": [
        {
            "name": "create_issue",
            "description": "Open a new issue",
            "inputSchema": {"type": "object", "properties": {"title": {"type": "string"}}},
        }
    ]
}

_RENDER_EXAMPLE: Any = {
    "details": {"query": "issue", "limit": 8, "total_tools": 12, "active_selected_tools": [], "tools": []},
    "expanded": False,
}


class ToolSearchBody(BaseModel):
    """A search for tools, in a session or over one catalogue."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"query": "open an issue", "limit": 5, "session_id": "…"}]}
    )

    query: str | None = Field(None, max_length=64 * 1024, description="Keywords, or a sentence about what is needed.")
    limit: LooseLimit = Field(None, description="How many to return and activate; 8 when left out.")
    session_id: str | None = Field(None, max_length=200, description="Matches become active in it.")
    catalogue: str | None = Field(
        None, max_length=200, description="Without a session: what is ranked; everything when this is left out too."
    )
    activate: bool | None = Field(None, description="False to rank alone; as set by `tools.activate` when left out.")
    min_coverage: Share | None = Field(None, description="As set by `tools.min_coverage` when left out.")
    relative_floor: Share | None = Field(None, description="As set by `tools.relative_floor` when left out.")
    exact_name_first: bool | None = Field(None, description="As set by `tools.exact_name_first` when left out.")
    compact_signatures: bool | None = Field(None, description="As set by `tools.compact_signatures` when left out.")


class ToolMatchBody(BaseModel):
    """A tool that matched."""

    name: str
    label: str
    description: str = Field(description="One line.")
    server_name: str | None = Field(None, description="Left out where there is none.")
    mcp_tool_name: str | None = Field(None, description="Left out where there is none.")
    signature: str | None = Field(None, description="Name and parameters in one line, where it was asked for.")
    schema_keys: list[str]
    score: float = Field(ge=0, le=1e12, description="Six places; comparable within one corpus.")


class ToolSearchAnswer(BaseModel):
    """What a search for tools found and activated."""

    query: str
    limit: int
    total_tools: int = Field(description="Size of the corpus that was searched.")
    activated_tools: list[str]
    active_selected_tools: list[str]
    tools: list[ToolMatchBody]
    content: str = Field(description="What the model is given: compact JSON.")
    servers: list[TroubledServerBody] | None = Field(
        None, description="MCP servers whose tools may be missing here; left out where there are none."
    )
    tokens: TokensBody | None = Field(None, description="Where `tools.count_tokens` is on, of the session.")


class TroubledServerBody(BaseModel):
    """An MCP server that failed, or of whose tools nothing is known yet."""

    name: str
    state: str
    error: str | None


class TokensBody(BaseModel):
    """About how many tokens definitions take in a model's context."""

    shown: int
    hidden: int


class RenderBody(BaseModel):
    """An answer of a search, to be shown as text."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [_RENDER_EXAMPLE]})

    details: ToolSearchDetails
    expanded: bool = False


class ToolSearchDetails(BaseModel):
    """What a search answered; other fields are ignored."""

    query: str = Field(max_length=64 * 1024)
    limit: int = Field(ge=1, le=1 << 53)
    total_tools: int = Field(ge=0, le=1 << 53)
    active_selected_tools: ToolNames
    tools: Annotated[list[ToolMatchBody], Field(max_length=MAX_NAMES)]


class RenderAnswer(BaseModel):
    """Text for a terminal."""

    text: str


class CatalogueBody(BaseModel):
    """A catalogue in any of the four shapes; a bare list of tools is taken too."""

    model_config = ConfigDict(json_schema_extra={"examples": [LISTING]})

    tools: list[Any]


class ItemErrorBody(BaseModel):
    """An item of a catalogue that was left out."""

    position: int = Field(description="From 0.")
    name: str
    message: str


class CatalogueChangeAnswer(BaseModel):
    """What putting a catalogue changed."""

    name: str
    version: int = Field(description="Counts the changes of content; the same content leaves it.")
    added: list[str]
    changed: list[str]
    removed: list[str]
    unchanged: int
    errors: list[ItemErrorBody] = Field(description="Items that were left out; the others are in.")


class CatalogueHeadBody(BaseModel):
    """A catalogue without its tools."""

    name: str
    version: int
    digest: str
    tools: int


class CataloguesAnswer(BaseModel):
    """The catalogues by name."""

    catalogues: list[CatalogueHeadBody]


class CatalogueAnswer(BaseModel):
    """A catalogue with its tools in the shape asked for."""

    name: str
    version: int
    digest: str
    tools: list[dict[str, Any]]


class CatalogueRemovedAnswer(BaseModel):
    """A catalogue that is not there any more."""

    name: str
    removed: bool


class ToolSessionBody(BaseModel):
    """What a tool session begins with."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"mode": "all"}]})

    mode: Mode | None = Field(
        None,
        description="What is hidden; auto hides MCP tools when there are more than 40 tools. "
        "As set by `tools.discovery_mode` when left out.",
    )
    legacy_mcp_discovery: bool | None = Field(
        None, description="The older switch: on means mcp-only unless mode says more."
    )
    essential_override: ToolNames | None = Field(
        None, description="Built-in tools that are essential, in place of the default."
    )
    default_servers: ToolNames | None = Field(None, description="MCP servers whose tools are active from the start.")
    max_active: Annotated[int, Field(ge=0, le=MAX_NAMES)] | None = Field(
        None, description="As set by `tools.max_active` when left out."
    )
    frozen_description: bool | None = Field(None, description="As set by `tools.frozen_description` when left out.")
    explicit_tools: ToolNames = Field([], description="Tools that are active from the start.")
    forced_tools: ToolNames = Field([], description="Tools that a forced choice needs.")
    restore: ToolNames | None = Field(None, description="An earlier selection, in place of the default servers.")
    catalogues: ToolNames | None = Field(None, description="Whose tools it sees; all when left out.")
    servers_only: bool = Field(False, description="Only tools that can be called, those of MCP servers.")


class ToolSessionAnswer(BaseModel):
    """A tool session as it is now."""

    id: str
    mode: EffectiveMode
    active: list[str] = Field(description="In the order they became active.")
    selected: list[str]
    discoverable: int
    registered: int
    catalogues: dict[str, int] = Field(description="Name to version.")
    tokens: TokensBody | None = Field(None, description="Where `tools.count_tokens` is on.")


class ToolSessionsAnswer(BaseModel):
    """The tool sessions, the one used last first."""

    sessions: list[ToolSessionAnswer]


class CallBody(BaseModel):
    """A call of a tool."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"name": "mcp__github_create_issue", "arguments": {"title": "Crash"}}]},
    )

    name: ToolName
    arguments: dict[str, Any] = Field({}, description="As the tool's input schema says.")


class CallAnswer(BaseModel):
    """What the tool gave, as its server sent it."""

    content: list[dict[str, Any]]
    structuredContent: Any = None  # noqa: N815 (the protocol's name)
    isError: bool = False  # noqa: N815


class UsableToolBody(BaseModel):
    """A tool that can be used."""

    name: str
    label: str
    description: str
    catalogue: str = Field(description="Where it comes from; `mcp:` stands before the name of an MCP server.")
    tokens: int = Field(description="Estimate of what its definition takes.")


class UsableToolsAnswer(BaseModel):
    """Every tool that can be used."""

    tools: list[UsableToolBody]


class ServerBody(BaseModel):
    """An MCP server that the user has set up."""

    name: str
    kind: Literal["stdio", "http"]
    where: str = Field(description="Program or address, without what may be secret.")
    state: Literal["configured", "known", "starting", "ready", "failed", "stopped"]
    error: str | None
    pid: int | None
    tools: int = Field(description="That can be used.")
    withheld: int = Field(description="That the setup blocks, or that changed since they were approved.")
    changed: list[str] = Field(description="Tools whose changed definition waits to be approved.")
    tokens: int = Field(description="Estimate of what the definitions take.")


class ServersAnswer(BaseModel):
    """The MCP servers by name."""

    servers: list[ServerBody]
    problems: list[str] = Field(description="What of the user's file could not be used.")


class ApproveBody(BaseModel):
    """Which changed definitions are approved."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"tools": ["create_issue"]}]})

    tools: ToolNames | None = Field(None, description="The server's own names; all when left out.")


class NamesBody(BaseModel):
    """Names of tools."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"names": ["mcp__github_create_issue"]}]})

    names: ToolNames


class ActivationAnswer(BaseModel):
    """What was switched, and the session after it."""

    names: list[str]
    session: ToolSessionAnswer


class ToolsAnswer(BaseModel):
    """Tools of a session."""

    tools: list[dict[str, Any]]


class ToolAnswer(BaseModel):
    """One tool of a session."""

    tool: dict[str, Any]


class DescriptionAnswer(BaseModel):
    """What the search tool says of itself."""

    name: str
    description: str


class ExplanationAnswer(BaseModel):
    """Why a session sees a tool or does not."""

    name: str
    state: Literal["active", "discoverable", "switched-off", "withheld", "not-in-session"]
    reasons: list[str]
    catalogues: list[str] = Field(description="That have the name; the first one counts.")


RenderBody.model_rebuild()
ToolSearchAnswer.model_rebuild()
