"""What a file is for: source, test, example, generated, vendored, docs or config.

Only the path below the root counts, and the first lines where a generator signs its output. When
several would fit, the order is vendored, generated, sectioned prose, test, example, docs, config.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from gortex_py.source.category_rules import (
    GENERATED_HEADERS,
    PAGE_LANGUAGES,
    PROSE_LANGUAGES,
    RULES,
    FileRule,
    FolderRule,
    Rule,
)
from gortex_py.source.languages import is_programming
from gortex_py.types import FileCategory

HEADER_LINES = 20
_HEADER_LINE_CHARS = 400
_COMMENT = re.compile(r"""\s*(?://|/?\*|#|--|;|%|<!--|\{-|\(\*|'|"{3}|rem\b)""", re.IGNORECASE)


def category_of(path: str, language: str | None, head: str = "", *, rules: Sequence[Rule] = RULES) -> FileCategory:
    """Return a file's category; ``path`` is relative to the root.

    >>> category_of("src/Contest.kt", "kotlin").value, category_of("src/FooTest.kt", "kotlin").value
    ('source', 'test')
    """
    classes = _classes(path, language, tuple(rules))
    if FileCategory.VENDORED in classes:
        return FileCategory.VENDORED
    if FileCategory.GENERATED in classes or (language not in PROSE_LANGUAGES and has_generated_header(head)):
        return FileCategory.GENERATED
    if language in PROSE_LANGUAGES:
        return FileCategory.DOCS
    for category in (FileCategory.TEST, FileCategory.EXAMPLE):
        if category in classes:
            return category
    if is_programming(language):
        documented = FileCategory.DOCS in _classes(path.partition("/")[0] + "/", language, tuple(rules))
        return FileCategory.EXAMPLE if documented and "/" in path else FileCategory.SOURCE
    if language in PAGE_LANGUAGES or FileCategory.DOCS in classes:
        return FileCategory.DOCS
    return FileCategory.CONFIG


def has_generated_header(head: str, headers: Sequence[tuple[str, str]] = GENERATED_HEADERS) -> bool:
    """Tell whether a comment in the first lines says that a program wrote the file."""
    lines = head.split("\n", HEADER_LINES)[:HEADER_LINES]
    comments = (line[:_HEADER_LINE_CHARS] for line in lines if _COMMENT.match(line))
    marks = _header_regex(tuple(pattern for pattern, _ in headers))
    return any(marks.search(comment) for comment in comments)


@lru_cache(maxsize=64)
def _header_regex(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(patterns) or "(?!)", re.IGNORECASE)


def _classes(path: str, language: str | None, rules: tuple[Rule, ...]) -> set[FileCategory]:
    """Return every category some rule gives the path."""
    *folders, name = path.split("/")
    found: set[FileCategory] = set()
    for at, folder in enumerate(folders):
        below = folders[at + 1] if at + 1 < len(folders) else ""
        found |= {rule.category for rule in _folder_rules(folder, rules) if _applies(rule, language, below)}
    return found | _file_categories(name, rules)


def _applies(rule: FolderRule, language: str | None, below: str) -> bool:
    if rule.category is not FileCategory.VENDORED or not rule.unless:
        return True
    if language == "go":  # go vendors by import path, which starts with a host: vendor/github.com/…
        return "." in below
    return language not in rule.unless.split()


@lru_cache(maxsize=8192)
def _folder_rules(folder: str, rules: tuple[Rule, ...]) -> tuple[FolderRule, ...]:
    return tuple(rule for rule in rules if isinstance(rule, FolderRule) and _fits(rule.pattern, folder))


@lru_cache(maxsize=8192)
def _file_categories(name: str, rules: tuple[Rule, ...]) -> frozenset[FileCategory]:
    return frozenset(rule.category for rule in rules if isinstance(rule, FileRule) and _fits(rule.pattern, name))


def _fits(pattern: str, name: str) -> bool:
    """Match a whole name; a capital in the pattern, outside of ``[A-Z]``, makes it case-sensitive."""
    literal = re.sub(r"\[[^\]]*\]|\\\w", "", pattern)
    return re.fullmatch(pattern, name if literal != literal.lower() else name.lower()) is not None
