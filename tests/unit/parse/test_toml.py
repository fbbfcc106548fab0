"""TOML: tables, dotted and quoted keys, inline tables, arrays of tables by name."""

from __future__ import annotations

from tests.unit.parse.samples import comments, outline, parse, symbol

SOURCE = r"""# The package.
title = "shop"
owner.name.first = "x"

[project]
name = "shop"
extra = { dev = 1, deep = { er = 2 } }

[tool.lint."per file"]
level = 3

[[bin]]
name = "cart"
path = "cart.rs"

[[bin]]
path = "other.rs"
"""


def test_definitions_stand_where_the_source_has_them() -> None:
    assert outline("toml", SOURCE) == [
        "key title 2-2",
        "key owner.name.first 3-3",
        "key project 5-7",
        "key project.name 6-6",
        "key project.extra 7-7",
        "key project.extra.dev 7-7",
        "key project.extra.deep 7-7",
        "key project.extra.deep.er 7-7",
        "key tool.lint.per file 9-10",
        "key tool.lint.per file.level 10-10",
        "key bin.cart 12-14",
        "key bin.cart.path 14-14",
        "key bin 16-17",
        "key bin.path 17-17",
    ]


def test_signatures_end_before_the_body() -> None:
    signatures = {
        "project": '[project] name = "shop" extra = { dev = 1, deep = { er = 2 } }',
        "tool.lint.per file": '[tool.lint."per file"] level = 3',
    }
    assert {name: symbol("toml", SOURCE, name).signature for name in signatures} == signatures


def test_comments_document_what_follows() -> None:
    assert symbol("toml", SOURCE, "title").doc == "The package."


def test_comments_are_known() -> None:
    assert comments("toml", SOURCE) == [
        "# The package.",
    ]


def test_broken_code_keeps_the_rest() -> None:
    names = {s.name for s in parse("toml", "[a]\nb = \n\n[c]\nd = 1\n").symbols}
    assert "d" in names
