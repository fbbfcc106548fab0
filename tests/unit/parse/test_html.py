"""HTML: elements with an id, headings and the title."""

from __future__ import annotations

from tests.unit.parse.samples import comments, outline, parse, references, symbol

SOURCE = r"""<!DOCTYPE html>
<html>
<head><title>Shop</title><script src="js/cart.js"></script></head>
<body>
<!-- The basket. -->
<div id="basket">
  <h2>Your basket</h2>
  <cart-line></cart-line>
  <input id=count />
</div>
</body>
</html>
"""


def test_definitions_stand_where_the_source_has_them() -> None:
    assert outline("html", SOURCE) == [
        "element Shop 3-3",
        "element basket 6-10",
        "element basket.Your basket 7-7",
        "element basket.count 9-9",
    ]


def test_signatures_end_before_the_body() -> None:
    signatures = {
        "basket": '<div id="basket"> <h2>Your basket</h2> <cart-line></cart-line> <input id=count /> </div>',
    }
    assert {name: symbol("html", SOURCE, name).signature for name in signatures} == signatures


def test_comments_document_what_follows() -> None:
    assert symbol("html", SOURCE, "basket").doc == "The basket."


def test_mentions_are_told_apart() -> None:
    assert references("html", SOURCE) == {
        "import cart 3",
        "use cart-line 8",
    }


def test_comments_are_known() -> None:
    assert comments("html", SOURCE) == [
        "<!-- The basket. -->",
    ]


def test_broken_code_keeps_the_rest() -> None:
    names = {s.name for s in parse("html", '<div id="a"><span></div>\n<p id="b">x</p>\n').symbols}
    assert "b" in names
