"""Each language: one sample of its own habits, and what is seen of it."""

from __future__ import annotations

import pytest

from gortex_py.parse import LANGUAGES
from gortex_py.parse.treesitter import load_grammar
from tests.unit.parse.conftest import Parse
from tests.unit.parse.outline import mentions, named, outline


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_query_compiles_for_its_grammar(language: str) -> None:
    assert load_grammar(language).kinds


def test_python(parse: Parse) -> None:
    parsed = parse(
        "python",
        '''
        """About the module."""
        import os.path as p
        from .shop.cart import Basket as B

        LIMIT = 3

        # not seen: the docstring says more
        @register
        @mod.other(1)
        class Order(B, p.Model[int]):
            """An order."""

            total: Money = 0

            def __init__(self, lines: Lines) -> None:
                self.lines = count(lines)
                local = 1

            # Adds things.
            @property
            async def add(
                self,
                what=1,  # of it
            ):
                def inner(): ...
        ''',
    )
    assert outline(parsed) == [
        ("constant", "LIMIT", 5, 5),
        ("class", "Order", 8, 25),
        ("field", "Order.total", 13, 13),
        ("constructor", "Order.__init__", 15, 17),
        ("method", "Order.add", 20, 25),
        ("function", "Order.add.inner", 25, 25),
    ]
    order, add = named(parsed, "Order"), named(parsed, "Order.add")
    assert (order.signature, order.doc, order.name_line) == ("class Order(B, p.Model[int])", "An order.", 10)
    assert (add.signature, add.doc, add.name_line) == ("async def add(self, what=1)", "Adds things.", 21)
    assert add.parent == parsed.symbols.index(order)
    assert mentions(parsed, "import") == ["path", "cart", "Basket"]
    assert mentions(parsed, "inherit") == ["B", "Model"]
    assert mentions(parsed, "call") == ["register", "other", "count", "property"]
    assert mentions(parsed, "use") == ["Money", "Lines"]
    calls = {r.name: r.symbol for r in parsed.references if r.kind == "call"}
    assert calls["count"] == parsed.symbols.index(named(parsed, "Order.__init__"))
    assert len(parsed.comments) == 5


def test_javascript(parse: Parse) -> None:
    parsed = parse(
        "javascript",
        """
        /* Copyright: everyone */

        var express = require('express')
        import Foo, { bar as baz } from "./lib/router.js"

        /**
         * Makes an app.
         */

        exports.create = function create(opts) { const local = 1; return app.use(opts) }
        Foo.prototype.go = function* () {}
        export const run = async (a, b) => { new Thing(a) }, LIMIT = 2
        export default class View extends React.Component {
          static state = 1
          handler = () => { this.x() }
          constructor(a) { super(a) }
          get 'some-name'() { return <Panel a={1}><b/></Panel> }
        }
        const table = { act: function(a) {}, short() {}, k: 1 }
        describe('x', () => { const hidden = 1 })
        """,
    )
    assert outline(parsed) == [
        ("variable", "express", 3, 3),
        ("function", "exports.create", 10, 10),
        ("function", "Foo.prototype.go", 11, 11),
        ("function", "run", 12, 12),
        ("constant", "LIMIT", 12, 12),
        ("class", "View", 13, 18),
        ("field", "View.state", 14, 14),
        ("method", "View.handler", 15, 15),
        ("constructor", "View.constructor", 16, 16),
        ("method", "View.some-name", 17, 17),
        ("variable", "table", 19, 19),
        ("method", "table.act", 19, 19),
        ("method", "table.short", 19, 19),
    ]
    assert named(parsed, "exports.create").doc == "Makes an app."
    assert named(parsed, "express").doc == ""  # the licence is about the file
    assert named(parsed, "run").signature == "export const run = async (a, b)"
    assert named(parsed, "View").signature == "export default class View extends React.Component"
    assert mentions(parsed, "import") == ["express", "Foo", "bar", "router"]
    assert mentions(parsed, "inherit") == ["Component"]
    assert {"use", "Thing", "Panel", "x"} <= set(mentions(parsed, "call"))


