"""An example of every answer, for the OpenAPI document; a test holds them to their schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_REPOSITORY: dict[str, Any] = {
    "name": "flask",
    "path": "/home/ada/src/flask",
    "state": "ready",
    "reason": None,
    "progress": None,
    "busy": False,
    "files": 83,
    "symbols": 1604,
    "generation": 7,
    "age_s": 2.5,
    "watch": "inotify",
    "degraded": [],
}
_INDEXING = {
    **_REPOSITORY,
    "state": "indexing",
    "progress": {"stage": "analyze", "done": 40, "total": 83},
    "busy": True,
    "age_s": None,
}
_IDENTITY = {"service": "gortex", "version": "0.1.0", "pid": 4711, "uptime_s": 86.25}
_PLACE = {
    "repo": "flask",
    "path": "src/flask/sansio/scaffold.py",
    "start_line": 335,
    "end_line": 365,
    "symbol": "route",
    "qualified_name": "Scaffold.route",
    "kind": "method",
    "language": "python",
}
_ID = "src/flask/sansio/scaffold.py::Scaffold.route"
_SIGNATURE = "def route(self, rule: str, **options: t.Any) -> t.Callable[[T_route], T_route]"

ANSWERS: Mapping[str, dict[str, Any]] = {
    "SearchAnswer": {
        "query": "how are routes registered",
        "results": [
            {
                **_PLACE,
                "score": 7.25,
                "snippet": "def route(self, rule: str, **options: t.Any)",
                "highlights": [[4, 9]],
                "also": [{"start_line": 368, "end_line": 430, "symbol": "add_url_rule", "kind": "method"}],
                "id": _ID,
                "contributions": [
                    {"signal": "lexical", "raw": 6.5, "weight": 1.0, "score": 6.5},
                    {"signal": "vector", "raw": 0.5, "weight": 1.5, "score": 0.75},
                ],
            }
        ],
        "total": 22,
        "query_shape": {"class": "concept", "alpha": 0.5, "identifier_density": 0.0, "soup_terms": []},
        "query_advice": None,
        "warnings": [],
        "index": {"generation": 7, "age_s": 2.5, "state": "ready"},
        "elapsed_ms": {"query": 0.5, "candidates": 1.75, "evidence": 2.5, "rank": 0.25, "present": 1.0},
    },
    "SymbolAnswer": {
        **_PLACE,
        "id": _ID,
        "name_line": 336,
        "signature": _SIGNATURE,
        "doc": "Decorate a view function to register it with the given URL rule.",
        "source": f"    {_SIGNATURE}:\n        ...",
    },
    "RepositoriesAnswer": {"repos": [_REPOSITORY, {**_INDEXING, "name": "werkzeug", "path": "/home/ada/src/werkzeug"}]},
    "RepositoryBody": _INDEXING,
    "RemovedAnswer": {"name": "flask", "path": "/home/ada/src/flask", "removed": True},
    "HealthAnswer": {"status": "ok", **_IDENTITY},
    "ReadyAnswer": {"status": "ready", "repos": 1},
    "StoppingAnswer": {"status": "stopping", "pid": 4711},
    "StatusAnswer": {
        **_IDENTITY,
        "state": "ready",
        "embeddings": {"provider": "static", "variant": "code-128d", "dim": 128},
        "memory": {"rss_bytes": 104_857_600},
        "problems": [],
        "repos": [
            {
                **_REPOSITORY,
                "added_at": 1_767_225_600.0,
                "units": 1422,
                "vectors": 1422,
                "database_bytes": 3_407_872,
                "vector_bytes": 75_332,
                "skipped": {
                    "binary": {"count": 1, "examples": [{"path": "docs/_static/logo.png", "detail": "a NUL byte"}]}
                },
                "last_pass": None,
            }
        ],
    },
}
