"""What goes over the wire of the task memory, with an example of every answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from gortex_py.surfaces.http.bodies import MAX_QUERY_CHARS

_PATH = "src/flask/sansio/scaffold.py"
_BY_ID: dict[str, Any] = {"query": "how are routes registered", "id": f"{_PATH}::Scaffold.route"}
_BY_LINE: dict[str, Any] = {"query": "how are routes registered", "repo": "flask", "path": _PATH, "line": 340}


class FeedbackBody(BaseModel):
    """What was the answer to a query: a symbol by its id, or a path with a line in it."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [_BY_ID, _BY_LINE, {**_BY_ID, "useful": False}]}
    )

    query: str = Field(description="What was searched for.", max_length=MAX_QUERY_CHARS)
    repo: str | None = Field(None, description="Needed where several repositories have it.", max_length=200)
    id: str | None = Field(None, description="The id of a hit; instead of path and line.", max_length=8_000)
    path: str | None = Field(None, description="A file, relative to its repository.", max_length=4_096)
    line: int | None = Field(None, ge=1, le=2**31 - 1, description="A line of the definition that was opened.")
    useful: bool = Field(True, description="False says that it was not the answer.")


class FeedbackAnswer(BaseModel):
    """What was learned."""

    repo: str
    path: str
    symbol: str | None = Field(description="Qualified name; null for the file as such.")
    id: str | None
    query: str
    useful: bool
    selections: int = Field(description="How often this place was chosen for this query within seven days of each.")


class AssociationBody(BaseModel):
    """What was learned of one place, for one query or one keyword."""

    repo: str
    scope: Literal["query", "keyword"]
    key: str = Field(description="The query, folded, or the stem of a word.")
    path: str
    symbol: str | None
    selections: int
    hits: float = Field(description="Selections, faded, as at the last one.")
    misses: float = Field(description="What speaks against it, on the same footing.")
    last_used: float = Field(description="Seconds since the epoch.")
    lift: float = Field(description="What it lifts by itself now, in [0, 1].")


class MemoryAnswer(BaseModel):
    """What was learned, the last used first."""

    enabled: bool
    total: int = Field(description="Associations, before limit.")
    associations: list[AssociationBody]


class ForgottenAnswer(BaseModel):
    """What was deleted."""

    removed: int = Field(description="Associations.")


MEMORY_ANSWERS: Mapping[str, dict[str, Any]] = {
    "FeedbackAnswer": {
        "repo": "flask",
        "path": _PATH,
        "symbol": "Scaffold.route",
        "id": f"{_PATH}::Scaffold.route",
        "query": "how are routes registered",
        "useful": True,
        "selections": 3,
    },
    "MemoryAnswer": {
        "enabled": True,
        "total": 2,
        "associations": [
            {
                "repo": "flask",
                "scope": "query",
                "key": "how are routes registered",
                "path": _PATH,
                "symbol": "Scaffold.route",
                "selections": 3,
                "hits": 3.0,
                "misses": 0.0,
                "last_used": 1_767_225_600.0,
                "lift": 0.15,
            },
            {
                "repo": "flask",
                "scope": "keyword",
                "key": "rout",
                "path": _PATH,
                "symbol": "Scaffold.route",
                "selections": 3,
                "hits": 3.0,
                "misses": 0.25,
                "last_used": 1_767_225_600.0,
                "lift": 0.105,
            },
        ],
    },
    "ForgottenAnswer": {"removed": 2},
}
