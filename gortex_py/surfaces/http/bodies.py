"""What goes over the wire, for the OpenAPI document; answers are sent from plain dicts."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

MAX_LIMIT = 1_000
MAX_OFFSET = 1_000_000
MAX_QUERY_CHARS = 64 * 1024
MAX_FILTERS = 50

Filter: TypeAlias = Annotated[str, Field(max_length=1_000)]
Filters: TypeAlias = Annotated[list[Filter], Field(max_length=MAX_FILTERS)]
# One name or several; checked as a list, so that a complaint is about what was sent.
OneOrMore: TypeAlias = Annotated[
    Filters,
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "maxLength": 1_000},
                {"type": "array", "items": {"type": "string", "maxLength": 1_000}, "maxItems": MAX_FILTERS},
            ],
        }
    ),
]
State: TypeAlias = Literal["indexing", "ready", "empty", "failed"]

_SEARCH_EXAMPLE: Any = {"q": "how are routes registered", "limit": 5, "lang": ["python"], "explain": False}


class SearchParameters(BaseModel):
    """A search, as a query string."""

    q: str = Field(
        description="What to look for: words, an identifier, a path or a question.",
        max_length=MAX_QUERY_CHARS,
        examples=["how are routes registered", "HTTPAdapter.send"],
    )
    limit: int = Field(10, ge=1, le=MAX_LIMIT, description="How many results.")
    offset: int = Field(0, ge=0, le=MAX_OFFSET, description="How many results to leave out first.")
    repo: Filters = Field([], description="Names of repositories; all when left out. Repeat, or separate by commas.")
    path: Filters = Field([], description="Globs on the path in the repository; any may match. Repeat.")
    lang: Filters = Field([], description="Languages. Repeat, or separate by commas.")
    kind: Filters = Field([], description="Kinds of symbols. Repeat, or separate by commas.")
    corpus: str = Field("code", max_length=20, description="code, docs or all.", examples=["code", "docs", "all"])
    explain: bool = Field(False, description="Show the contributions that sum to each score.")


class SearchBody(BaseModel):
    """A search, as a JSON object."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [_SEARCH_EXAMPLE]})

    q: str = Field(description="What to look for.", max_length=MAX_QUERY_CHARS)
    limit: int = Field(10, ge=1, le=MAX_LIMIT)
    offset: int = Field(0, ge=0, le=MAX_OFFSET)
    repo: OneOrMore = Field([], description="Name or names of repositories.")
    path: OneOrMore = Field([], description="Glob or globs on the path.")
    lang: OneOrMore = Field([], description="Language or languages.")
    kind: OneOrMore = Field([], description="Kind or kinds of symbols.")
    corpus: str = Field("code", max_length=20, description="code, docs or all.")
    explain: bool = False


class TrackBody(BaseModel):
    """A folder to track."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"path": "/home/ada/src/flask", "name": "flask"}]}
    )

    path: str = Field(description="Absolute path of the folder.", max_length=4_096)
    name: str | None = Field(None, description="A name for it; the folder's when left out.", max_length=100)


class ProblemBody(BaseModel):
    """Why a request was not answered."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "type": "urn:gortex:problem:empty-query",
                    "title": "Bad Request",
                    "status": 400,
                    "detail": "the query is empty; say what to look for",
                    "code": "empty-query",
                }
            ]
        }
    )

    type: str
    title: str
    status: int
    detail: str = Field(description="One sentence: what was given, what was expected, what to do.")
    code: str = Field(description="A stable slug to branch on.")


class AlsoBody(BaseModel):
    """A further match in a hit's file."""

    start_line: int
    end_line: int
    symbol: str | None
    kind: str | None


class ContributionBody(BaseModel):
    """One signal's share of a score."""

    signal: str
    raw: float
    weight: float
    score: float


