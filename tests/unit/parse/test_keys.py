"""Key paths are bounded: a data file does not fill the index with keys."""

from __future__ import annotations

import json

from gortex_py.parse.keys import MAX_KEY_DEPTH, MAX_KEYS
from tests.unit.parse.samples import outline, parse


def test_keys_of_a_large_file_are_cut_off() -> None:
    source = json.dumps({f"k{i}": i for i in range(MAX_KEYS + 500)}, indent=1)
    names = [s.name for s in parse("json", source).symbols]
    assert len(names) == MAX_KEYS
    assert names[0] == "k0"


def test_deep_keys_are_left_out_and_later_ones_are_not() -> None:
    nested: object = 1
    for level in reversed(range(MAX_KEY_DEPTH + 3)):
        nested = {f"d{level}": nested}
    source = json.dumps({"deep": nested, "next": {"inner": 1}})
    names = [s.name for s in parse("json", source).symbols]
    assert names == ["deep", *(f"d{i}" for i in range(MAX_KEY_DEPTH - 1)), "next", "inner"]


def test_a_key_inside_an_unnamed_list_item_is_no_symbol() -> None:
    assert outline("yaml", "steps:\n  - uses: cache\n    with: {path: x}\n") == ["key steps 1-3"]


def test_templates_in_yaml_cost_only_themselves() -> None:
    source = "{{- if .on }}\na: {{ .x }}-{{ .y }}\n{{- end }}\nb:\n  {% raw %}\n  c: 1\n"
    assert [s.qualified_name for s in parse("yaml", source).symbols] == ["a", "b", "b.c"]
