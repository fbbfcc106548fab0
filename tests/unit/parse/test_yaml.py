"""YAML: key paths through block and flow mappings, several documents, anchors."""

from __future__ import annotations

from tests.unit.parse.samples import comments, outline, parse, symbol

SOURCE = r"""# How it is built.
version: 2
jobs:
  test:
    image: "python"
    env: {CI: yes, "quoted key": 1}
    steps:
      - name: checkout
        run: git
      - uses: cache
        with: x
base: &base
  a: 1
---
second: |
  text
"""


def test_definitions_stand_where_the_source_has_them() -> None:
    assert outline("yaml", SOURCE) == [
        "key version 2-2",
        "key jobs 3-11",
        "key jobs.test 4-11",
        "key jobs.test.image 5-5",
        "key jobs.test.env 6-6",
        "key jobs.test.env.CI 6-6",
        "key jobs.test.env.quoted key 6-6",
        "key jobs.test.steps 7-11",
        "key jobs.test.steps.checkout 8-9",
        "key jobs.test.steps.checkout.run 9-9",
        "key base 12-13",
        "key base.a 13-13",
        "key second 15-16",
    ]


def test_signatures_end_before_the_body() -> None:
    signatures = {
        "jobs.test.env": 'env: {CI: yes, "quoted key": 1}',
    }
    assert {name: symbol("yaml", SOURCE, name).signature for name in signatures} == signatures


def test_comments_document_what_follows() -> None:
    assert symbol("yaml", SOURCE, "version").doc == "How it is built."


def test_comments_are_known() -> None:
    assert comments("yaml", SOURCE) == [
        "# How it is built.",
    ]


def test_broken_code_keeps_the_rest() -> None:
    names = {s.name for s in parse("yaml", "a: [1\n{{- if .x }}\nd:\n  e: {{ y }}-{{ z }}\n").symbols}
    assert "e" in names
