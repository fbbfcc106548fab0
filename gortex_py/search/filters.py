"""Apply a query's filters to a repository's files, before anything is cut."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gortex_py.protocols import FileFacts, StoreReader
from gortex_py.search.globs import path_matcher
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
        is_selected = path_matcher(query.paths)
        allowed &= np.array([is_selected(path) for path in facts.paths], np.bool_)
    if query.kinds:
        allowed &= np.isin(facts.ids, reader.files_with_kinds(query.kinds))
    return allowed