def test_typescript(parse: Parse) -> None:
    parsed = parse(
        "typescript",
        """
        // What can be set.
        export interface Options<T> extends Base, ns.Other<T> {
          name: string
          run(a: number): void
        }

        @Component({ selector: 'x' })
        export class App<T> extends Core<T> implements OnInit {
          constructor(private readonly a: Foo) { super() }
          /** Starts. */
          @Input()
          start(a: Foo[]): Promise<void> { this.a.go() }
          over(a: string): void
          over(a: any) {}
        }
        export abstract class Shape { abstract area(a: number): string }
        export enum Color { Red }
        export type Alias<T> = Foo<T> | Bar
        namespace A.B { export function inner() {} }
        declare function outside(a: number): void
        """,
    )
    assert outline(parsed) == [
        ("interface", "Options", 2, 5),
        ("property", "Options.name", 3, 3),
        ("method", "Options.run", 4, 4),
        ("class", "App", 7, 15),
        ("constructor", "App.constructor", 9, 9),
        ("method", "App.start", 11, 12),
        ("prototype", "App.over", 13, 13),
        ("method", "App.over", 14, 14),
        ("class", "Shape", 16, 16),
        ("method", "Shape.area", 16, 16),
        ("enum", "Color", 17, 17),
        ("type", "Alias", 18, 18),
        ("namespace", "A.B", 19, 19),
        ("function", "A.B.inner", 19, 19),
        ("prototype", "outside", 20, 20),
    ]
    assert [s.id for s in parsed.symbols if s.name == "over"] == ["file::App.over", "file::App.over~2"]
    assert named(parsed, "App").signature == "export class App<T> extends Core<T> implements OnInit"
    assert named(parsed, "App.start").doc == "Starts."
    assert mentions(parsed, "inherit") == ["Base", "Other", "Core", "OnInit"]


def test_tsx(parse: Parse) -> None:
    parsed = parse("tsx", "export const Page = (p: Props): Node => <Panel title={p.title}><i/></Panel>\n")
    assert outline(parsed) == [("function", "Page", 1, 1)]
    assert mentions(parsed, "call") == ["Panel"]
    assert "Props" in mentions(parsed, "use")


def test_go(parse: Parse) -> None:
    parsed = parse(
        "go",
        """
        package shop

        import (
            "fmt"
            chi "github.com/go-chi/chi/v5"
        )

        // Mux is a router.
        // It routes.
        type Mux struct {
            http.Handler
            tree *node // of routes
        }

        type (
            Handler func(a int) error
            Router interface {
                Use(m ...Handler)
            }
        )

        const MaxSize = 3

        var ErrClosed = errors.New("closed")

        // NewMux makes one.

        func NewMux[T any](a T) *Mux { x := 1; return &Mux{} }

        func (m *Mux) ServeHTTP(w http.ResponseWriter) { fmt.Println(m.tree.find(w)) }
        func (l List[T]) Len() int { return 0 }
        """,
    )
    assert outline(parsed) == [
        ("struct", "Mux", 10, 13),
        ("field", "Mux.tree", 12, 12),
        ("type", "Handler", 16, 16),
        ("interface", "Router", 17, 19),
        ("method", "Router.Use", 18, 18),
        ("constant", "MaxSize", 22, 22),
        ("variable", "ErrClosed", 24, 24),
        ("function", "NewMux", 28, 28),
        ("method", "Mux.ServeHTTP", 30, 30),
        ("method", "List.Len", 31, 31),
    ]
    assert named(parsed, "Mux").doc == "Mux is a router.\nIt routes."
    assert named(parsed, "NewMux").doc == ""  # Go documents without a blank line between
    assert named(parsed, "Mux.ServeHTTP").signature == "func (m *Mux) ServeHTTP(w http.ResponseWriter)"
    assert mentions(parsed, "import") == ["fmt", "v5"]
    assert mentions(parsed, "call") == ["New", "Println", "find"]
    assert mentions(parsed, "inherit") == ["Handler"]


