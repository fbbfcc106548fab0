"""Kotlin: data classes, objects, extensions, enums, annotated annotations."""

from __future__ import annotations

from tests.unit.parse.samples import comments, outline, parse, references, symbol

SOURCE = r"""package shop.cart

import shop.tax.Rate

/** Who buys. */
@Serializable
data class User(val name: String, var age: Int = 0) : Person(name), Tagged<String> {
    private val full: String get() = name

    constructor(x: Int) : this("a", x) {
        check(x)
    }

    fun greet(other: User): String {
        return other.name.trim()
    }

    companion object {
        const val LIMIT = 1
        fun make() = User("a")
    }
}

interface Shape {
    fun area(): Double
}

enum class Color(val rgb: Int) {
    RED(1),
    GREEN(2);

    fun mix() {}
}

object Registry : Base() {
    fun find() {}
}

// Doubles it.
fun String.twice(n: Int): String = this + this
val <T> List<T>.second: T get() = this[1]
typealias Name = String

@Target(CLASS)
annotation class Marker
"""


def test_definitions_stand_where_the_source_has_them() -> None:
    assert outline("kotlin", SOURCE) == [
        "class User 6-22",
        "property User.name 7-7",
        "property User.age 7-7",
        "property User.full 8-8",
        "constructor User.constructor 10-12",
        "method User.greet 14-16",
        "property User.LIMIT 19-19",
        "method User.make 20-20",
        "interface Shape 24-26",
        "method Shape.area 25-25",
        "enum Color 28-33",
        "property Color.rgb 28-28",
        "constant Color.RED 29-29",
        "constant Color.GREEN 30-30",
        "method Color.mix 32-32",
        "class Registry 35-37",
        "method Registry.find 36-36",
        "function String.twice 40-40",
        "property List.second 41-41",
        "type Name 42-42",
        "class Marker 44-45",
    ]


def test_signatures_end_before_the_body() -> None:
    signatures = {
        "User": "data class User(val name: String, var age: Int = 0) : Person(name), Tagged<String>",
        "User.greet": "fun greet(other: User): String",
        "String.twice": "fun String.twice(n: Int): String",
        "Shape.area": "fun area(): Double",
    }
    assert {name: symbol("kotlin", SOURCE, name).signature for name in signatures} == signatures


def test_comments_document_what_follows() -> None:
    assert symbol("kotlin", SOURCE, "User").doc == "Who buys."
    assert symbol("kotlin", SOURCE, "String.twice").doc == "Doubles it."


def test_mentions_are_told_apart() -> None:
    assert references("kotlin", SOURCE) == {
        "import Rate 3",
        "use Serializable 6",
        "inherit Person 7",
        "inherit Tagged 7",
        "use Int 7",
        "use String 7",
        "use String 8",
        "use Int 10",
        "call check 11",
        "use String 14",
        "use User 14",
        "call trim 15",
        "call User 20",
        "use Double 25",
        "use Int 28",
        "inherit Base 35",
        "use Int 40",
        "use String 40",
        "use List 41",
        "use T 41",
        "use String 42",
        "use Target 44",
    }


def test_comments_are_known() -> None:
    assert comments("kotlin", SOURCE) == [
        "/** Who buys. */",
        "// Doubles it.",
    ]


def test_broken_code_keeps_the_rest() -> None:
    names = {
        s.name for s in parse("kotlin", "class A {\n  fun broken( {\n}\n\nclass B {\n  fun fine() {}\n}\n").symbols
    }
    assert "fine" in names
