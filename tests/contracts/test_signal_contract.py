"""Every signal: one finite number a candidate, zero without facts, whatever the candidates' order."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gortex_py.rank.evidence import Definition, Evidence
from gortex_py.rank.profiles import CODE, PROSE
from gortex_py.rank.signals import SIGNALS, Signal
from gortex_py.types import FIELD_COUNT, FileCategory, SymbolKind
from tests.builders import make_evidence, make_question

EVERY_SIGNAL = pytest.mark.parametrize("signal", SIGNALS, ids=lambda signal: signal.name)


def random_evidence(seed: int, n: int, groups: int) -> Evidence:
    """Return evidence in which every fact is there, in the ranges its fields promise."""
    random = np.random.default_rng(seed)
    sizes = random.integers(0, 4, n)
    m = int(sizes.sum())
    owners = np.repeat(np.arange(n), sizes)
    mass = random.uniform(0, 9, n).astype(np.float32)
    definitions = tuple(
        Definition(
            file=int(owners[unit]),
            unit=unit,
            kind=list(SymbolKind)[int(random.integers(len(SymbolKind)))],
            word=int(random.integers(-1, groups)),
            is_identifier=bool(random.integers(2)),
            is_capitalised=bool(random.integers(2)),
            same_case=bool(random.integers(2)),
            files=int(random.integers(1, 9)),
            certainty=float(random.random()),
            symbol=0,
        )
        for unit in range(m)
    )
    return make_evidence(
        [f"{'a/' * int(random.integers(4))}file{i}.py" for i in range(n)],
        groups=groups,
        units=sizes.tolist(),
        categories=tuple(str(random.choice([c.value for c in FileCategory])) for _ in range(n)),
        lines=random.integers(0, 5_000, n),
        file_match=random.random((groups, n, FIELD_COUNT), np.float32),
        unit_match=random.random((groups, m, FIELD_COUNT), np.float32),
        unit_cover=random.random((groups, m), np.float32),
        stem_cover=random.random((groups, n), np.float32),
        dir_cover=random.random((groups, n), np.float32),
        dirs_cover=random.random((groups, n), np.float32),
        stem_mass=mass,
        stem_hit_mass=mass * random.random(n, np.float32),
        stem_equal=random.random(n, np.float32),
        pair_match=random.random((max(0, groups - 1), n), np.float32),
        line_match=random.random((max(0, groups - 1), n), np.float32),
        window_share=random.random(n, np.float32),
        definitions=definitions,
        name_match=random.random(n, np.float32),
        path_match=random.random(n, np.float32),
        unit_cosine=random.uniform(-1, 1, m).astype(np.float32),
        is_compat=random.random(n) < 0.5,
        is_foreign=random.random(n) < 0.5,
        programming=random.random(n) < 0.5,
        learned=random.random(n, np.float32),
    )


def permuted(evidence: Evidence, order: list[int]) -> Evidence:
    """Return the same evidence with the candidates in another order."""
    units = [unit for i in order for unit in np.flatnonzero(evidence.unit_file == i).tolist()]
    new_unit = {unit: i for i, unit in enumerate(units)}
    new_file = {file: i for i, file in enumerate(order)}
    changed = {
        "unit_file": np.array([new_file[int(evidence.unit_file[u])] for u in units], np.int64),
        "definitions": tuple(
            replace(d, file=new_file[d.file], unit=new_unit[d.unit]) for d in reversed(evidence.definitions)
        ),
    }
    for name in ("paths", "languages", "categories"):
        changed[name] = tuple(getattr(evidence, name)[i] for i in order)
    for name in ("file_match", "stem_cover", "dir_cover", "dirs_cover", "pair_match", "line_match"):
        changed[name] = getattr(evidence, name)[:, order]
    for name in ("unit_match", "unit_cover"):
        changed[name] = getattr(evidence, name)[:, units]
    per_file = ("lines", "stem_mass", "stem_hit_mass", "stem_equal", "name_match", "path_match", "window_share")
    for name in (*per_file, "is_compat", "is_foreign", "programming", "learned"):
        changed[name] = getattr(evidence, name)[order]
    changed["unit_cosine"] = evidence.unit_cosine[units]
    return replace(evidence, **changed)


def test_names_are_unique_and_profiles_weigh_only_what_exists() -> None:
    names = [signal.name for signal in SIGNALS]
    assert len(set(names)) == len(names)
    assert set(CODE) | set(PROSE) <= set(names)
    assert all(re.fullmatch("[a-z][a-z0-9_]*", name) for name in names)


@EVERY_SIGNAL
def test_a_signal_explains_itself_in_one_sentence(signal: Signal) -> None:
    assert re.fullmatch(r"[A-Z].*[^.]\.", signal.help)


@EVERY_SIGNAL
def test_a_signal_without_its_facts_gives_zeros(signal: Signal) -> None:
    evidence = make_evidence(["a.py", "b.py"], groups=2)
    np.testing.assert_array_equal(signal.score(make_question(), evidence), np.zeros(2))
    for empty in (make_evidence([], groups=2), make_evidence([], groups=0, pairs=0)):
        assert signal.score(make_question(["x"] * empty.file_match.shape[0]), empty).shape == (0,)


@EVERY_SIGNAL
def test_a_query_without_known_words_divides_nothing_by_zero(signal: Signal) -> None:
    evidence = random_evidence(3, 5, 2)
    values = signal.score(make_question(idf=[0.0, 0.0]), evidence)
    assert np.isfinite(values).all()


@EVERY_SIGNAL
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(1, 8), groups=st.integers(1, 4), data=st.data())
def test_a_signal_gives_one_finite_number_a_candidate_in_any_order(
    signal: Signal, seed: int, n: int, groups: int, data: st.DataObject
) -> None:
    evidence = random_evidence(seed, n, groups)
    question = make_question([f"t{i}" for i in range(groups)], idf=[0.5 + i for i in range(groups)])
    values = signal.score(question, evidence)
    assert values.shape == (n,)
    assert values.dtype == np.float32
    assert np.isfinite(values).all()
    assert (values >= 0).all()
    order = data.draw(st.permutations(range(n)))
    np.testing.assert_allclose(signal.score(question, permuted(evidence, order)), values[order], rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(signal.score(question, evidence), values)  # it keeps no state
