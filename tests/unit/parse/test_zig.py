"""Zig: types are constants; the struct that a file is takes the name it gives itself."""

from __future__ import annotations

from tests.unit.parse.samples import comments, outline, parse, references, symbol

SOURCE = r"""const std = @import("std");
const Cart = @This();
const Allocator = std.mem.Allocator;

/// One thing in a cart.
pub const Item = struct {
    name: []const u8,
    price: Price = 0,

    pub fn init(allocator: Allocator) !Item {
        return std.mem.zeroes(Item);
    }

    const Kind = enum { small, large };
};

pub const Value = union(enum) { int: u32, none };
pub const Failure = error{ Full, Empty };
const limit: u32 = 10;

pub fn List(comptime T: type) type {
    return struct {
        fn push(self: *T) void {
            grow(self);
        }
    };
}

test "adds an item" {
    try expect(true);
}
"""


def test_definitions_stand_where_the_source_has_them() -> None:
    assert outline("zig", SOURCE) == [
        "struct Cart 2-2",
        "struct Item 6-15",
        "field Item.name 7-7",
        "field Item.price 8-8",
        "method Item.init 10-12",
        "enum Item.Kind 14-14",
        "field Item.Kind.small 14-14",
        "field Item.Kind.large 14-14",
        "struct Value 17-17",
        "field Value.int 17-17",
        "field Value.none 17-17",
        "enum Failure 18-18",
        "variable limit 19-19",
        "function List 21-27",
        "function List.push 23-25",
        "function item 29-31",
    ]


def test_signatures_end_before_the_body() -> None:
    signatures = {
        "Item": "pub const Item",
        "Item.init": "pub fn init(allocator: Allocator) !Item",
        "List": "pub fn List(comptime T: type) type",
        "limit": "const limit: u32 = 10;",
    }
    assert {name: symbol("zig", SOURCE, name).signature for name in signatures} == signatures


def test_comments_document_what_follows() -> None:
    assert symbol("zig", SOURCE, "Item").doc == "One thing in a cart."


def test_mentions_are_told_apart() -> None:
    assert references("zig", SOURCE) == {
        "import std 1",
        "use Price 8",
        "use Allocator 10",
        "use Item 10",
        "call zeroes 11",
        "use T 23",
        "call grow 24",
        "call expect 30",
    }


def test_comments_are_known() -> None:
    assert comments("zig", SOURCE) == [
        "/// One thing in a cart.",
    ]


def test_broken_code_keeps_the_rest() -> None:
    names = {s.name for s in parse("zig", "fn broken() void { if ( }\n\nfn fine() void {}\n").symbols}
    assert "fine" in names
