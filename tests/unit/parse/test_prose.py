"""Prose: sections by heading, with ids that outlive edits of the text below them."""

from __future__ import annotations

import time

import pytest

from gortex_py.parse.headings import MAX_BLOCK_PARSER_CHARS, MAX_HEADINGS, markdown_headings, scan_markdown
from gortex_py.parse.prose import PARAGRAPH_GROUP_LINES, first_paragraph, parse_prose, slug
from gortex_py.types import Symbol, SymbolKind

README = """\
Welcome.

# Setup

How to `install` it.
Two lines.

## Build ##

```sh
# not a heading
make
```

## Test

Install *later*
===============

Text.
"""


def sections(text: str, language: str = "markdown", path: str = "docs/README.md") -> tuple[Symbol, ...]:
    return parse_prose(path, language, text).symbols


def titles(text: str, language: str = "markdown") -> list[str]:
    return [s.name for s in sections(text, language)]


def test_sections_nest_and_span_what_stands_below_them() -> None:
    found = [(s.name, s.span.start_line, s.span.end_line, s.parent) for s in sections(README)]
    assert found == [
        ("README", 1, 2, None),
        ("Setup", 3, 16, None),
        ("Build", 8, 14, 1),
        ("Test", 15, 16, 1),
        ("Install later", 17, 20, None),
    ]


def test_a_section_says_where_it_stands_and_what_it_is_about() -> None:
    setup, build = sections(README)[1:3]
    assert setup.kind is SymbolKind.DOC
    assert setup.doc == "How to `install` it. Two lines."
    assert build.qualified_name == "README.md > Setup > Build"
    assert build.signature == "## Build ##"
    assert README.encode()[build.span.start_byte : build.span.end_byte].startswith(b"## Build ##\n")


def test_ids_come_from_the_path_of_headings() -> None:
    assert [s.id for s in sections(README)] == [
        "docs/README.md::doc:readme",
        "docs/README.md::doc:setup",
        "docs/README.md::doc:setup/build",
        "docs/README.md::doc:setup/test",
        "docs/README.md::doc:install-later",
    ]


def test_an_edit_of_a_body_keeps_every_id() -> None:
    edited = README.replace("Two lines.", "Three.\n\nMore\n\n- a\n- b").replace("make", "make all\n# neither")
    assert edited != README
    assert [s.id for s in sections(edited)] == [s.id for s in sections(README)]


def test_a_new_preamble_renames_no_section() -> None:
    text = "# README\n\nText\n"
    assert sections(text)[0].id == "docs/README.md::doc:readme"
    assert [(s.name, s.id) for s in sections("Hello.\n\n" + text)] == [
        ("README", "docs/README.md::doc:readme~2"),
        ("README", "docs/README.md::doc:readme"),
    ]


def test_repeated_headings_are_numbered_within_their_path() -> None:
    text = "# A\n## Usage\n## Usage\n# B\n## Usage\n"
    assert [s.id.partition("::doc:")[2] for s in sections(text)] == ["a", "a/usage", "a/usage~2", "b", "b/usage"]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("安装 指南", "安装-指南"),
        ("Быстрый старт!", "быстрый-старт"),
        ("Ｆｕｌｌ Width", "full-width"),
        ("हिन्दी गाइड", "हिन्दी-गाइड"),
        ("🚀", "1f680"),
        ("✈️ Travel", "travel"),
        ("C++ / C#", "c-c"),
    ],
)
def test_slugs_keep_letters_of_any_script(title: str, expected: str) -> None:
    assert slug(title) == expected
    assert sections(f"# {title}\n")[0].id == f"docs/README.md::doc:{expected}"


@pytest.mark.parametrize(
    "text",
    [
        "```\n# fenced\n```\n",
        "~~~~\n# fenced\n~~~\n# still\n~~~~\n",
        "    # indented\n",
        "> # quoted\n",
        "- # in a list\n",
        "<h1>HTML</h1>\n",
        "<div>\n# in HTML\n</div>\n",
        "---\ntitle: Front\n# comment\n---\n",
        "#no-space\n",
        "a | b\n--|--\n1 | 2\n",
        "#\n##  ##\n",
    ],
)
def test_what_only_looks_like_a_heading_is_none(text: str) -> None:
    assert [s.name for s in sections(text)] == ["README"]


