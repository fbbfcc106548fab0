"""Clauses of one function are one symbol; what stands between two functions parts them."""

from __future__ import annotations

from tests.unit.parse.samples import outline, parse


def test_a_comment_between_clauses_parts_them() -> None:
    source = "defmodule A do\n  def f(1), do: 1\n  # other\n  def f(2), do: 2\n  def f(3), do: 3\nend\n"
    assert outline("elixir", source) == ["module A 1-6", "function A.f 2-2", "function A.f 4-5"]


def test_functions_of_other_names_are_not_joined() -> None:
    source = "f :: Int\nf = 1\ng = 2\nf2 = 3\n"
    assert outline("haskell", source) == ["function f 1-2", "function g 3-3", "function f2 4-4"]


def test_cuts_of_many_clauses_stay_inside_their_function() -> None:
    source = "before = 0\n\nf :: Int -> Int\n" + "".join(f"f {i} = {i}\n" for i in range(100)) + "\nafter = 1\n"
    parsed = parse("haskell", source)
    assert [s.name for s in parsed.symbols] == ["before", "f", "after"]
    lines = [line for line, _ in parsed.cuts[1]]
    assert len(lines) >= 100
    assert min(lines) >= 3
    assert max(lines) <= 103
