"""Cut the name that counts out of what the source spells."""

from __future__ import annotations

import re

from gortex_py.types import SymbolKind

MAX_NAME_CHARS = 200  # a longer "name" is data that a grammar took for one
MAX_NAME_BYTES = 1_000  # of its spelling are read

_SEPARATORS = re.compile(r"::|->|\?\.|[.\\:#]")
_ANGLES = re.compile(r"<[^<>]*>")
_OPERATOR = re.compile(r"\boperator\b\s*\S")
_CAST = re.compile(r"operator\s+[\w:<>,&* ]+")
_WORD = re.compile(r"\w")
_SPACE = re.compile(r"\s+")
# Dots, slashes and colons belong to these names: they are paths and selectors themselves.
_WHOLE_NAMES = frozenset({SymbolKind.KEY, SymbolKind.RULE, SymbolKind.ELEMENT, SymbolKind.DOC})


def split_name(text: str, kind: SymbolKind) -> tuple[str, str]:
    """Return (scope joined with ".", name) of a definition's name as it is spelled.

    >>> split_name("ns::Table<K, V>::find", SymbolKind.METHOD)
    ('ns.Table', 'find')
    >>> split_name("exports.render", SymbolKind.FUNCTION)
    ('exports', 'render')
    """
    if text.isidentifier():  # nearly all are, and need no look at their parts
        return "", text[:MAX_NAME_CHARS]
    text = _unquote(_SPACE.sub(" ", text.strip()))
    if kind in _WHOLE_NAMES:
        return "", text[:MAX_NAME_CHARS]
    if not _WORD.search(text):  # `<=>`, `>>=`: what separates names elsewhere is the name itself
        return "", text[:MAX_NAME_CHARS]
    operator = _OPERATOR.search(text)
    if operator is not None:
        head, tail = text[: operator.start()], text[operator.start() :]
        cast = _CAST.match(tail)
        tail = cast.group().rstrip() if cast else tail
    else:
        parts = scope_parts(text)
        # A macro that the grammar does not know may stand before the name: `T* nonnull Make`.
        head, tail = ".".join(parts[:-1]), (parts[-1].rpartition(" ")[2] if parts else "")
    return join_scope(head), tail[:MAX_NAME_CHARS]


def join_scope(text: str) -> str:
    """Return the names of a scope joined with ".", without type arguments."""
    return text if text.isidentifier() or not text else ".".join(scope_parts(text))


def scope_parts(text: str) -> list[str]:
    """Return the names in a path such as ``a::B<T>::c``, without type arguments."""
    for _ in range(8):  # nested type arguments disappear from the inside out
        shorter = _ANGLES.sub("", text)
        if shorter == text:
            break
        text = shorter
    return [part for piece in _SEPARATORS.split(text) if (part := piece.strip(" &*"))]


def reference_name(text: str) -> str:
    """Return the last part of a mentioned name or of an imported path; empty if nothing is left.

    >>> reference_name("'./lib/router.js'"), reference_name("os.path"), reference_name("<sys/stat.h>")
    ('router', 'path', 'stat')
    """
    if text.isidentifier():
        return text[:MAX_NAME_CHARS]
    text = text.strip()
    path = text.strip("\"'`")
    if path != text or (text[:1] == "<" and text[-1:] == ">") or text.startswith(("./", "../", "/")):
        tail = path.strip("<>").rstrip("/").rpartition("/")[2]
        return tail[:1] + tail[1:].partition(".")[0] if tail.strip(".") else ""
    parts = scope_parts(text.rpartition("/")[2])
    return parts[-1][:MAX_NAME_CHARS] if parts else ""


def _unquote(text: str) -> str:
    if len(text) >= 2 and ((text[0] == text[-1] and text[0] in "\"'`") or (text[0] == "[" and text[-1] == "]")):
        return text[1:-1]
    return text
