"""What of a query is remembered: the query as a whole, and the words that make it up."""

from __future__ import annotations

from dataclasses import dataclass

from gortex_py.text.stopwords import STOP_WORDS
from gortex_py.text.tokens import identifier_parts, stem, words

MAX_WHOLE_CHARS = 500  # longer text is pasted; its head tells it apart
MAX_WORDS = 64
MAX_KEYWORDS = 16
MIN_CHARS = 3

# Said of so much code that having been asked with one of them says nothing of the next question.
_GENERIC = frozenset(
    stem(word)
    for word in """
    api app arg array base call class code config constant data default field file find func function get handler
    helper implement input instance interface item key kind line list main manager method module name new number
    object option output param project property result return run service set string struct system test text type
    util utility value variable
    """.split()
)


@dataclass(frozen=True, slots=True)
class QueryKeys:
    """The keys under which a query's selections are kept."""

    whole: str  # folded, white space collapsed
    keywords: tuple[str, ...]  # stems, in the order of the query


def query_keys(text: str) -> QueryKeys:
    """Return the keys of a query.

    >>> query_keys("How is  retryBackoff handled in the client?")
    QueryKeys(whole='how is retrybackoff handled in the client?', keywords=('retri', 'backoff', 'handl'))
    """
    found: dict[str, None] = {}
    for word in words(text)[:MAX_WORDS]:
        for part in identifier_parts(word):
            key = stem(part)
            if len(part) >= MIN_CHARS and part not in STOP_WORDS and key not in _GENERIC:
                found.setdefault(key)
    whole = " ".join(text.encode("utf-8", "replace").decode().lower().split())[:MAX_WHOLE_CHARS].rstrip()
    return QueryKeys(whole, tuple(found)[:MAX_KEYWORDS])