def test_markup_is_taken_off_titles() -> None:
    text = "# The `api` of *[Foo](x)* ![badge](y) &amp; [bar][1]\n\n[1]: z\n"
    assert titles(text) == ["The api of Foo & bar"]


def test_the_line_scan_finds_what_the_block_parser_finds() -> None:
    lines = README.split("\n")
    assert scan_markdown(lines, 0) == markdown_headings(lines)


def test_large_files_are_scanned_by_line() -> None:
    text = README + "filler words here\n" * (MAX_BLOCK_PARSER_CHARS // 10) + "\n# End\n"
    assert titles(text) == [*titles(README), "End"]


RST = """\
=======
Manual
=======

Intro with ``code``.

.. _setup:

Set up :ref:`it <x>`
--------------------

.. note::

   Indented
   --------

Old
~~~

Use
---

====  ====
a     b
====  ====
"""


def test_rst_levels_follow_the_order_of_their_styles() -> None:
    found = [s.qualified_name for s in sections(RST, "rst", "m.rst")]
    assert found == [
        "m.rst > Manual",
        "m.rst > Manual > Set up it",
        "m.rst > Manual > Set up it > Old",
        "m.rst > Manual > Use",
    ]
    assert [s.span.start_line for s in sections(RST, "rst", "m.rst")] == [1, 9, 17, 20]


def test_plain_text_is_grouped_by_paragraph() -> None:
    paragraph = "line\n" * 9 + "\n"
    groups = sections(paragraph * 10, "text", "notes.txt")
    assert [(s.span.start_line, s.span.end_line) for s in groups] == [(1, 40), (41, 80), (81, 100)]
    assert [s.id for s in groups] == ["notes.txt::doc:notes", "notes.txt::doc:notes~2", "notes.txt::doc:notes~3"]


def test_one_endless_paragraph_is_cut() -> None:
    groups = sections("line\n" * 100, "text", "notes.txt")
    assert max(s.span.end_line - s.span.start_line + 1 for s in groups) == PARAGRAPH_GROUP_LINES


def test_long_sections_may_be_cut_at_paragraphs_and_items() -> None:
    text = "# Long\n\nPara\n\n- item\n  - inner\n\n```\ncode\n\nmore\n```\n" + "\nPara\n" * 30 + "\n## Sub\n\nx\n"
    parsed = parse_prose("a.md", "markdown", text)
    assert set(parsed.cuts) == {0}
    assert parsed.cuts[0][:5] == ((3, 0), (5, 1), (6, 2), (8, 0), (14, 0))
    assert max(line for line, _ in parsed.cuts[0]) < parsed.symbols[1].span.start_line


def test_the_first_paragraph_passes_over_badges_and_tables() -> None:
    lines = ["[![b](x)](y)", "", "| a |", "", "```", "code", "```", "The text", "goes on.", "", "Next."]
    assert first_paragraph(lines, 1, len(lines)) == "The text goes on."


@pytest.mark.parametrize("language", ["markdown", "rst", "text"])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "\0",
        "# \0a\0\n\0",
        "#",
        "=",
        "no final newline",
        "# a\r# b",
        "\ud800 # a\n# \ud800\n",
        "---\n",
        "- " * 5_000,
        ">" * 5_000,
        "\n".join(" " * (2 * i) + "- a" for i in range(300)),
        "> " * 20 + "a\n" + "b\n" * 40_000,
        "[" * 90_000,
        "# " + "*a " * 30_000,
        "# a\n" * 5_000,
        "=====\n" * 5_000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_odd_input_gives_sections_within_bounds(language: str, text: str) -> None:
    found = parse_prose("a.md", language, text).symbols
    assert len(found) <= MAX_HEADINGS + 1
    assert len({s.id for s in found}) == len(found)
    line_count = max(1, text.count("\n") + 1)
    assert all(1 <= s.span.start_line <= s.name_line <= s.span.end_line <= line_count for s in found)


def test_ten_megabytes_of_hashes_are_read_in_time() -> None:
    start = time.process_time()
    assert len(parse_prose("a.md", "markdown", "#" * 10_000_000).symbols) == 1
    assert len(parse_prose("a.md", "markdown", "# a\n" * 500_000).symbols) == MAX_HEADINGS
    assert time.process_time() - start < 10  # quadratic work would take minutes
