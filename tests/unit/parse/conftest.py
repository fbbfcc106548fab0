"""Parse samples and look at what matters."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

from gortex_py.parse import SourceParser
from gortex_py.types import ParsedFile

Parse = Callable[[str, str], ParsedFile]


@pytest.fixture(scope="session")
def parse() -> Parse:
    parser = SourceParser()

    def run(language: str, text: str) -> ParsedFile:
        parsed = parser.parse("file", language, dedent(text).lstrip("\n"))
        assert parsed.degraded is None
        return parsed

    return run
