"""A toy engine and toy corpora for the evaluation's tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gortex_py.evaluation.report import CorpusOutcome, EvaluationReport, QueryOutcome
from gortex_py.types import FileCategory, Hit, Query, QueryClass, QueryShape, SearchResult


def make_outcome(
    *ranks: int | None, corpus: str = "shop", category: str = "semantic", query: str = "q", language: str = "python"
) -> QueryOutcome:
    return QueryOutcome(corpus, language, category, query, ranks, ("a.py",), ("a.py:1-9",), 2.0)


def make_report(
    *outcomes: QueryOutcome, method: str = "toy", cold: bool = True, measured: str = "2025-01-02T03:04Z"
) -> EvaluationReport:
    names = dict.fromkeys((outcome.corpus, outcome.language) for outcome in outcomes)
    corpora = tuple(CorpusOutcome(name, language, True, (), 3, 0.5, 1000, 7.0) for name, language in names)
    return EvaluationReport(
        method=method,
        revision="0123456789ab",
        manifest="manifest.json",
        machine="a machine",
        measured=measured,
        cold=cold,
        peak_rss_bytes=5_000_000,
        corpora=corpora,
        outcomes=outcomes,
        stages_ms={"channels": (1.0, 2.0)},
    )


@dataclass
class GrepPipeline:
    """An engine that lists the files that hold the query's last word, by path."""

    method: str = "grep"
    indexed: list[str] = field(default_factory=list)

    def index(self, root: Path, folder: Path) -> int:
        self.indexed.append(root.name)
        texts = {file.relative_to(root).as_posix(): file.read_text() for file in sorted(root.rglob("*.py"))}
        (folder / "texts.json").write_text(json.dumps(texts))
        return len(texts)

    @contextmanager
    def open(self, name: str, folder: Path) -> Iterator[GrepSearcher]:
        yield GrepSearcher(name, json.loads((folder / "texts.json").read_text()))


@dataclass
class GrepSearcher:
    """The opened side of it."""

    repo: str
    texts: dict[str, str]
    asked: int = 0

    def search(self, query: Query, /) -> SearchResult:
        self.asked += 1
        word = query.text.split()[-1]
        found = sorted(path for path, text in self.texts.items() if word in text)
        return SearchResult(
            query=query,
            shape=QueryShape(QueryClass.CONCEPT, 0.5, 0.0),
            hits=tuple(self._hit(path, word) for path in found[: query.limit]),
            total=len(found),
            warnings=(),
            generation=1,
            elapsed_ms={"scan": float(self.asked)},
        )

    def _hit(self, path: str, word: str) -> Hit:
        line = 1 + self.texts[path][: self.texts[path].index(word)].count("\n")
        return Hit(self.repo, path, line, line, None, None, None, None, "python", FileCategory.SOURCE, 1.0, "", ())
