"""Read lists of names, and lists of words by label, from YAML or from one line of text."""

from __future__ import annotations

from gortex_py.settings.schema import WordLists

# Far beyond what anybody writes by hand; a repository's own file is other people's text.
MAX_LABELS = 500
MAX_WORDS = 32  # of one label: all of them stand for each other
MAX_CHARS = 64
MAX_NAMES = 10_000
MAX_NAME_CHARS = 200


def read_word_lists(given: object) -> WordLists | None:
    """Return the lists, None when it is something else or too much. A text is a list of its words.

    >>> read_word_lists({"parcel": ["shipment", "consignment"], "till": "register checkout"})
    {'parcel': ('shipment', 'consignment'), 'till': ('register', 'checkout')}
    """
    if not isinstance(given, dict) or len(given) > MAX_LABELS:
        return None
    lists = {}
    for label, words in given.items():
        listed = words.split() if isinstance(words, str) else words
        if not isinstance(listed, list | tuple) or not 1 <= len(listed) <= MAX_WORDS:
            return None
        if not all(isinstance(word, str) and 0 < len(word.strip()) <= MAX_CHARS for word in (label, *listed)):
            return None
        lists[label] = tuple(listed)
    return lists


def parse_word_lists(text: str) -> object:
    """Read ``label: word word; label: word``; the text itself when it is not of that form."""
    lists = {}
    for entry in filter(str.strip, text.split(";")):
        label, colon, words = entry.partition(":")
        if not colon or not label.strip():
            return text
        lists[label.strip()] = words
    return lists


def read_names(given: object) -> tuple[str, ...] | None:
    """Return a list of names without blank ones, None when it is something else or too much.

    >>> read_names(["github", " ", "slack"]), read_names("github")
    (('github', 'slack'), None)
    """
    if not isinstance(given, list | tuple) or len(given) > MAX_NAMES:
        return None
    if not all(isinstance(name, str) and len(name) <= MAX_NAME_CHARS for name in given):
        return None
    return tuple(name.strip() for name in given if name.strip())
