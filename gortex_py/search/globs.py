"""Globs on paths, matched in time linear in the path whatever the glob.

Globs come from outside, and a pattern that backtracks takes time exponential in its stars; the
``re`` module also keeps every other thread from running meanwhile. So only globs with few
wildcards become regular expressions; the others are run as an automaton whose states are bits.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache

MAX_BACKTRACKING = 2  # wildcards of a glob that a regular expression may still try
_WILD = re.compile(r"(\*\*/|\*\*|\*|\?)")
_REPEATED_FOLDERS = re.compile(r"(?:\*\*/){2,}")
_REPEATED_STARS = re.compile(r"\*{3,}")
_ANY_FOLDERS, _ANY_TEXT, _ANY_NAME, _ONE = "**/", "**", "*", "?"
_EXPRESSIONS = {_ANY_FOLDERS: "(?:.*/)?", _ANY_TEXT: ".*", _ANY_NAME: "[^/]*", _ONE: "[^/]"}


@lru_cache(maxsize=256)
def path_matcher(globs: tuple[str, ...]) -> Callable[[str], bool]:
    """Return what says whether a whole path is selected by any of the globs.

    ``*`` and ``?`` stay within a directory, ``**`` crosses them; a glob without a slash applies
    to the name in any directory; a glob that names a directory selects everything below it.

    >>> path_matcher(("src",))("src/a/b.py"), path_matcher(("*.py",))("src/a.py")
    (True, True)
    >>> path_matcher(("src/*.py",))("src/a/b.py")
    False
    """
    split = [_pieces(glob) for glob in globs]
    few = [pieces for pieces in split if _wildcards(pieces) <= MAX_BACKTRACKING]
    many = [pieces for pieces in split if _wildcards(pieces) > MAX_BACKTRACKING]
    expression = re.compile("|".join(f"(?:{_expression(pieces)})" for pieces in few), re.DOTALL) if few else None
    automaton = _Automaton(many) if many else None

    def matches(path: str) -> bool:
        if expression is not None and expression.match(path) is not None:
            return True
        return automaton is not None and automaton.matches(path)

    return matches


def _pieces(glob: str) -> list[str]:
    """Return literal texts and wildcards in turn, the anchoring included.

    >>> _pieces("*.py")
    ['**/', '*', '.py']
    """
    glob = glob.replace("\\", "/").removeprefix("./")
    anywhere = "/" not in glob.strip("/")
    glob = _REPEATED_FOLDERS.sub(_ANY_FOLDERS, _REPEATED_STARS.sub(_ANY_TEXT, glob.strip("/")))
    return [_ANY_FOLDERS] * anywhere + [piece for piece in _WILD.split(glob) if piece]


def _wildcards(pieces: list[str]) -> int:
    return sum(piece in (_ANY_FOLDERS, _ANY_TEXT, _ANY_NAME) for piece in pieces) - (pieces[:1] == [_ANY_FOLDERS])


def _expression(pieces: list[str]) -> str:
    return "".join(_EXPRESSIONS.get(piece, re.escape(piece)) for piece in pieces) + r"(?:/.*)?\Z"


class _Automaton:
    """Every state of every glob is a bit; one character moves all of them at once."""

    def __init__(self, globs: list[list[str]]) -> None:
        self._at = 0
        self._literal: defaultdict[str, int] = defaultdict(int)  # states that this character moves on
        self._one = 0  # states that any character but a slash moves on
        self._keeps_name = 0  # states that stay at any character but a slash
        self._keeps_any = 0  # states that stay at any character
        self._skips = 0  # states that reach the next one for nothing
        self._folders = 0  # states that reach the next one and the one after it for nothing
        self._start = 0
        self._ends = 0
        for pieces in globs:
            self._start |= 1 << self._at
            for piece in pieces:
                self._add(piece)
            self._ends |= 1 << self._at
            self._at += 1
        self._start = self._skipped(self._start)

    def _add(self, piece: str) -> None:
        if piece == _ANY_FOLDERS:
            # Either nothing (over both states), or text that ends with a slash.
            self._folders |= 1 << self._at
            self._keeps_any |= 2 << self._at
            self._literal["/"] |= 2 << self._at
            self._at += 2
        elif piece in (_ANY_TEXT, _ANY_NAME):
            self._keeps_any |= (piece == _ANY_TEXT) << self._at
            self._keeps_name |= (piece == _ANY_NAME) << self._at
            self._skips |= 1 << self._at
            self._at += 1
        elif piece == _ONE:
            self._one |= 1 << self._at
            self._at += 1
        else:
            for char in piece:
                self._literal[char] |= 1 << self._at
                self._at += 1

    def _skipped(self, states: int) -> int:
        while True:
            entered = states & self._folders
            reached = states | (states & self._skips | entered) << 1 | entered << 2
            if reached == states:
                return states
            states = reached

    def matches(self, path: str) -> bool:
        """Say whether a whole path, or a directory above it, is selected."""
        states = self._start
        for char in path:
            if char == "/" and states & self._ends:
                return True
            moved = states & self._literal.get(char, 0)
            kept = states & self._keeps_any
            if char != "/":
                moved |= states & self._one
                kept |= states & self._keeps_name
            states = self._skipped(kept | moved << 1)
            if not states:
                return False
        return bool(states & self._ends)
