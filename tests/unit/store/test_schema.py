from __future__ import annotations

import re
from pathlib import Path

import gortex_py
from gortex_py.store.schema import CONTENT_TABLES, FORMAT_VERSION, TEXT_TABLES

PAGE = Path(gortex_py.__file__).parents[1] / "docs" / "index-format.md"


def test_the_format_page_knows_every_table_and_the_current_format() -> None:
    text = PAGE.read_text(encoding="utf-8")
    words = set(re.findall(r"\w+", text))
    assert {*CONTENT_TABLES, *TEXT_TABLES, "vectors", "meta", "enrichments"} <= words
    history = text.split("## Format history")[1]
    assert re.search(rf"^\| {FORMAT_VERSION} \|", history, re.MULTILINE)
