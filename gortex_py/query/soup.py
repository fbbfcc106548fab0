"""Recognise keyword soup: alternatives and lists that are no question.

Three families: boolean soup (``A OR B OR 'no access'``), bare keyword lists (``parse decode
unmarshal token jwt cache``) and comma enumerations. A genuine question must never be taken for
one, so anything with a function word or an inflected verb in it is language.
"""

from __future__ import annotations

import re

from gortex_py.text.stopwords import CHANGE_VERBS, FUNCTION_WORDS
from gortex_py.types import QueryAdvice

MIN_OPERATORS = 2
MIN_QUOTED = 3
MIN_COMMA_PARTS = 3
MAX_COMMA_PART_WORDS = 2
MIN_LIST_WORDS = 6
LONG_LIST_WORDS = 8

_OPERATOR = re.compile(r"(?<!\S)(?:OR|AND)(?!\S)|\|\|?")
_QUOTED = re.compile(r"'[^']+'|\"[^\"]+\"")
_DELIMITER = re.compile(r"(?<!\S)(?:OR|AND)(?!\S)|\|\|?|,")
_IDENTIFIER = re.compile(r"[\w./:-]+")
# A verb or adverb makes words a phrase: "atomic write helpers shared across adapters".
_INFLECTED = re.compile(r".{2,}(?:ing|ed|ly)$")

BOOLEAN = (
    "This reads as a boolean list, and search ranks one concept at a time: "
    "run one query per alternative, or say the intent in words."
)
QUOTED = "This has many quoted pieces; search for them one at a time, or describe what they have in common."
LONG_LIST = "This is a list of keywords with little language to connect them; use a short phrase or single keywords."
BARE_LIST = "This is a bare list of keywords; use a short phrase, or search for the keywords one at a time."
COMMA_LIST = "This is an enumeration; search for one term at a time, or describe what they have in common."


def find_soup(text: str) -> QueryAdvice | None:
    """Return why a query is keyword soup and what to split it into, or None.

    >>> find_soup("parse, decode, unmarshal").split_into
    ('parse', 'decode', 'unmarshal')
    >>> find_soup("validate user login token before granting access") is None
    True
    """
    reason = _reason(text)
    return QueryAdvice(reason, split_soup(text)) if reason else None


def split_soup(text: str) -> tuple[str, ...]:
    """Return the alternatives of a query in order, without quotes or repeats."""
    parts = _DELIMITER.split(text) if _DELIMITER.search(text) else text.split()
    found: dict[str, str] = {}
    for part in parts:
        cleaned = part.strip().strip("'\"()[]").strip()
        if cleaned:
            found.setdefault(cleaned.casefold(), cleaned)
    return tuple(found.values())


def _reason(text: str) -> str | None:
    operators = len(_OPERATOR.findall(text))
    if operators >= MIN_OPERATORS:
        return BOOLEAN
    if len(_QUOTED.findall(text)) >= MIN_QUOTED:
        return QUOTED
    typed = text.split()
    # OR and AND are function words too, but here they were counted as what joins a list.
    tokens = [token.strip("'\"()[]{},") for token in typed if not _OPERATOR.fullmatch(token)]
    if _is_comma_list(text):
        return COMMA_LIST
    if _has_language(tokens) or not all(_IDENTIFIER.fullmatch(token) for token in tokens):
        return None
    if operators and len(typed) >= LONG_LIST_WORDS:
        return LONG_LIST
    if not operators and len(tokens) >= MIN_LIST_WORDS and _reads_as_list(tokens):
        return BARE_LIST
    return None


def _is_comma_list(text: str) -> bool:
    parts = [part.split() for part in text.split(",") if part.strip()]
    if "," not in text or len(parts) < MIN_COMMA_PARTS:
        return False
    words = [word.strip("'\"") for part in parts for word in part]
    short = all(len(part) <= MAX_COMMA_PART_WORDS for part in parts)
    return (
        short and not any(word.lower() in FUNCTION_WORDS for word in words) and all(map(_IDENTIFIER.fullmatch, words))
    )


def _has_language(tokens: list[str]) -> bool:
    if not tokens or tokens[0].lower() in CHANGE_VERBS:
        return True
    return any(
        token.lower() in FUNCTION_WORDS or _INFLECTED.fullmatch(token.lower()) or token[-1:] in ":-" for token in tokens
    )


def _reads_as_list(tokens: list[str]) -> bool:
    """Tell a list from a noun phrase: a phrase has plurals, hyphens or numbers that agree, a list bare stems."""
    return not any(len(token) > 3 and token.lower().endswith(("s", "ion", "ment")) for token in tokens)