def test_rust(parse: Parse) -> None:
    parsed = parse(
        "rust",
        """
        use std::{io, fmt::Display};

        /// A task set.
        #[derive(Debug, Clone)]
        pub struct LocalSet<T> {
            tick: Cell<u8>,
        }

        impl<T: Foo> LocalSet<T> {
            /// Makes one.
            #[must_use]
            pub fn new(a: &Context) -> LocalSet<T> { inner::call(a); format!("x") }
        }
        impl Display for LocalSet<u8> { fn fmt(&self) {} }
        pub trait Future: Sized { type Output; fn poll(self); }
        cfg_rt! {
            /// Runs things.
            pub struct Runtime { a: u8 }
        }
        mod tests { fn t() {} }
        """,
    )
    assert outline(parsed) == [
        ("struct", "LocalSet", 4, 7),
        ("field", "LocalSet.tick", 6, 6),
        ("method", "LocalSet.new", 11, 12),
        ("method", "LocalSet.fmt", 14, 14),
        ("trait", "Future", 15, 15),
        ("type", "Future.Output", 15, 15),
        ("method", "Future.poll", 15, 15),
        ("struct", "Runtime", 18, 18),
        ("field", "Runtime.a", 18, 18),
        ("module", "tests", 20, 20),
        ("function", "tests.t", 20, 20),
    ]
    assert named(parsed, "LocalSet").doc == "A task set."
    assert named(parsed, "LocalSet").signature == "pub struct LocalSet<T>"
    assert named(parsed, "LocalSet.new").signature == "pub fn new(a: &Context) -> LocalSet<T>"
    assert named(parsed, "Runtime").doc == "Runs things."
    assert mentions(parsed, "import") == ["std", "io", "Display"]
    assert mentions(parsed, "inherit") == ["Debug", "Clone", "Display", "Sized"]
    assert mentions(parsed, "call") == ["call", "format", "cfg_rt"]


def test_java(parse: Parse) -> None:
    parsed = parse(
        "java",
        """
        package com.x;

        import java.util.List;

        /**
         * Maps objects.
         */
        @Deprecated
        @SuppressWarnings("unchecked")
        public class Mapper<T extends Foo> extends Base<T> implements Versioned
        {
            private static final int MAX = 1;
            public Mapper(int a) { super(a); this.x = new Bar<Baz>(a); }
            @Override
            public <S> S read(@Nullable String s) throws IOException { return helper.call(s); }
            enum Kind { A(1); }
            record Point(int x) {}
            interface Inner extends Closeable { void m(); }
        }
        """,
    )
    assert outline(parsed) == [
        ("class", "Mapper", 8, 19),
        ("constant", "Mapper.MAX", 12, 12),
        ("constructor", "Mapper.Mapper", 13, 13),
        ("method", "Mapper.read", 14, 15),
        ("enum", "Mapper.Kind", 16, 16),
        ("constant", "Mapper.Kind.A", 16, 16),
        ("class", "Mapper.Point", 17, 17),
        ("interface", "Mapper.Inner", 18, 18),
        ("method", "Mapper.Inner.m", 18, 18),
    ]
    mapper = named(parsed, "Mapper")
    assert mapper.doc == "Maps objects."
    assert mapper.signature == "public class Mapper<T extends Foo> extends Base<T> implements Versioned"
    assert named(parsed, "Mapper.read").signature == "public <S> S read(@Nullable String s) throws IOException"
    assert mentions(parsed, "import") == ["List"]
    assert mentions(parsed, "inherit") == ["Base", "Versioned", "Closeable"]
    assert mentions(parsed, "call") == ["Bar", "call"]


def test_c(parse: Parse) -> None:
    parsed = parse(
        "c",
        """
        #include <sys/stat.h>
        #include "server.h"
        #define SQUARE(x) ((x)*(x))

        /* A node. */

        typedef struct listNode {
            struct listNode *prev; /* trailing */
            void (*free)(void *p);
        } listNode;
        enum color { RED };
        static int counter = 0;
        int proto(int a, char **b);

        /* Adds.
         * Twice. */
        static inline void *add(list *l, int n)
        {
            int local = 1;
            if (n) call(l->x, l->match(1));
            return NULL;
        }
        """,
    )
    assert outline(parsed) == [
        ("macro", "SQUARE", 3, 3),
        ("struct", "listNode", 7, 10),
        ("field", "listNode.prev", 8, 8),
        ("field", "listNode.free", 9, 9),
        ("enum", "color", 11, 11),
        ("constant", "color.RED", 11, 11),
        ("variable", "counter", 12, 12),
        ("prototype", "proto", 13, 13),
        ("function", "add", 17, 22),
    ]
    assert named(parsed, "listNode").doc == "A node."
    assert named(parsed, "listNode.free").doc == ""
    assert (named(parsed, "add").doc, named(parsed, "add").signature) == (
        "Adds.\nTwice.",
        "static inline void *add(list *l, int n)",
    )
    assert mentions(parsed, "import") == ["stat", "server"]
    assert mentions(parsed, "call") == ["call", "match"]


