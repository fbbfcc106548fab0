"""Pick the words of a query that are looked for, and what its wording says about the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gortex_py.query.shape import is_symbol_shaped
from gortex_py.text.stopwords import (
    AUTHORS_VERBS,
    CHANGE_FILLER_FACTOR,
    CHANGE_FILLERS,
    CHANGE_MIN_WORDS,
    CHANGE_VERBS,
    QUESTION_OPENERS,
    STOP_WORDS,
    WEAK_WORD_FACTOR,
    WEAK_WORDS,
)
from gortex_py.text.tokens import identifier_parts, words

# A word that is the project's own name is in half its files and names none of them.
PROJECT_NAME_FACTOR = 0.25
# Longer queries are pasted text; their head says what they are about, and cost stays bounded.
MAX_WORDS = 64

# One name, perhaps qualified: `Foo`, `foo.bar`, `Foo::bar`, `foo->bar`, `Foo#bar`, `kebab-name`.
_NAME = re.compile(r"[\w$@~]+(?:(?:::|->|[.#\-:/\\])[\w$@~?!]+)*[?!]?(?:\(\))?")
# Something with a directory or an extension.
_PATH = re.compile(r"\S*[^\s/]/[^\s/]\S*|\S*[^\s/.]\.\w{1,10}|/\S*\w\S*")
_QUALIFIER = re.compile(r"::|->|[.#:/\\]")


@dataclass(frozen=True, slots=True)
class QueryWord:
    """One word that is looked for."""

    text: str  # as typed
    factor: float  # how much of its rarity counts, in (0, 1]
    is_identifier: bool  # its spelling (case change, underscore) or the query (nothing else) says so


@dataclass(frozen=True, slots=True)
class QueryWords:
    """A query, word by word."""

    words: tuple[QueryWord, ...]
    typed: tuple[str, ...]  # every word of the query, stop words too
    name: tuple[str, ...]  # the parts of the one name that the whole query is, outermost first; () for other queries
    path: str  # the path that the whole query is, without a leading "./" or "/"; "" for other queries
    is_change: bool  # may tell of a change ("fix crash when ...", "return early when ...") rather than ask
    is_telling: bool  # certainly does: its verb is one that authors do, not code
    asks: bool  # opens as a question, or is a single word
    all_words: frozenset[str]  # folded parts of every word, for asking after a class of file


def read_words(text: str, *, project: str = "") -> QueryWords:
    """Return the words of a query; stop words are left out unless there is nothing else."""
    typed = words(text)[:MAX_WORDS]
    folded = [word.lower() for word in typed]
    name = name_parts(text)
    is_change = len(typed) >= CHANGE_MIN_WORDS and folded[0] in CHANGE_VERBS
    kept = [i for i, word in enumerate(folded) if word not in STOP_WORDS or _is_meant(typed[i], first=i == 0)]
    if not kept:
        kept = list(range(len(typed)))
    asked = tuple(
        QueryWord(
            typed[i],
            _factor(folded[i], first=i == 0, is_change=is_change, project=project.lower()),
            bool(name) or _looks_like_identifier(typed[i]),
        )
        for i in kept
    )
    return QueryWords(
        words=asked,
        typed=tuple(typed),
        name=name,
        path=path_text(text),
        is_change=is_change,
        is_telling=is_change and folded[0] in AUTHORS_VERBS,
        asks=bool(folded) and (len(folded) == 1 or folded[0] in QUESTION_OPENERS),
        all_words=frozenset(part for word in typed for part in (word.lower(), *identifier_parts(word))),
    )


def name_parts(text: str) -> tuple[str, ...]:
    """Return the parts of a query that is one name, outermost first, else ().

    >>> name_parts("Rails::Engine"), name_parts(" parseConfig() "), name_parts("retry backoff")
    (('Rails', 'Engine'), ('parseConfig',), ())
    """
    text = text.strip()
    if not _NAME.fullmatch(text):
        return ()
    return tuple(part for part in _QUALIFIER.split(text.removesuffix("()")) if part)


def path_text(text: str) -> str:
    """Return the path that a query is, with forward slashes, else "".

    >>> path_text("./src/app.py"), path_text("app.py"), path_text("parse config"), path_text("retry")
    ('src/app.py', 'app.py', '', '')
    """
    text = text.strip().replace("\\", "/")
    if " " in text or not _PATH.fullmatch(text):
        return ""
    return text.removeprefix("./").strip("/")


def _is_meant(word: str, *, first: bool) -> bool:
    """Tell whether a stop word is spelled as an identifier; the first word's capital only begins a sentence."""
    return is_symbol_shaped(word) and not (first and word[1:].islower())


def _looks_like_identifier(word: str) -> bool:
    return is_symbol_shaped(word) or "_" in word or any(c.isupper() for c in word[1:]) or word[:1].isupper()


def _factor(word: str, *, first: bool, is_change: bool, project: str) -> float:
    factor = 1.0
    if is_change and (first or word in CHANGE_FILLERS):
        factor *= CHANGE_FILLER_FACTOR
    elif word in WEAK_WORDS:
        factor *= WEAK_WORD_FACTOR
    if word == project:
        factor *= PROJECT_NAME_FACTOR
    return factor
