"""Recognise keyword soup: alternatives and lists that are no question.

Three families: boolean soup (``A OR B OR 'no access'``), bare keyword lists (``parse decode
unmarshal token jwt cache``) and comma enumerations. A genuine question must never be taken for
one, so anything with a function word or an inflected verb in it is language. A noun phrase has
neither ("postgres connection pool size limit"); what tells a list from it is that most of a list's
words say one thing over again, so a bare list is known by words that stand for each other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gortex_py.text.concepts import NO_CONCEPTS, Concepts, concept_term
from gortex_py.text.stopwords import CHANGE_VERBS, FUNCTION_WORDS
from gortex_py.types import QueryAdvice

MIN_OPERATORS = 2
MIN_QUOTED = 3
MIN_COMMA_PARTS = 3
MAX_COMMA_PART_WORDS = 2
MIN_LIST_WORDS = 6
LONG_LIST_WORDS = 8
# Of the words of a list, so many stand for another of them, and so many for one thing. Long noun phrases reach
# 0.67 of the first (a phrase has pairs: "lexer token position line column offset"), and then less of the second.
ALIKE_SHARE = 0.75
ONE_THING_SHARE = 0.5
RELATED_WORTH = 0.5  # a word that is only met beside another of the list
NAMES_SHARE = 0.6  # of a list of identifiers
KIN_CHARS = 5  # words that begin alike are one word to a list: parse, parser, parsing

_WORD_OPERATOR = re.compile(r"(?<!\S)(?:OR|AND)(?!\S)")
_OPERATOR = re.compile(r"(?<!\S)(?:OR|AND)(?!\S)|\|\|?")
# An apostrophe inside a word opens no quotation.
_QUOTED = re.compile(r"(?<!\w)'[^']+'(?!\w)|\"[^\"]+\"")
_DELIMITER = re.compile(r"(?<!\S)(?:OR|AND)(?!\S)|\|\|?|,")
_IDENTIFIER = re.compile(r"[\w./:-]+")
# A verb or adverb makes words a phrase: "atomic write helpers shared across adapters".
_INFLECTED = re.compile(r".{2,}(?:ed|ly)$")
# Written as only a name is: parseConfig, MAX_SIZE, http.Client, std::move.
_NAME = re.compile(r"[a-z\d][A-Z]|\w_\w|\w::?\w|\w\.\w")
_EDGES = "'\"()[]{},"

BOOLEAN = (
    "This reads as a boolean list, and search ranks one concept at a time: "
    "run one query per alternative, or say the intent in words."
)
QUOTED = "This has many quoted pieces; search for them one at a time, or describe what they have in common."
LONG_LIST = "This is a list of keywords with little language to connect them; use a short phrase or single keywords."
BARE_LIST = "This is a bare list of keywords; use a short phrase, or search for the keywords one at a time."
COMMA_LIST = "This is an enumeration; search for one term at a time, or describe what they have in common."


def find_soup(text: str, concepts: Concepts = NO_CONCEPTS) -> QueryAdvice | None:
    """Return why a query is keyword soup and what to split it into, or None.

    :param concepts: which words stand for each other; without them few bare lists are recognised

    >>> find_soup("parse, decode, unmarshal").split_into
    ('parse', 'decode', 'unmarshal')
    >>> find_soup("validate user login token before granting access") is None
    True
    """
    reason = _reason(text, concepts)
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


def _reason(text: str, concepts: Concepts) -> str | None:
    typed = text.split()
    # OR and AND are function words too, but here they were counted as what joins a list.
    tokens = [token for token in (token.strip(_EDGES) for token in typed if not _OPERATOR.fullmatch(token)) if token]
    words_outside = _QUOTED.sub(" ", _OPERATOR.sub(" ", text)).replace(",", " ").split()
    has_language = _has_language(tokens)
    joined_by_words = len(_WORD_OPERATOR.findall(text))
    # Bars join a list, but also the commands of a shell and the types of a union; those come in sentences.
    operators = joined_by_words if has_language else len(_OPERATOR.findall(text))
    if operators >= MIN_OPERATORS and not any(map(_is_shouted, tokens)):
        return BOOLEAN
    quoted = len(_QUOTED.findall(text))
    # A pasted error quotes names, too, in the middle of its sentence.
    if quoted >= MIN_QUOTED and len(words_outside) < quoted:
        return QUOTED
    if _is_comma_list(text):
        return COMMA_LIST
    if has_language or not all(map(_IDENTIFIER.fullmatch, tokens)):
        return None
    if joined_by_words and len(typed) >= LONG_LIST_WORDS:
        return LONG_LIST
    if len(tokens) >= MIN_LIST_WORDS and _reads_as_list(tokens, concepts):
        return BARE_LIST
    return None


def _is_comma_list(text: str) -> bool:
    parts = [part.split() for part in text.split(",") if part.strip()]
    if "," not in text or len(parts) < MIN_COMMA_PARTS:
        return False
    words = [word.strip("'\"") for part in parts for word in part]
    if len(parts[0]) > 1 and words[0].lower() in CHANGE_VERBS and all(len(part) == 1 for part in parts[1:]):
        return False  # a sentence that lists what it is about: "add width, height, depth"
    short = all(len(part) <= MAX_COMMA_PART_WORDS for part in parts)
    return (
        short and not any(word.lower() in FUNCTION_WORDS for word in words) and all(map(_IDENTIFIER.fullmatch, words))
    )


def _has_language(tokens: Sequence[str]) -> bool:
    return any(
        token.lower() in FUNCTION_WORDS
        or _INFLECTED.fullmatch(token.lower())
        or token[-1:] in ":-"
        or token.startswith("-")
        for token in tokens
    )


def _is_shouted(token: str) -> bool:
    """Tell whether AND and OR stand beside other such words, as in a pasted statement of SQL."""
    return len(token) > 1 and token.isupper() and token != "NOT" and token.lower() in FUNCTION_WORDS


def _reads_as_list(tokens: Sequence[str], concepts: Concepts) -> bool:
    """Tell whether words say one thing over again, or are all names of things."""
    if sum(_NAME.search(token) is not None for token in tokens) >= NAMES_SHARE * len(tokens):
        return True
    distinct = {token.lower(): concept_term(token) for token in tokens}
    alike = sum(_likeness(word, distinct, concepts) for word in distinct)
    if alike < ALIKE_SHARE * len(tokens):
        return False
    terms = distinct.values()
    heads = {head for term in terms for head in (term, *_standing_for(term, concepts))}
    most = max(sum(term in {head, *_standing_for(head, concepts)} for term in terms) for head in heads)
    return most >= ONE_THING_SHARE * len(tokens)


def _standing_for(term: str, concepts: Concepts) -> frozenset[str]:
    return frozenset(other for other, _ in concepts.synonyms.get(term, ()))


def _likeness(word: str, others: dict[str, str], concepts: Concepts) -> float:
    """Return 1 for a word that stands for another of the list, less for one that is met beside one, else 0."""
    terms = {term for other, term in others.items() if other != word}
    own = others[word]
    heads = _standing_for(own, concepts)
    if heads & terms or own in terms or any(_are_kin(word, other) for other in others if other != word):
        return 1.0
    siblings = {term for head in heads for term in _standing_for(head, concepts)}
    beside = {term for term, _ in concepts.related.get(own, ())}
    return RELATED_WORTH if (siblings | beside) & terms else 0.0


def _are_kin(first: str, second: str) -> bool:
    return min(len(first), len(second)) >= KIN_CHARS and first[:KIN_CHARS] == second[:KIN_CHARS]