def test_cpp(parse: Parse) -> None:
    parsed = parse(
        "cpp",
        """
        namespace shop::detail {
        // A map.
        template <class K,
                  class V = Hash<K>>
        class flat_map final : public raw_map<K, V>, private Base::Inner {
         public:
          flat_map() {}
          explicit flat_map(int n);
          ~flat_map() {}
          template <typename T> T& at(const K& k) const { return find<T>(k); }
          bool operator==(const X& o) const { return a_ == o.a_; }
          operator bool() const { return true; }
          int a_;
        };
        template <class K> void flat_map<K>::grow(int a) { Foo x(a); }
        flat_map::flat_map(int n) : a_(n) {}
        }
        TEST(FlatMap, Grows) { EXPECT(1); }
        """,
    )
    assert outline(parsed) == [
        ("namespace", "shop.detail", 1, 17),
        ("class", "shop.detail.flat_map", 3, 14),
        ("constructor", "shop.detail.flat_map.flat_map", 7, 7),
        ("prototype", "shop.detail.flat_map.flat_map", 8, 8),
        ("method", "shop.detail.flat_map.~flat_map", 9, 9),
        ("method", "shop.detail.flat_map.at", 10, 10),
        ("method", "shop.detail.flat_map.operator==", 11, 11),
        ("method", "shop.detail.flat_map.operator bool", 12, 12),
        ("field", "shop.detail.flat_map.a_", 13, 13),
        ("method", "shop.detail.flat_map.grow", 15, 15),
        ("constructor", "shop.detail.flat_map.flat_map", 16, 16),
        ("method", "FlatMap.Grows", 18, 18),
    ]
    assert named(parsed, "shop.detail.flat_map").doc == "A map."
    assert named(parsed, "shop.detail.flat_map").signature.startswith(
        "template <class K, class V = Hash<K>> class flat"
    )
    assert mentions(parsed, "inherit") == ["raw_map", "Inner"]


def test_csharp(parse: Parse) -> None:
    parsed = parse(
        "csharp",
        """
        using System.Text;
        namespace A.B
        {
            // Serves.
            [Serializable]
            public class Service<T> : Base<T>, IFoo where T : class
            {
                private readonly int _x = 1;
                public string Title { get; set; } = "q";
                public Service(int a) : base(a) { }
                public async Task<int> RunAsync(Bar b) { await _c.Go<int>(b); new Thing(); return 1; }
            }
            public interface IFoo { void M(int a); }
            public record Point(int X, int Y);
        }
        """,
    )
    assert outline(parsed) == [
        ("namespace", "A.B", 2, 15),
        ("class", "A.B.Service", 5, 12),
        ("field", "A.B.Service._x", 8, 8),
        ("property", "A.B.Service.Title", 9, 9),
        ("constructor", "A.B.Service.Service", 10, 10),
        ("method", "A.B.Service.RunAsync", 11, 11),
        ("interface", "A.B.IFoo", 13, 13),
        ("method", "A.B.IFoo.M", 13, 13),
        ("class", "A.B.Point", 14, 14),
    ]
    service = named(parsed, "A.B.Service")
    assert (service.doc, service.signature) == ("Serves.", "public class Service<T> : Base<T>, IFoo where T : class")
    assert mentions(parsed, "import") == ["Text"]
    assert mentions(parsed, "inherit") == ["Base", "IFoo"]
    assert mentions(parsed, "call") == ["Go", "Thing"]
