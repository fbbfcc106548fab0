"""Apply a query's filters to a repository's files, before anything is cut."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gortex_py.protocols import FileFacts, StoreReader
from gortex_py.source.languages import canonical_language
from gortex_py.types import Corpus, FileCategory, Query


def allowed_rows(query: Query, facts: FileFacts, reader: StoreReader) -> NDArray[np.bool_]:
    """Return (files,) which files of a repository pass a query's filters."""
    allowed = np.ones(len(facts.ids), np.bool_)
    if query.corpus is not Corpus.ALL:
        is_docs = np.array([category == FileCategory.DOCS for category in facts.categories], np.bool_)
        allowed &= is_docs if query.corpus is Corpus.DOCS else ~is_docs
    if query.languages:
        wanted = {canonical_language(language) for language in query.languages}
        allowed &= np.array([language in wanted for language in facts.languages], np.bool_)
    if query.paths:
        pattern = path_pattern(query.paths)
        allowed &= np.array([pattern.match(path) is not None for path in facts.paths], np.bool_)
    if query.kinds:
        allowed &= np.isin(facts.ids, reader.files_with_kinds(query.kinds))
    return allowed


@lru_cache(maxsize=256)
def path_pattern(globs: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern that matches a whole path which any of the globs selects.

    ``*`` and ``?`` stay within a directory, ``**`` crosses them; a glob without a slash applies
    to the name in any directory; a glob that names a directory selects everything below it.

    >>> bool(path_pattern(("src",)).match("src/a/b.py")), bool(path_pattern(("*.py",)).match("src/a.py"))
    (True, True)
    >>> bool(path_pattern(("src/*.py",)).match("src/a/b.py"))
    False
    """
    return re.compile("|".join(f"(?:{_glob_to_pattern(glob)})" for glob in globs))


def _glob_to_pattern(glob: str) -> str:
    glob = glob.replace("\\", "/").removeprefix("./")
    anywhere = "/" not in glob.strip("/")
    parts = []
    for piece in re.split(r"(\*\*/|\*\*|\*|\?)", glob.strip("/")):
        parts.append({"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(piece, re.escape(piece)))
    return ("(?:.*/)?" if anywhere else "") + "".join(parts) + "(?:/.*)?$"
