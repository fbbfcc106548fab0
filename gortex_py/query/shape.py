"""Read a query's shape: continuously from natural language to an identifier.

Alpha is the vector channel's share in the fusion. It moves in a straight line between the
anchors with the density of identifiers, so no word added to a query makes it jump a tier.
"""

from __future__ import annotations

import re
from dataclasses import replace

from gortex_py.query.soup import find_soup
from gortex_py.text.concepts import NO_CONCEPTS, Concepts
from gortex_py.types import QueryClass, QueryShape

ALPHA_LANGUAGE = 0.50
ALPHA_SIGNATURE = 0.35
ALPHA_SYMBOL = 0.30
ALPHA_SOUP = 0.30
ALPHA_PATH = 0.15
# Each word beyond the second makes a sentence likelier than a list of names.
LENGTH_COST = 0.12

STOP_WORDS = frozenset(
    """how does do the a an of to is are in on for and or with where what when why which this that from by as about
    into via""".split()
)
_SIGNATURE = re.compile(r"[()]|->|=>")
_EDGE_PUNCTUATION = ".,;:!?\"'`"
_CASE_CHANGE = re.compile(r"[a-z][A-Z]|[A-Z][a-z]")


def shape_of(text: str, *, keyword_soup_rewrite: str = "split", concepts: Concepts = NO_CONCEPTS) -> QueryShape:
    """Return the shape of a query's text.

    :param keyword_soup_rewrite: ``split`` to treat keyword soup as a list of names, ``nudge`` to advise on it and
        change nothing else, ``off`` not to look for it
    :param concepts: which words stand for each other, by which bare lists are recognised

    >>> shape_of("how does the indexer pipeline work").alpha
    0.5
    >>> shape_of("parseConfig loader").alpha
    0.4
    """
    tokens = text.split()
    density = symbol_density(tokens)
    soup = find_soup(text, concepts) if keyword_soup_rewrite != "off" else None
    if soup is not None and keyword_soup_rewrite == "split":
        return QueryShape(QueryClass.KEYWORD_SOUP, ALPHA_SOUP, density, soup.split_into, soup)
    shape = _plain_shape(text, tokens, density)
    return shape if soup is None else replace(shape, query_class=QueryClass.KEYWORD_SOUP, advice=soup)


def _plain_shape(text: str, tokens: list[str], density: float) -> QueryShape:
    if _SIGNATURE.search(text):
        return QueryShape(QueryClass.SIGNATURE, ALPHA_SIGNATURE, density)
    if len(tokens) == 1 and is_path_shaped(tokens[0]):
        return QueryShape(QueryClass.PATH, ALPHA_PATH, density)
    alpha = ALPHA_LANGUAGE + density * (ALPHA_SYMBOL - ALPHA_LANGUAGE)
    is_symbol = len(tokens) == 1 and density == 1
    return QueryShape(QueryClass.SYMBOL if is_symbol else QueryClass.CONCEPT, round(alpha, 10), density)


def known_symbol(shape: QueryShape) -> QueryShape:
    """Return the shape of a plain word that turned out to be the name of a symbol."""
    return QueryShape(QueryClass.SYMBOL, ALPHA_SYMBOL, 1.0, shape.soup_terms, shape.advice)


def symbol_density(tokens: list[str]) -> float:
    """Return the share of identifiers among the words, less stop words and length, in [0, 1]."""
    if not tokens:
        return 0.0
    symbols = sum(map(is_symbol_shaped, tokens))
    if len(tokens) == 1:
        return float(symbols)
    stops = sum(token.lower().strip(_EDGE_PUNCTUATION) in STOP_WORDS for token in tokens)
    density = (symbols - stops) / len(tokens) - LENGTH_COST * (len(tokens) - 2)
    return min(1.0, max(0.0, density))


def is_symbol_shaped(token: str) -> bool:
    """Tell whether a word can only be an identifier.

    >>> [is_symbol_shaped(t) for t in ("parseConfig", "HTTP", "http.Client", "retry_count", "parse", "How", "works.")]
    [True, True, True, True, False, False, False]
    """
    core = token.strip(_EDGE_PUNCTUATION)
    if not core or core.lower() in STOP_WORDS:
        return False
    if any(mark in core for mark in ("::", ".", "/", "\\", "_")) and any(map(str.isalnum, core)):
        return True
    if _CASE_CHANGE.search(core):
        return True
    return len(core) >= 2 and core.isalpha() and core.isupper()


def is_path_shaped(token: str) -> bool:
    """Tell whether a word is a path.

    >>> is_path_shaped("internal/mcp"), is_path_shaped("/"), is_path_shaped("a.b")
    (True, False, False)
    """
    return ("/" in token or "\\" in token) and any(map(str.isalnum, token))
