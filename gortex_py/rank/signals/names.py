"""Signals from names: of the file, of its directories, of what it defines."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from gortex_py.rank.evidence import Definition, Evidence, Question
from gortex_py.rank.signals.path import asks_for
from gortex_py.rank.signals.signal import Signal
from gortex_py.types import Field, FileCategory, FloatArray, SymbolKind

# How much a definition of this kind is *the* definition of its name.
KIND_STRENGTH: Mapping[SymbolKind, float] = MappingProxyType(
    {
        SymbolKind.CLASS: 1.0,
        SymbolKind.STRUCT: 1.0,
        SymbolKind.INTERFACE: 1.0,
        SymbolKind.TRAIT: 1.0,
        SymbolKind.ENUM: 1.0,
        SymbolKind.TYPE: 1.0,
        SymbolKind.TABLE: 1.0,
        SymbolKind.FUNCTION: 0.85,
        SymbolKind.METHOD: 0.85,
        SymbolKind.MACRO: 0.85,
        # Its class is the answer, and has the same name.
        SymbolKind.CONSTRUCTOR: 0.6,
        SymbolKind.PROTOTYPE: 0.6,
        SymbolKind.CONSTANT: 0.55,
        SymbolKind.VARIABLE: 0.55,
        SymbolKind.PROPERTY: 0.55,
        SymbolKind.FIELD: 0.55,
        SymbolKind.MODULE: 0.5,
        SymbolKind.NAMESPACE: 0.5,
        SymbolKind.DOC: 0.5,
        SymbolKind.KEY: 0.4,
        SymbolKind.RULE: 0.4,
        SymbolKind.ELEMENT: 0.4,
    }
)
OTHER_CASE = 0.6
# Files in which a name is seldom the one that is meant, where another file has it too.
SECOND_HAND = (FileCategory.TEST, FileCategory.EXAMPLE, FileCategory.GENERATED, FileCategory.VENDORED)
# More than file names, directories and priors together can make good, less than the next degree of exactness.
BESIDE_THE_REAL_ONE = 0.8
# A capital may only begin a sentence.
CAPITALISED_WORD = 0.5
# A rarer word is likelier meant as the name that it is; idf from which that is certain.
CERTAIN_IDF = 4.0


def identifier_strength(definition: Definition, question: Question) -> float:
    """Return how strongly an identifier in the query points at a definition, in [0, 1]."""
    if not definition.is_identifier:
        return 0.0
    strength = KIND_STRENGTH[definition.kind] * (1.0 if definition.same_case else OTHER_CASE)
    if definition.is_capitalised and len(question.words) > 1:
        strength *= CAPITALISED_WORD
    if len(question.words) > 1:
        strength *= 0.3 + 0.7 / np.sqrt(definition.files)
    return float(strength)


def word_strength(definition: Definition, question: Question) -> float:
    """Return how strongly any word of the query points at a definition, in [0, 1]."""
    if definition.word < 0:
        return 0.0
    strength = KIND_STRENGTH[definition.kind] * (1.0 if definition.same_case else OTHER_CASE)
    idf = max((group.idf for group in question.groups if group.word == definition.word), default=0.0)
    return float(strength / np.sqrt(definition.files) * min(1.0, idf / CERTAIN_IDF))


def _stem_precision(_: Question, evidence: Evidence) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        share = evidence.stem_hit_mass / evidence.stem_mass
    return np.where(evidence.stem_mass > 0, share, 0).astype(np.float32)


def _stem_recall(question: Question, evidence: Evidence) -> FloatArray:
    recall: FloatArray = np.minimum(1, evidence.stem_hit_mass / max(question.mass, 1e-9)).astype(np.float32)
    return recall


def _stem_f1(question: Question, evidence: Evidence) -> FloatArray:
    precision, recall = _stem_precision(question, evidence), _stem_recall(question, evidence)
    total = precision + recall
    return np.where(total > 0, 2 * precision * recall / np.maximum(total, 1e-9), 0).astype(np.float32)


def _stem_equal(_: Question, evidence: Evidence) -> FloatArray:
    return evidence.stem_equal


def _directory(question: Question, evidence: Evidence) -> FloatArray:
    return question.mass_share(evidence.dir_cover)


def _path_and_names(question: Question, evidence: Evidence) -> FloatArray:
    named = (evidence.file_match[:, :, Field.NAME] > 0).astype(np.float32)
    return question.mass_share(np.maximum.reduce([evidence.stem_cover, evidence.dirs_cover, named]))


def _defined_identifier(question: Question, evidence: Evidence) -> FloatArray:
    return _best_definition(evidence, [identifier_strength(d, question) for d in evidence.definitions])


def _defined_word(question: Question, evidence: Evidence) -> FloatArray:
    return _best_definition(evidence, [word_strength(d, question) for d in evidence.definitions])


def _best_definition(evidence: Evidence, strengths: list[float]) -> FloatArray:
    best = np.zeros(evidence.count, np.float32)
    for definition, strength in zip(evidence.definitions, strengths, strict=True):
        best[definition.file] = max(best[definition.file], strength)
    return best


def exact_name(question: Question, evidence: Evidence) -> FloatArray:
    """Return how exactly the whole query is a name in each file, in [0, 1].

    Copies, tests of a name and mere declarations come after the real definition, whatever their file is called.
    """
    match = evidence.name_match
    second = _second_hand(question, evidence)
    best = match[~second].max(initial=0.0)
    return np.where(second & (match <= best), match * BESIDE_THE_REAL_ONE, match).astype(np.float32)


def _second_hand(question: Question, evidence: Evidence) -> NDArray[np.bool_]:
    """Return (n,) which files hold a name only as a copy, a test or a declaration, and are not asked for."""
    declared = np.zeros(evidence.count, np.bool_)
    defined = np.zeros(evidence.count, np.bool_)
    for definition in evidence.definitions:
        if definition.certainty > 0:
            (declared if definition.kind is SymbolKind.PROTOTYPE else defined)[definition.file] = True
    unasked = {category.value for category in SECOND_HAND if not asks_for(question.all_words, category)}
    return (declared & ~defined) | np.array([category in unasked for category in evidence.categories], np.bool_)


def _exact_path(_: Question, evidence: Evidence) -> FloatArray:
    return evidence.path_match


NAME_SIGNALS = (
    Signal("exact_name", "The whole query is the name of a symbol that the file defines.", exact_name),
    Signal("exact_path", "The whole query is the file's path, or its end.", _exact_path),
    Signal("stem_f1", "The words of the file's name and of the query cover each other.", _stem_f1),
    Signal("stem_precision", "The query says all the words of the file's name.", _stem_precision),
    Signal("stem_equal", "Consecutive words of the query spell the file's name.", _stem_equal),
    Signal("directory", "The file's own directory is named by the query.", _directory),
    Signal("path_and_names", "The query's words occur in the path or in names defined in the file.", _path_and_names),
    Signal("defined_identifier", "An identifier in the query is defined in the file.", _defined_identifier),
    Signal("defined_word", "A word of the query is the name of something defined in the file.", _defined_word),
)
