"""Haskell: a signature and its equations are one symbol; instances are named by both types."""

from __future__ import annotations

from tests.unit.parse.samples import comments, outline, parse, references, symbol

SOURCE = r"""{-# LANGUAGE Safe #-}
module Shop.Cart (Cart (..), total) where

import qualified Data.Map as M
import Data.List (sortOn)

-- | What someone buys.
data Cart a = Cart { items :: [a], owner :: String } | Empty
  deriving (Show, Eq)

newtype Price = Price Int
type Prices = [Price]

class Eq a => Priced a where
  price :: a -> Price
  price _ = Price 0

instance Priced Cart where
  price (Cart xs _) = total xs

-- | Adds it all up.
total :: [a] -> Price
total [] = Price 0
total xs = fromCount (M.size xs)

(<+>) :: Price -> Price -> Price
a <+> b = a

limit = 10
"""


def test_definitions_stand_where_the_source_has_them() -> None:
    assert outline("haskell", SOURCE) == [
        "module Shop.Cart 2-2",
        "type Cart 8-9",
        "constant Cart.Cart 8-8",
        "field Cart.Cart.items 8-8",
        "field Cart.Cart.owner 8-8",
        "constant Cart.Empty 8-8",
        "type Price 11-11",
        "constant Price.Price 11-11",
        "type Prices 12-12",
        "trait Priced 14-16",
        "method Priced.price 15-16",
        "type Priced.Cart 18-19",
        "method Priced.Cart.price 19-19",
        "function total 22-24",
        "function <+> 26-27",
        "function limit 29-29",
    ]


def test_signatures_end_before_the_body() -> None:
    signatures = {
        "Cart": "data Cart a = Cart { items :: [a], owner :: String } | Empty deriving (Show, Eq)",
        "total": "total :: [a] -> Price",
        "<+>": "(<+>) :: Price -> Price -> Price",
        "Priced.Cart": "instance Priced Cart where",
    }
    assert {name: symbol("haskell", SOURCE, name).signature for name in signatures} == signatures


def test_comments_document_what_follows() -> None:
    assert symbol("haskell", SOURCE, "Cart").doc == "What someone buys."
    assert symbol("haskell", SOURCE, "total").doc == "Adds it all up."


def test_mentions_are_told_apart() -> None:
    assert references("haskell", SOURCE) == {
        "use Cart 2",
        "import Map 4",
        "import List 5",
        "import sortOn 5",
        "use String 8",
        "inherit Eq 9",
        "inherit Show 9",
        "use Int 11",
        "use Price 12",
        "use Eq 14",
        "use Price 15",
        "inherit Priced 18",
        "call total 19",
        "use Price 22",
        "call fromCount 24",
        "call size 24",
        "use Price 26",
    }


def test_comments_are_known() -> None:
    assert comments("haskell", SOURCE) == [
        "-- | What someone buys.",
        "-- | Adds it all up.",
    ]


def test_broken_code_keeps_the_rest() -> None:
    names = {s.name for s in parse("haskell", "f :: Int -> Int\nf x = x )\n\ng :: Int\ng = 1\n").symbols}
    assert "g" in names