class HitBody(BaseModel):
    """One file with its best span."""

    repo: str
    path: str = Field(description="Relative to the repository, forward slashes.")
    start_line: int = Field(description="1-based.")
    end_line: int = Field(description="1-based, inclusive.")
    symbol: str | None
    qualified_name: str | None
    kind: str | None
    language: str | None
    score: float = Field(description="Higher is better.")
    snippet: str
    highlights: list[tuple[int, int]] = Field(description="Half-open ranges of code points in the snippet.")
    also: list[AlsoBody]
    id: str | None = Field(description="For /v1/symbols; null where no definition holds the span.")
    contributions: list[ContributionBody] | None = Field(None, description="Only with explain.")


class ShapeBody(BaseModel):
    """What was made of the query's text."""

    model_config = ConfigDict(populate_by_name=True)

    query_class: str = Field(alias="class", examples=["concept", "symbol", "path", "signature", "keyword_soup"])
    alpha: float = Field(description="Share of the vector channel in [0, 1].")
    identifier_density: float
    soup_terms: list[str]


class AdviceBody(BaseModel):
    """How the query would be better asked."""

    reason: str
    split_into: list[str]


class IndexBody(BaseModel):
    """The state of the index behind an answer."""

    generation: int
    age_s: float | None = Field(description="Seconds since the index last agreed with the disk.")
    state: State


class SearchAnswer(BaseModel):
    """The answer to a search."""

    query: str
    results: list[HitBody]
    total: int = Field(description="Files that matched, before offset and limit.")
    query_shape: ShapeBody
    query_advice: AdviceBody | None
    warnings: list[str] = Field(description="What could not be seen or used.")
    index: IndexBody
    elapsed_ms: dict[str, float]


class SymbolAnswer(BaseModel):
    """A definition with its source."""

    repo: str
    id: str
    kind: str
    symbol: str
    qualified_name: str
    path: str
    language: str | None
    start_line: int
    end_line: int
    name_line: int
    signature: str
    doc: str
    source: str


class ProgressBody(BaseModel):
    """How far a pass is."""

    stage: str
    done: int
    total: int


class DegradedBody(BaseModel):
    """A part that works less well than it should."""

    part: str
    reason: str


class RepositoryBody(BaseModel):
    """A tracked repository."""

    name: str
    path: str
    state: State
    reason: str | None = Field(description="Why it failed or is empty.")
    progress: ProgressBody | None
    busy: bool = Field(description="A pass is running or waiting.")
    files: int
    symbols: int
    generation: int
    age_s: float | None
    watch: str
    degraded: list[DegradedBody]


class RepositoriesAnswer(BaseModel):
    """The tracked repositories."""

    repos: list[RepositoryBody]


class RemovedAnswer(BaseModel):
    """A repository that is not tracked any more."""

    name: str
    path: str
    removed: bool


class HealthAnswer(BaseModel):
    """The daemon is alive."""

    status: Literal["ok"]
    service: Literal["gortex"]
    version: str
    pid: int
    uptime_s: float


class ReadyAnswer(BaseModel):
    """Every repository answers from a whole index."""

    status: Literal["ready"]
    repos: int


class StoppingAnswer(BaseModel):
    """The daemon is about to end."""

    status: Literal["stopping"]
    pid: int


class EmbeddingsBody(BaseModel):
    """What turns texts into vectors."""

    provider: str | None = Field(description="What is really running; null without vectors.")
    variant: str | None = Field(description="Which word table the static provider reads.")
    dim: int


class MemoryBody(BaseModel):
    """Memory of the daemon's process."""

    rss_bytes: int


class RepositoryDetailBody(RepositoryBody):
    """A tracked repository with what only its index can tell."""

    added_at: float
    units: int | None
    vectors: int | None
    database_bytes: int | None
    vector_bytes: int | None
    skipped: dict[str, Any] = Field(description="By reason: count and examples.")
    last_pass: dict[str, Any] | None


class StatusAnswer(BaseModel):
    """The daemon's account of itself."""

    service: Literal["gortex"]
    version: str
    pid: int
    uptime_s: float
    state: State
    embeddings: EmbeddingsBody
    memory: MemoryBody
    problems: list[str]
    repos: list[RepositoryDetailBody]
