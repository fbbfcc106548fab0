"""Bash: both spellings of a function, variables of the script, sourced files."""

from __future__ import annotations

from tests.unit.parse.samples import comments, outline, parse, references, symbol

SOURCE = r"""#!/usr/bin/env bash
# Prints the cart.
print_cart() {
  local total=0
  format_line "$total"
}

function clear_cart {
  rm -f "$CART"
}

export CART=/tmp/cart
readonly limit=10
MODE="fast"
source ./lib/tax.sh
print_cart | sort
"""


def test_definitions_stand_where_the_source_has_them() -> None:
    assert outline("bash", SOURCE) == [
        "function print_cart 3-6",
        "function clear_cart 8-10",
        "constant CART 12-12",
        "variable limit 13-13",
        "constant MODE 14-14",
    ]


def test_signatures_end_before_the_body() -> None:
    signatures = {
        "print_cart": "print_cart()",
        "clear_cart": "function clear_cart",
        "CART": "export CART=/tmp/cart",
    }
    assert {name: symbol("bash", SOURCE, name).signature for name in signatures} == signatures


def test_comments_document_what_follows() -> None:
    assert symbol("bash", SOURCE, "print_cart").doc == "Prints the cart."


def test_mentions_are_told_apart() -> None:
    assert references("bash", SOURCE) == {
        "call format_line 5",
        "call rm 9",
        "call source 15",
        "import tax 15",
        "call print_cart 16",
        "call sort 16",
    }


def test_comments_are_known() -> None:
    assert comments("bash", SOURCE) == [
        "#!/usr/bin/env bash",
        "# Prints the cart.",
    ]


def test_broken_code_keeps_the_rest() -> None:
    names = {s.name for s in parse("bash", "broken() {\n  if true; then\n}\n\nfine() { :; }\n").symbols}
    assert "fine" in names
