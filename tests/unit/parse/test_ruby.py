"""Ruby: reopened modules, accessors, singleton methods, constants that hold classes."""

from __future__ import annotations

from tests.unit.parse.samples import comments, outline, parse, references, symbol

SOURCE = r"""# Serves the shop.
module Shop
  # Takes orders.
  class Cart < Container
    include Enumerable
    LIMIT = 10
    attr_reader :items, :owner

    def initialize(owner:)
      @items = Store::List.new(owner)
    end

    class << self
      def open(path)
        load_from path, mode: :read
      end
    end

    def self.empty? = true

    def <=>(other)
      total.compare(other)
    end

    define_method(:clear) { items.clear }
    alias size count
  end

  Point = Struct.new(:x, :y) do
    def dist; end
  end

  class Shop::Gift < Cart; end
end

require "shop/tax"

def top(*args); end
"""


def test_definitions_stand_where_the_source_has_them() -> None:
    assert outline("ruby", SOURCE) == [
        "module Shop 2-34",
        "class Shop.Cart 4-27",
        "constant Shop.Cart.LIMIT 6-6",
        "property Shop.Cart.items 7-7",
        "property Shop.Cart.owner 7-7",
        "constructor Shop.Cart.initialize 9-11",
        "method Shop.Cart.open 14-16",
        "method Shop.Cart.empty? 19-19",
        "method Shop.Cart.<=> 21-23",
        "method Shop.Cart.clear 25-25",
        "method Shop.Cart.size 26-26",
        "class Shop.Point 29-31",
        "method Shop.Point.dist 30-30",
        "class Shop.Shop.Gift 33-33",
        "function top 38-38",
    ]


def test_signatures_end_before_the_body() -> None:
    signatures = {
        "Shop.Cart": "class Cart < Container",
        "Shop.Cart.initialize": "def initialize(owner:)",
        "Shop.Cart.open": "def open(path)",
        "Shop.Point": "Point = Struct.new(:x, :y)",
    }
    assert {name: symbol("ruby", SOURCE, name).signature for name in signatures} == signatures


def test_comments_document_what_follows() -> None:
    assert symbol("ruby", SOURCE, "Shop").doc == "Serves the shop."
    assert symbol("ruby", SOURCE, "Shop.Cart").doc == "Takes orders."


def test_mentions_are_told_apart() -> None:
    assert references("ruby", SOURCE) == {
        "inherit Container 4",
        "call include 5",
        "inherit Enumerable 5",
        "call attr_reader 7",
        "call new 10",
        "use List 10",
        "call load_from 15",
        "call compare 22",
        "call clear 25",
        "call define_method 25",
        "call new 29",
        "use Struct 29",
        "inherit Cart 33",
        "call require 36",
        "import tax 36",
    }


def test_comments_are_known() -> None:
    assert comments("ruby", SOURCE) == [
        "# Serves the shop.",
        "# Takes orders.",
    ]


def test_broken_code_keeps_the_rest() -> None:
    names = {s.name for s in parse("ruby", "class A\n  def broken(\nend\n\nclass B\n  def fine; end\nend\n").symbols}
    assert "B" in names
