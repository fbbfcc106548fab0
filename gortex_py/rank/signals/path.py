"""Priors from what kind of file it is; none of them counts where the query asks for that kind."""

from __future__ import annotations

import numpy as np

from gortex_py.rank.evidence import Evidence, Question
from gortex_py.rank.signals.signal import Signal
from gortex_py.types import FileCategory, FloatArray

_ASKS_FOR = {
    FileCategory.TEST: frozenset("test tests testing tested spec specs fixture fixtures mock mocks coverage".split()),
    FileCategory.EXAMPLE: frozenset(
        "example examples sample samples demo demos bench benchmark benchmarks fuzz tutorial tutorials".split()
    ),
    FileCategory.DOCS: frozenset("doc docs documentation readme changelog guide manual".split()),
    FileCategory.CONFIG: frozenset(
        """config configuration ci build script scripts package install release json yaml yml toml makefile dockerfile
        workflow lint dependencies""".split()
    ),
    FileCategory.GENERATED: frozenset("generated protobuf pb grpc".split()),
    FileCategory.VENDORED: frozenset("vendor vendored third_party".split()),
}
# Naming the class takes all of its demotion away, or half where the word is common in plain questions.
_LEFT_WHEN_ASKED = {FileCategory.TEST: 0.5, FileCategory.CONFIG: 0.6}


def asks_for(question_words: frozenset[str], category: FileCategory) -> bool:
    """Tell whether a query's words ask for files of a category."""
    return not question_words.isdisjoint(_ASKS_FOR.get(category, frozenset()))


def _prior(category: FileCategory) -> Signal:
    def score(question: Question, evidence: Evidence) -> FloatArray:
        left = _LEFT_WHEN_ASKED.get(category, 0.0) if asks_for(question.all_words, category) else 1.0
        return np.array([left if c == category else 0.0 for c in evidence.categories], np.float32)

    return Signal(category.value, f"The file is of the kind “{category.value}”.", score)


def _programming(_: Question, evidence: Evidence) -> FloatArray:
    return evidence.programming.astype(np.float32)


def _compat(_: Question, evidence: Evidence) -> FloatArray:
    return evidence.is_compat.astype(np.float32)


def _foreign(_: Question, evidence: Evidence) -> FloatArray:
    return evidence.is_foreign.astype(np.float32)


def _depth(_: Question, evidence: Evidence) -> FloatArray:
    return np.array([path.count("/") for path in evidence.paths], np.float32)


def _size(_: Question, evidence: Evidence) -> FloatArray:
    return np.log1p(evidence.lines).astype(np.float32)


PATH_SIGNALS = (
    Signal("programming", "The file is in a programming language.", _programming),
    *(_prior(category) for category in FileCategory if category is not FileCategory.SOURCE),
    Signal("compat", "The file keeps something old working.", _compat),
    Signal("foreign", "The file is for one platform, and the query names none.", _foreign),
    Signal("depth", "Number of directories above the file.", _depth),
    Signal("size", "Logarithm of the file's lines: more of a project happens in its long files.", _size),
)
