"""A tool in one line: enough to call it by, at a fraction of its schema's length.

>>> signature("search", {"properties": {"q": {"type": "string"}, "mode": {"enum": ["a", "b"]}}, "required": ["q"]})
'search(q, mode?: a|b)'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gortex_py.types import JsonObject

MAX_CHOICES = 8  # of an enum; more are cut
MAX_CHOICE_CHARS = 24
MAX_PARAMETERS = 40


def signature(name: str, schema: JsonObject) -> str:
    """Return name and parameters, needed ones first, in the order of the schema; optional ones bear a ``?``."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return f"{name}()"
    listed = schema.get("required")
    required = frozenset(each for each in listed if isinstance(each, str)) if isinstance(listed, list) else frozenset()
    ordered = sorted(properties, key=lambda key: key not in required)
    shown = [_parameter(str(key), properties[key], key in required) for key in ordered[:MAX_PARAMETERS]]
    return f"{name}({', '.join([*shown, *(['…'] if len(ordered) > MAX_PARAMETERS else [])])})"


def _parameter(key: str, schema: object, is_required: bool) -> str:
    optional = "" if is_required else "?"
    choices = schema.get("enum") if isinstance(schema, Mapping) else None
    if not isinstance(choices, list) or not _is_short(choices):
        return f"{key}{optional}"
    cut = "|…" if len(choices) > MAX_CHOICES else ""
    return f"{key}{optional}: {'|'.join(choices[:MAX_CHOICES])}{cut}"


def _is_short(choices: Sequence[object]) -> bool:
    return bool(choices) and all(isinstance(each, str) and len(each) <= MAX_CHOICE_CHARS for each in choices)
