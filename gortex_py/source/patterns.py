"""One line of an ignore file, matched the way git matches it.

Git treats paths as bytes, so everything here is text decoded as Latin-1: one character a byte
(see :func:`as_bytes_text`). A pattern without a slash is matched against the last name, any
other against the whole path below the ignore file's folder. Git compares the part before the
first wildcard literally and matches only the rest; that is visible (``a**/b`` reaches several
levels deep), so it is done the same way here.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

_WILD = re.compile(r"[*?\[\\]")
_POSIX_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "space": r" \t\n\r\f\v",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
_NEVER = "(?!)"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A parsed ignore line."""

    text: str  # as written, for messages
    line: int  # 1-based
    negated: bool  # "!": brings back
    dir_only: bool  # written with a trailing slash
    by_name: bool  # matched against the last name only, at any depth
    literal: str  # what must stand at the start; the whole pattern when ``rest`` is empty
    rest: str  # regular expression source for what follows ``literal``

    @property
    def regex(self) -> str:
        return re.escape(self.literal) + self.rest

    @property
    def suffix(self) -> str | None:
        """The ending, when the pattern is ``*`` and then no wildcard; matched without a regex."""
        tail = self.rest.removeprefix(_ANY_NAME_CHARS)
        if self.literal or tail == self.rest:
            return None
        plain = re.sub(r"\\(.)", r"\1", tail)
        return plain if re.escape(plain) == tail else None


_ANY_NAME_CHARS = "[^/]*"


def as_bytes_text(path: str) -> str:
    """Return the path with one character a byte, as git sees it."""
    return path if path.isascii() else os.fsencode(path).decode("latin-1")


def parse_patterns(content: bytes) -> list[Pattern]:
    """Return the patterns of an ignore file, in order; odd bytes and long lines are no trouble."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    patterns: list[Pattern] = []
    for number, raw in enumerate(content.split(b"\n"), start=1):
        line = raw.removesuffix(b"\r").split(b"\0", 1)[0].decode("latin-1")
        if not line or line.startswith("#"):
            continue
        pattern = _parse_line(_without_trailing_spaces(line), number)
        if pattern is not None:
            patterns.append(pattern)
    return patterns


def _without_trailing_spaces(line: str) -> str:
    """Cut trailing blanks, but not one that a backslash protects.

    >>> _without_trailing_spaces("a b  "), _without_trailing_spaces("a\\\\  ")
    ('a b', 'a\\\\ ')
    """
    end = len(line.rstrip(" "))
    backslashes = end - len(line[:end].rstrip("\\"))
    return line[: end + 1] if backslashes % 2 and end < len(line) else line[:end]


def _parse_line(text: str, number: int) -> Pattern | None:
    body = text.removeprefix("!")
    dir_only = body.endswith("/")
    body = body[:-1] if dir_only else body
    if not body:
        return None
    by_name = "/" not in body
    body = body.removeprefix("/")
    wild = _WILD.search(body)
    cut = wild.start() if wild else len(body)
    rest = _translate(body[cut:], across_slashes=by_name)
    written = text.encode("latin-1").decode("utf-8", "replace")
    return Pattern(written, number, text.startswith("!"), dir_only, by_name, body[:cut], rest)


def _translate(glob: str, *, across_slashes: bool) -> str:
    """Return the regular expression of a wildcard pattern; a malformed one matches nothing."""
    out: list[str] = []
    at = 0
    while at < len(glob):
        char = glob[at]
        if char == "*":
            piece, at = _translate_stars(glob, at, across_slashes=across_slashes)
        elif char == "?":
            piece, at = "[^/]", at + 1
        elif char == "[":
            piece, at = _translate_set(glob, at + 1)
        elif char == "\\":
            piece, at = (re.escape(glob[at + 1]), at + 2) if at + 1 < len(glob) else (_NEVER, at + 1)
        else:
            piece, at = re.escape(char), at + 1
        out.append(piece)
    return _join_pieces(out)


def _join_pieces(pieces: list[str]) -> str:
    """Join translated pieces; ``*x*`` takes the first x and never reconsiders it.

    Without that, a line such as ``*a*a*a*a*b`` takes time exponential in its stars. It is sound
    because what follows the x is another star of the same path segment.
    """
    out: list[str] = []
    star = -1  # where the last star of this segment stands in ``out``
    for piece in pieces:
        if piece == _ANY_NAME_CHARS:
            if star >= 0 and star < len(out) - 1:
                out[star:] = [f"(?>{_ANY_NAME_CHARS}?{''.join(out[star + 1 :])})"]
            star = len(out)
        elif piece in ("/", ".*", "(?:.*/)?"):
            star = -1
        out.append(piece)
    return "".join(out)


def _translate_stars(glob: str, at: int, *, across_slashes: bool) -> tuple[str, int]:
    end = at
    while end < len(glob) and glob[end] == "*":
        end += 1
    after = glob[end:]
    starts_segment = at == 0 or glob[at - 1] == "/"
    ends_segment = not after or after.startswith(("/", "\\/"))
    if across_slashes or end - at == 1 or not (starts_segment and ends_segment):
        return _ANY_NAME_CHARS, end
    if after.startswith("/"):
        return "(?:.*/)?", end + 1  # any number of folders, none included
    return ".*", end


def _translate_set(glob: str, at: int) -> tuple[str, int]:
    """Translate ``[...]``; ``at`` is behind the bracket. Returns the piece and where it ends."""
    negated = glob[at : at + 1] in ("!", "^")
    at += negated
    members: list[str] = []
    previous = ""  # the character a range may start from
    while not members or glob[at : at + 1] != "]":  # a bracket that comes first is a member
        is_range = previous != "" and glob[at : at + 1] == "-" and glob[at + 1 : at + 2] not in ("", "]")
        at += is_range
        member, previous, at = _translate_member(glob, at, previous if is_range else None)
        if at < 0:
            return _NEVER, len(glob)
        members.append(member)
    inside = "".join(members)
    if negated:
        return f"[^/{inside}]", at + 1
    return (f"(?!/)[{inside}]" if inside else _NEVER), at + 1


def _translate_member(glob: str, at: int, range_start: str | None) -> tuple[str, str, int]:
    """Return a member of a set, the character a range may start from next, and the end.

    The end is -1 when the set is malformed.
    """
    if range_start is None and glob.startswith("[:", at):
        close = glob.find("]", at + 2)
        if close > at + 2 and glob[close - 1] == ":":
            named = _POSIX_CLASSES.get(glob[at + 2 : close - 1])
            return (named, "", close + 1) if named else ("", "", -1)
        if close < 0:
            return "", "", -1
    at += glob[at : at + 1] == "\\"
    char = glob[at : at + 1]
    if not char:
        return "", "", -1
    if range_start is None:
        return _in_set(char), char, at + 1
    return (f"{_in_set(range_start)}-{_in_set(char)}" if range_start <= char else ""), "", at + 1


def _in_set(char: str) -> str:
    return f"\\x{ord(char):02x}"
