"""The space is fitted when enough has changed; files find their place in it with every pass."""

from __future__ import annotations

import logging
from dataclasses import replace

import numpy as np
import pytest

from gortex_py.index.indexer import Indexer
from gortex_py.index.latent import LATENT_FILES, LATENT_SPACE, is_due, latent_enrichers
from gortex_py.latent.files import FileVectors, decode_files
from gortex_py.protocols import Enrichment
from tests.unit.index.conftest import Repo

WORDS = ("boat sail wind", "harbour sail wind", "invoice tax ledger", "receipt tax ledger")


def write(repo: Repo, count: int = 12, *, backwards: bool = False) -> None:
    for i in sorted(range(count), reverse=backwards):
        one, two, three = WORDS[i % len(WORDS)].split()
        repo.write(f"m{i}.py", f"def {one}_{i}({two}):\n    return {three}({two})\n")


def stored(repo: Repo, name: str) -> Enrichment:
    found = repo.reader().enrichment(name)
    assert found is not None
    return found


def vectors(repo: Repo) -> FileVectors:
    found = decode_files(stored(repo, LATENT_FILES).data)
    assert found is not None
    return found


def run(repo: Repo, changed: list[str] | None = None) -> None:
    Indexer(repo.root, repo.store, repo.embedder, pool=repo.pool, enrichers=latent_enrichers()).run(changed)


def test_every_file_has_a_place_after_the_first_pass(repo: Repo) -> None:
    write(repo, 8)
    run(repo)
    places = vectors(repo).of([f"m{i}.py" for i in range(8)])
    assert places[0] @ places[1] > 0.5 > places[0] @ places[2]


def test_the_order_of_indexing_does_not_show(repo: Repo) -> None:
    write(repo)
    run(repo, [f"m{i}.py" for i in (7, 3)])
    run(repo)
    by_hand = stored(repo, LATENT_SPACE).data, stored(repo, LATENT_FILES).data
    repo.close()
    for file in repo.folder.iterdir():
        file.unlink()
    run(repo)
    assert by_hand == (stored(repo, LATENT_SPACE).data, stored(repo, LATENT_FILES).data)


def test_an_edit_moves_its_file_and_nothing_else(repo: Repo) -> None:
    write(repo, 40)
    run(repo)
    space, before = stored(repo, LATENT_SPACE).data, vectors(repo)
    repo.write("m0.py", "def receipt(tax):\n    return ledger(tax)\n")
    run(repo, ["m0.py"])
    assert stored(repo, LATENT_SPACE).data == space
    after = vectors(repo)
    moved, other = ["m0.py"], [f"m{i}.py" for i in range(1, 40)]
    assert np.array_equal(after.of(other), before.of(other))
    assert (after.of(moved) @ after.of(["m3.py"])[0]).item() > 0.5 > (before.of(moved) @ before.of(["m3.py"])[0]).item()
    repo.delete("m1.py")
    run(repo, ["m1.py"])
    assert not vectors(repo).of(["m1.py"]).any()


def test_nothing_is_written_while_nothing_changes(repo: Repo) -> None:
    write(repo)
    run(repo)
    generation = repo.reader().generation
    run(repo)
    assert repo.reader().generation == generation


def test_a_new_space_moves_all_files(repo: Repo) -> None:
    write(repo)
    run(repo)
    space = vectors(repo).space
    for i in range(4):
        repo.write(f"m{i}.py", f"def rocket_{i}(orbit):\n    return moon(orbit)\n")
    run(repo)
    assert vectors(repo).space != space
    places = vectors(repo).of(["m0.py", "m1.py"])
    assert places[0] @ places[1] > 0.5


@pytest.mark.parametrize("name", [LATENT_SPACE, LATENT_FILES])
def test_damaged_facts_are_made_anew_and_said_so(repo: Repo, name: str, caplog: pytest.LogCaptureFixture) -> None:
    write(repo)
    run(repo)
    whole = stored(repo, name)
    with repo.store.writer().batch():
        repo.store.writer().put_enrichment(name, replace(whole, data=whole.data[:-3]))
    with caplog.at_level(logging.WARNING):
        run(repo)
    assert "damaged" in caplog.text
    assert stored(repo, name).data == whole.data


def test_a_handful_of_files_has_no_space(repo: Repo) -> None:
    write(repo, 4)
    run(repo)
    assert vectors(repo).of(["m0.py"]).shape == (1, 0)


@pytest.mark.parametrize(
    ("behind", "files", "thorough", "due"),
    [
        (0, 100, True, False),
        (2, 100, True, False),
        (3, 100, True, True),
        (3, 100, False, False),
        (9, 100, False, False),
        (10, 100, False, True),
        (63, 2000, False, False),
        (64, 2000, False, True),
        (64, 100_000, False, False),
        (1_000, 100_000, False, True),
        (1, 0, False, True),
    ],
)
def test_a_space_is_fitted_anew_when_enough_has_changed(behind: int, files: int, thorough: bool, due: bool) -> None:
    assert is_due(behind, files, thorough=thorough) is due
