"""What a path says: its stem, its directories, and whether it is for old or other systems."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from gortex_py.text.tokens import identifier_parts, squash, stem, text_terms, words

_COMPAT = re.compile(
    r"(?:^|[/_.-])(?:compat|compatibility|legacy|polyfills?|shims?|backports?|deprecated)(?:[/_.-]|$)", re.I
)
# Systems that a file can be for. Unix and Linux are left out: there they are the rule.
_FOREIGN = frozenset(
    """
    win win32 win64 windows msvc mingw cygwin winrt uwp darwin macos osx mach freebsd netbsd openbsd dragonfly bsd
    sunos solaris illumos aix os390 zos ibmi haiku qnx hurd hpux irix vxworks fuchsia
    """.split()
)
_PLATFORM_WORDS = _FOREIGN | {"platform", "unix", "linux", "posix", "mac", "apple", "kqueue", "iocp", "fsevents"}


@dataclass(frozen=True, slots=True)
class PathWords:
    """A path, split once."""

    stem_terms: frozenset[str]  # stemmed parts of the file's name without its extension
    stem_squashed: str
    stem_stemmed: str  # stemmed parts, joined
    dir_terms: frozenset[str]  # of the immediate directory
    dirs_terms: frozenset[str]  # of all directories
    is_compat: bool
    is_foreign: bool


@lru_cache(maxsize=50_000)
def path_words(path: str) -> PathWords:
    """Return the words of a path relative to its repository."""
    *directories, name = path.split("/")
    base = name.rpartition(".")[0] or name
    parts = [part for word in words(base) for part in identifier_parts(word)]
    stems = [stem(part) for part in parts]
    tokens = {part for piece in (*directories, base) for word in words(piece) for part in identifier_parts(word)}
    tokens |= {squash(piece) for piece in (*directories, base)}
    return PathWords(
        stem_terms=frozenset(stems),
        stem_squashed="".join(parts),
        stem_stemmed="".join(stems),
        dir_terms=frozenset(text_terms(directories[-1])) if directories else frozenset(),
        dirs_terms=frozenset(term for directory in directories for term in text_terms(directory)),
        is_compat=bool(_COMPAT.search(path)),
        is_foreign=not tokens.isdisjoint(_FOREIGN),
    )


def names_a_platform(query_words: frozenset[str]) -> bool:
    """Tell whether a query asks for some system, so that no file is foreign to it."""
    return not query_words.isdisjoint(_PLATFORM_WORDS)
