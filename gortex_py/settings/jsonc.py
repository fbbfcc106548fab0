"""Read a JSON file that people edit: comments and trailing commas are taken, size is bounded."""

from __future__ import annotations

import json
import re
from pathlib import Path

from gortex_py.settings.parse import YamlFileError, read_regular_file

# A text, or a comment, or a comma before a closing bracket; only texts stay as they are.
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*(?:\n|$)|/\*.*?\*/)*[}\]])', re.DOTALL)


def plain_json(text: str) -> str:
    """Return JSON without comments and trailing commas.

    >>> plain_json('{"a": "//x", /* b */ "c": [1, 2,], // d')
    '{"a": "//x",  "c": [1, 2], '
    """
    return _PIECE.sub(lambda match: match[0] if match[0].startswith('"') else "", text)


def read_json_file(path: Path) -> tuple[object, str | None]:
    """Return (document, trouble); (None, None) where there is no file."""
    try:
        raw = read_regular_file(path)
    except YamlFileError as trouble:
        return None, trouble.what
    return (None, None) if raw is None else parse_json(raw)


def parse_json(raw: bytes) -> tuple[object, str | None]:
    """Return (document, trouble) of a file's bytes."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return None, f"is not UTF-8 at byte {error.start}"
    try:
        return json.loads(plain_json(text)), None
    except json.JSONDecodeError as error:
        return None, f"is not valid JSON at line {error.lineno}, column {error.colno}: {error.msg}"
    except RecursionError:
        return None, "nests too deep"
