"""Options of the golden tests."""

from __future__ import annotations

import pytest

collect_ignore = ["corpus"]  # a corpus to search, tests of its own included


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that rewrites what is written down; it is known when this folder is named."""
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden rankings")


@pytest.fixture(scope="session")
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden", default=False))
