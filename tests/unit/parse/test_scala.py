"""Scala: traits with companions, givens, implicit classes, enums, extensions."""

from __future__ import annotations

from tests.unit.parse.samples import comments, outline, parse, references, symbol

SOURCE = r"""package shop

import shop.tax.{Rate, Rule => TaxRule}

/** Turns values into JSON. */
trait Encoder[A] extends Serializable with Logging {
  def apply(a: A): Json
  final def contramap[B](f: B => A): Encoder[B] = new Encoder[B] { def apply(b: B) = self(f(b)) }
  type Out <: Json
}

object Encoder extends Instances {
  implicit val encodeInt: Encoder[Int] = instance(_.toJson)
  lazy val Limit = 10
  implicit class Ops(x: Int) { def json = x }
  given intOrd: Ord[Int] with { def less = 1 }
}

case class Person(name: String, age: Int)

enum Color(rgb: Int) {
  case Red extends Color(1)
  case Green, Blue
}

extension (s: String) def twice = s + s
"""


def test_definitions_stand_where_the_source_has_them() -> None:
    assert outline("scala", SOURCE) == [
        "trait Encoder 6-10",
        "method Encoder.apply 7-7",
        "method Encoder.contramap 8-8",
        "function Encoder.contramap.apply 8-8",
        "type Encoder.Out 9-9",
        "class Encoder 12-17",
        "field Encoder.encodeInt 13-13",
        "field Encoder.Limit 14-14",
        "class Encoder.Ops 15-15",
        "method Encoder.Ops.json 15-15",
        "field Encoder.intOrd 16-16",
        "function Encoder.intOrd.less 16-16",
        "class Person 19-19",
        "enum Color 21-24",
        "constant Color.Red 22-22",
        "constant Color.Green 23-23",
        "constant Color.Blue 23-23",
        "function String.twice 26-26",
    ]


def test_signatures_end_before_the_body() -> None:
    signatures = {
        "Encoder": "trait Encoder[A] extends Serializable with Logging",
        "Encoder.contramap": "final def contramap[B](f: B => A): Encoder[B]",
        "Encoder.encodeInt": "implicit val encodeInt: Encoder[Int] = instance(_.toJson)",
        "Person": "case class Person(name: String, age: Int)",
    }
    assert {name: symbol("scala", SOURCE, name).signature for name in signatures} == signatures


def test_comments_document_what_follows() -> None:
    assert symbol("scala", SOURCE, "Encoder").doc == "Turns values into JSON."


def test_mentions_are_told_apart() -> None:
    assert references("scala", SOURCE) == {
        "import Rate 3",
        "import Rule 3",
        "inherit Logging 6",
        "inherit Serializable 6",
        "use A 7",
        "use Json 7",
        "call Encoder 8",
        "call f 8",
        "call self 8",
        "use A 8",
        "use B 8",
        "use Encoder 8",
        "use Json 9",
        "inherit Instances 12",
        "call instance 13",
        "use Encoder 13",
        "use Int 13",
        "use Int 15",
        "use Int 16",
        "use Ord 16",
        "use Int 19",
        "use String 19",
        "use Int 21",
        "inherit Color 22",
        "use String 26",
    }


def test_comments_are_known() -> None:
    assert comments("scala", SOURCE) == [
        "/** Turns values into JSON. */",
    ]


def test_broken_code_keeps_the_rest() -> None:
    names = {s.name for s in parse("scala", "trait A {\n  def broken( =\n}\n\nclass B {\n  def fine = 1\n}\n").symbols}
    assert "fine" in names
