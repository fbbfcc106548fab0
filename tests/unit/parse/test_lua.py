"""Lua: functions of tables, methods, tables with fields; imports are no definitions."""

from __future__ import annotations

from tests.unit.parse.samples import comments, outline, parse, references, symbol

SOURCE = r"""-- Cart module.
local M = {}
local tax = require("shop.tax")

--- Adds an item.
function M.add(item, count)
  return tax.apply(item)
end

M.drop = function(item)
  M.items:remove(item)
end

function M:total()
  local sum = 0
  return sum
end

local function round(x) return x end

M.config = {
  limit = 10,
  on_full = function(cart) end,
  nested = { deep = 1 },
}

function M.deep.er.path() end

return M
"""


def test_definitions_stand_where_the_source_has_them() -> None:
    assert outline("lua", SOURCE) == [
        "variable M 2-2",
        "function M.add 6-8",
        "function M.drop 10-12",
        "method M.total 14-17",
        "function round 19-19",
        "variable M.config 21-25",
        "field M.config.limit 22-22",
        "method M.config.on_full 23-23",
        "field M.config.nested 24-24",
        "function M.deep.er.path 27-27",
    ]


def test_signatures_end_before_the_body() -> None:
    signatures = {
        "M.add": "function M.add(item, count)",
        "M.drop": "M.drop = function(item)",
        "M.total": "function M:total()",
        "round": "local function round(x)",
    }
    assert {name: symbol("lua", SOURCE, name).signature for name in signatures} == signatures


def test_comments_document_what_follows() -> None:
    assert symbol("lua", SOURCE, "M").doc == "Cart module."
    assert symbol("lua", SOURCE, "M.add").doc == "Adds an item."


def test_mentions_are_told_apart() -> None:
    assert references("lua", SOURCE) == {
        "call require 3",
        "import tax 3",
        "call apply 7",
        "use tax 7",
        "call remove 11",
    }


def test_comments_are_known() -> None:
    assert comments("lua", SOURCE) == [
        "-- Cart module.",
        "--- Adds an item.",
    ]


def test_broken_code_keeps_the_rest() -> None:
    names = {s.name for s in parse("lua", "local x = = 1\n\nfunction fine() end\n").symbols}
    assert "fine" in names
