"""CSS: rules by selector, nested rules, custom properties of the root."""

from __future__ import annotations

from tests.unit.parse.samples import comments, outline, parse, references, symbol

SOURCE = r"""/* Colors */
@import url("base.css");
:root {
  --accent: #f00;
}
/* The basket. */
.basket, #cart > li:hover {
  color: var(--accent);
  --local: 1;
}
@media (max-width: 10em) {
  .basket { display: none }
}
@keyframes spin { from { top: 0 } to { top: 1px } }
.page {
  .title { margin: 0 }
}
"""


def test_definitions_stand_where_the_source_has_them() -> None:
    assert outline("css", SOURCE) == [
        "rule :root 3-5",
        "variable :root.--accent 4-4",
        "rule .basket, #cart > li:hover 7-10",
        "rule .basket 12-12",
        "rule spin 14-14",
        "rule .page 15-17",
        "rule .page..title 16-16",
    ]


def test_signatures_end_before_the_body() -> None:
    signatures = {
        ".basket, #cart > li:hover": ".basket, #cart > li:hover",
    }
    assert {name: symbol("css", SOURCE, name).signature for name in signatures} == signatures


def test_comments_document_what_follows() -> None:
    assert symbol("css", SOURCE, ".basket, #cart > li:hover").doc == "The basket."


def test_mentions_are_told_apart() -> None:
    assert references("css", SOURCE) == {
        "import base 2",
        "use --accent 8",
    }


def test_comments_are_known() -> None:
    assert comments("css", SOURCE) == [
        "/* Colors */",
        "/* The basket. */",
    ]


def test_broken_code_keeps_the_rest() -> None:
    names = {s.name for s in parse("css", ".a { color: ; }}\n.b { top: 0 }\n").symbols}
    assert ".b" in names
