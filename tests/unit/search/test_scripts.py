"""Scripts, accents and case: what is typed finds what is written."""

from __future__ import annotations

import pytest

from tests.unit.search.conftest import Ask, Asking

FILES = {
    "a.py": "# 用户登录\nx = 1\n",
    "b.py": "def café():\n    return 1\n",
    "c.py": "# ПРИВЕТ мир\nz = 1\n",
    "d.py": "class Größe:\n    pass\n",
    "e.py": "# ユーザー登録の処理\nw = 1\n",
    "f.py": "# 사용자 로그인\nv = 1\n",
    "g.py": "nothing = 0\n",
}


@pytest.fixture(scope="module")
def code(ask: Ask) -> Asking:
    return ask(FILES)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("登录", "a.py"), ("用户", "a.py"), ("用户登录", "a.py"), ("登", "a.py"),
        ("CAFE", "b.py"), ("café", "b.py"), ("cafe\u0301", "b.py"), ("Cafe", "b.py"),
        ("привет", "c.py"), ("Привет", "c.py"), ("МИР", "c.py"),
        ("große", "d.py"), ("GRÖSSE", "d.py"), ("登録", "e.py"), ("로그인", "f.py"),
    ],
)  # fmt: skip
def test_what_is_typed_finds_what_is_written(code: Asking, text: str, path: str) -> None:
    assert code.paths(text)[0] == path


def test_highlights_of_wide_characters_are_character_ranges(code: Asking) -> None:
    hit = code.first("登录")
    assert [hit.snippet[a:b] for a, b in hit.highlights] == ["登录"]
