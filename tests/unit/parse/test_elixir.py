"""Elixir: modules and functions are calls; clauses join, `@doc` documents."""

from __future__ import annotations

from tests.unit.parse.samples import comments, outline, parse, references, symbol

SOURCE = r'''defmodule Shop.Cart do
  @moduledoc """
  Keeps carts.
  """
  use GenServer
  alias Shop.{Tax, User}
  @limit 10
  defstruct [:items, owner: nil]

  @type t :: %__MODULE__{}

  @doc "Adds an item."
  @spec add(t, term) :: t
  def add(cart, item \\ nil) do
    Tax.apply(cart) |> store(item)
  end

  # Counts them.
  def count(%{items: []}), do: 0

  def count(cart) when is_map(cart) do
    length(cart.items)
  end

  defp store(cart, item), do: {cart, item}

  defmacro traced(expr) do
    expr
  end

  @callback init(term) :: t
end

defprotocol Size do
  def size(data)
end

defimpl Size, for: Map do
  def size(map), do: map_size(map)
end
'''


def test_definitions_stand_where_the_source_has_them() -> None:
    assert outline("elixir", SOURCE) == [
        "module Shop.Cart 1-32",
        "constant Shop.Cart.limit 7-7",
        "struct Shop.Cart.defstruct 8-8",
        "field Shop.Cart.items 8-8",
        "field Shop.Cart.owner 8-8",
        "type Shop.Cart.t 10-10",
        "function Shop.Cart.add 13-16",
        "function Shop.Cart.count 19-23",
        "function Shop.Cart.store 25-25",
        "macro Shop.Cart.traced 27-29",
        "prototype Shop.Cart.init 31-31",
        "interface Size 34-36",
        "method Size.size 35-35",
        "module Size.Map 38-40",
        "function Size.Map.size 39-39",
    ]


def test_signatures_end_before_the_body() -> None:
    signatures = {
        "Shop.Cart": "defmodule Shop.Cart",
        "Shop.Cart.add": "def add(cart, item \\\\ nil)",
        "Shop.Cart.count": "def count(%{items: []}), do: 0",
        "Shop.Cart.traced": "defmacro traced(expr)",
    }
    assert {name: symbol("elixir", SOURCE, name).signature for name in signatures} == signatures


def test_comments_document_what_follows() -> None:
    assert symbol("elixir", SOURCE, "Shop.Cart").doc == "Keeps carts."
    assert symbol("elixir", SOURCE, "Shop.Cart.add").doc == "Adds an item."
    assert symbol("elixir", SOURCE, "Shop.Cart.count").doc == "Counts them."


def test_mentions_are_told_apart() -> None:
    assert references("elixir", SOURCE) == {
        "inherit GenServer 5",
        "import Tax 6",
        "import User 6",
        "call add 13",
        "call apply 15",
        "call store 15",
        "use Tax 15",
        "call is_map 21",
        "call items 22",
        "call length 22",
        "inherit Size 38",
        "call map_size 39",
    }


def test_comments_are_known() -> None:
    assert comments("elixir", SOURCE) == [
        '"""',
        '@doc "Adds an item."',
        "# Counts them.",
    ]


def test_broken_code_keeps_the_rest() -> None:
    names = {
        s.name for s in parse("elixir", "defmodule A do\n  def broken(x), do: )\n\n  def fine(x), do: x\nend\n").symbols
    }
    assert "fine" in names
