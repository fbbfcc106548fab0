"""Match braces in a file whose syntax tree is broken.

Where a grammar stumbles inside a long class, the rest of the class is lost from it. The braces of
the text usually still match, so the class can be given its real end.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    rb"//[^\n]*|/\*.*?(?:\*/|\Z)"
    rb'|R"([^()\\\s]{0,16})\(.*?(?:\)\1"|\Z)'
    rb'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\''
    rb"|^[ \t]*#[ \t]*(?:if|el|end)[^\n]*"
    rb"|[{}]",
    re.DOTALL | re.MULTILINE,
)
_CLASS_HEAD = re.compile(
    rb"^[ \t]*(?P<keyword>class|struct)[ \t]+(?P<name>[A-Za-z_]\w*)(?:\s|//[^\n]*\n){0,200}"
    rb"(?:final\b\s*)?(?::[^:;{}()](?:[^/;{}()]|//[^\n]*\n){0,400})?\{",
    re.MULTILINE,
)
_DIRECTIVE = re.compile(rb"[ \t]*#[ \t]*(\w+)")


def matching_braces(source: bytes) -> dict[int, int]:
    """Return opening -> closing byte of every pair of braces, or nothing when they do not match.

    Comments and strings are skipped, and of conditional code only the first branch counts.
    """
    pairs: dict[int, int] = {}
    open_at: list[int] = []
    branches: list[bool] = []  # one a nested #if: is this its second branch or a later one?
    for match in _TOKEN.finditer(source):
        token = match.group()
        directive = _DIRECTIVE.match(token)
        if directive is not None:
            _enter_branch(directive.group(1), branches)
        elif True in branches:
            continue
        elif token == b"{":
            open_at.append(match.start())
        elif token == b"}":
            if not open_at:
                return {}
            pairs[open_at.pop()] = match.start()
    return {} if open_at else pairs


def _enter_branch(directive: bytes, branches: list[bool]) -> None:
    if directive.startswith(b"if"):
        branches.append(False)
    elif directive.startswith(b"el") and branches:
        branches[-1] = True
    elif directive == b"endif" and branches:
        branches.pop()


@dataclass(frozen=True, slots=True)
class LostClass:
    """A class or struct whose head the grammar dissolved in an error; bytes throughout."""

    start: int
    name: tuple[int, int]
    body: int  # of the opening brace
    end: int
    keyword: str  # "class" or "struct"


def lost_classes(source: bytes, pairs: dict[int, int], known: Container[int]) -> Iterator[LostClass]:
    """Yield the classes that the text shows by their heads and whose name's byte is not in ``known``."""
    for match in _CLASS_HEAD.finditer(source):
        body = match.end() - 1
        if body in pairs and match.start("name") not in known:
            keyword = match.group("keyword").decode()
            yield LostClass(match.start("keyword"), match.span("name"), body, pairs[body] + 1, keyword)
