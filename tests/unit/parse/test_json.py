"""JSON: key paths; list items count only if a name or an id tells them apart."""

from __future__ import annotations

from gortex_py.parse import SourceParser
from tests.unit.parse.samples import outline, parse, symbol

SOURCE = r"""{
  "scripts": {"build": "make", "a.b": 1},
  "jobs": [
    {"name": "test", "steps": {"run": 1}},
    {"id": 7, "name": "lint"},
    {"anonymous": {"inner": 1}}
  ],
  "empty": {}
}
"""


def test_definitions_stand_where_the_source_has_them() -> None:
    assert outline("json", SOURCE) == [
        "key scripts 2-2",
        "key scripts.build 2-2",
        "key scripts.a.b 2-2",
        "key jobs 3-7",
        "key jobs.test 4-4",
        "key jobs.test.steps 4-4",
        "key jobs.test.steps.run 4-4",
        "key jobs.7 5-5",
        "key jobs.7.name 5-5",
        "key empty 8-8",
    ]


def test_signatures_end_before_the_body() -> None:
    signatures = {
        "scripts": '"scripts": {"build": "make", "a.b": 1}',
        "jobs.test": '{"name": "test", "steps": {"run": 1}}',
    }
    assert {name: symbol("json", SOURCE, name).signature for name in signatures} == signatures


def test_broken_code_keeps_the_rest() -> None:
    names = {s.name for s in parse("json", '{"a": {"b": 1,, "c": 2}\n').symbols}
    assert "c" in names


def test_a_file_of_brackets_is_given_up_at_once() -> None:
    parsed = SourceParser().parse("brackets.json", "json", "[" * 1_000_000)
    assert parsed.symbols == ()
    assert parsed.degraded == "not parsed, the text does not read as its language"
