"""What the golden tests share: the small corpus, indexed, and an option."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gortex_py.evaluation.run import Searcher
from gortex_py.evaluation.tasks import load_manifest
from tests.composed import default_pipeline

collect_ignore = ["corpus"]  # a corpus to search, tests of its own included


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that rewrites what is written down; it is known when this folder is named."""
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden rankings")


@pytest.fixture(scope="session")
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden", default=False))


@pytest.fixture(scope="session")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searcher]:
    """Return the engine over the small corpus."""
    (corpus,) = load_manifest(Path(__file__).parent / "queries.json")
    folder = tmp_path_factory.mktemp("golden")
    with closing(default_pipeline()) as pipeline:
        pipeline.index(corpus.root, folder)
        with pipeline.open(corpus.name, folder) as opened:
            yield opened
