"""Split text into index terms: the one splitter, used when writing and when asking.

An identifier gives its parts, stemmed, and itself squashed:

>>> identifier_terms("parseHTTPRequests")
('pars', 'http', 'request', 'parsehttprequests')
>>> identifier_terms("retry_count")
('retri', 'count', 'retrycount')
>>> identifier_terms("Café")
('cafe',)

Text in scripts that are written without spaces gives single characters and pairs, so that a
part of a run is found:

>>> identifier_terms("用户登录")
('用', '用户', '户', '户登', '登', '登录', '录')
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from hashlib import blake2b

from Stemmer import Stemmer

# `$` belongs to names in JavaScript, PHP and shells; it is dropped by the splitter again.
WORD = re.compile(r"[\w$]+")

# Order matters: an acronym before a capitalised word, a capitalised or lower word, digits.
_ASCII_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PARTS = re.compile(r"[^\W\d_]+|\d+")
_UNSPACED = re.compile(
    "[\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003ffff]+"
)
MAX_TERM_CHARS = 64  # a longer "word" is data (base64, a hash), kept by its head so that it is findable

_stem: Callable[[str], str] = Stemmer("english", 50_000).stemWord
_cache: dict[str, tuple[str, ...]] = {}
# Distinct identifiers of a large repository fit; the bound keeps a daemon's memory flat.
_CACHE_ENTRIES = 200_000
_MAX_CACHED_CHARS = 256  # a page of unspaced script is one word, and does not come back


def words(text: str) -> list[str]:
    """Return the identifiers and words of a text, in order, as written."""
    return WORD.findall(text)


def identifier_terms(word: str) -> tuple[str, ...]:
    """Return the index terms of one word: stemmed parts, then the squashed whole if it has several."""
    cached = _cache.get(word)
    if cached is None:
        if len(word) > _MAX_CACHED_CHARS:
            return _split(word)
        if len(_cache) >= _CACHE_ENTRIES:
            _cache.clear()
        cached = _cache[word] = _split(word)
    return cached


def text_terms(text: str) -> list[str]:
    """Return the index terms of a text, in order."""
    return [term for word in WORD.findall(text) for term in identifier_terms(word)]


def identifier_parts(word: str) -> list[str]:
    """Return the folded, unstemmed parts of one word.

    >>> identifier_parts("HTTPServer2")
    ['http', 'server', '2']
    """
    if word.isascii():
        return [part.lower() for part in _ASCII_PARTS.findall(word)]
    return _unicode_parts(word)


def squash(word: str) -> str:
    """Return a name without case, separators or marks, to compare spellings of one name.

    >>> squash("Parse_Config") == squash("parseConfig") == squash("parse-config")
    True
    """
    return "".join(part for piece in WORD.findall(word) for part in identifier_parts(piece))


def is_unspaced(word: str) -> bool:
    """Tell whether a word holds script that is written without spaces, so that it may be a page of them."""
    return not word.isascii() and _UNSPACED.search(word) is not None


def stem(word: str) -> str:
    """Return the Snowball English stem of a folded word."""
    return _stem(word)


def term_key(term: str) -> int:
    """Return a 64-bit number that stands for a term in the per-file term tables."""
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "little")


def _split(word: str) -> tuple[str, ...]:
    if is_unspaced(word):
        return tuple(_unspaced_terms(word))
    if len(word) > MAX_TERM_CHARS * 4:
        word = word[: MAX_TERM_CHARS * 4]
    parts = identifier_parts(word)
    terms = [_stem(part[:MAX_TERM_CHARS]) for part in parts]
    if len(parts) > 1:
        terms.append("".join(parts)[:MAX_TERM_CHARS])
    return tuple(terms)


def _unicode_parts(word: str) -> list[str]:
    """Split a word with letters outside ASCII at case changes, digits and underscores."""
    marked = []
    previous = ""
    for c in unicodedata.normalize("NFKD", word):
        if unicodedata.combining(c):
            continue
        if previous and c.isupper() and previous.islower():
            marked.append("_")
        marked.append(c)
        previous = c
    return [part.casefold() for part in _PARTS.findall("".join(marked).replace("_", " "))]


def _unspaced_terms(word: str) -> list[str]:
    terms: list[str] = []
    end = 0
    for run in _UNSPACED.finditer(word):
        if run.start() > end:
            terms.extend(_split(word[end : run.start()]))
        text = unicodedata.normalize("NFKC", run.group())
        for i, c in enumerate(text):
            terms.append(c)
            if i + 1 < len(text):
                terms.append(text[i : i + 2])
        end = run.end()
    if end < len(word):
        terms.extend(_split(word[end:]))
    return terms
