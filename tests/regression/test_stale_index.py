"""The index follows the files: every channel, every change, nothing left behind."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from gortex_py.embed.choose import EmbedOptions, choose_embedder
from gortex_py.embed.variants import VARIANTS
from gortex_py.errors import GortexError
from gortex_py.settings.paths import bundled
from gortex_py.types import Corpus, Query
from tests.regression.conftest import Indexed, Make
from tests.regression.test_ignore_rules import git
from tests.regression.test_links import Swapping

CART = 'def add_to_cart(item):\n    """Put goods into the basket."""\n    return item\n'
LOGIN = 'def sign_in(user):\n    """Check the password of somebody who wants in."""\n    return user\n'


def by_name(repo: Indexed, name: str) -> list[str]:
    return [repo.reader.file_facts().paths[_row(repo, named.file_id)] for named in repo.reader.symbols_named([name])]


def by_text(repo: Indexed, term: str) -> list[str]:
    ids, _ = repo.reader.search_files([term], {"body": 1.0, "doc": 1.0, "name": 1.0})
    return sorted(repo.reader.file_facts().paths[_row(repo, int(file_id))] for file_id in ids)


def by_vector(repo: Indexed, text: str) -> list[str]:
    vector = repo.shop.embedder.embed([text])[0]
    ids, _, _ = repo.reader.search_vectors(vector, Corpus.ALL, 100)
    return sorted({repo.reader.file_facts().paths[_row(repo, int(file_id))] for file_id in ids})


def _row(repo: Indexed, file_id: int) -> int:
    return int(repo.reader.file_facts().ids.searchsorted(file_id))


def test_every_channel_sees_each_change(repo: Indexed) -> None:
    """One channel was built at the first question and never again."""
    repo.write({"cart.py": CART})
    assert repo.first("add_to_cart").path == "cart.py"
    repo.write({"login.py": LOGIN})
    assert (by_name(repo, "sign_in"), by_text(repo, "password")) == (["login.py"], ["login.py"])
    assert "login.py" in by_vector(repo, "password user")
    repo.write({"cart.py": CART.replace("add_to_cart", "fill_trolley").replace("basket", "trolley")})
    assert (by_name(repo, "add_to_cart"), by_name(repo, "fill_trolley")) == ([], ["cart.py"])
    assert (by_text(repo, "basket"), by_text(repo, "trolley")) == ([], ["cart.py"])
    (repo.root / "login.py").unlink()
    repo.index()
    assert by_name(repo, "sign_in") == by_text(repo, "password") == []
    assert by_vector(repo, "password user") == ["cart.py"]
    assert repo.first("fill_trolley").snippet.startswith("def fill_trolley")


def test_a_filter_never_changes_what_there_is(repo: Indexed) -> None:
    """The first question's filter used to be baked into the index."""
    repo.write({"cart.py": CART, "notes.md": "# Notes\n\nadd_to_cart is called by the till.\n"})
    only = repo.engine.search(Query("add_to_cart", paths=("*.md",), corpus=repo.ask("x").query.corpus))
    assert [hit.path for hit in only.hits] == ["notes.md"]
    assert repo.hits("add_to_cart")[0] == "cart.py"
    assert set(repo.hits("add_to_cart")) == {"cart.py", "notes.md"}


def branches(repo: Indexed, files: int) -> None:
    git(repo.root, "init")
    common = {f"same/mod{i}.py": f"def same_{i}(a):\n    return a + {i}\n" for i in range(files // 4)}
    repo.write(common, index=False)
    for branch, step in (("one", 1), ("two", 7)):
        git(repo.root, "checkout", "-q", "-b", branch, *(["one"] if step > 1 else []))
        for i in range(files):
            where = f"pkg{i % 9}/{'both' if i % 3 else branch}{i}.py"
            text = f"class Thing{i * step}:\n    def act_{branch}_{i}(self, item):\n        return item{i % 11} * {i}\n"
            repo.write({where: text}, index=False)
            if i % 3 == 0 and step > 1:
                (repo.root / f"pkg{i % 9}/one{i}.py").unlink()
        git(repo.root, "add", "-A")
        git(repo.root, "commit", "-q", "-m", branch)


@pytest.mark.parametrize(("files", "rounds"), [(60, 2), pytest.param(300, 5, marks=pytest.mark.soak)])
def test_branches_back_and_forth_leave_nothing_behind(make: Make, files: int, rounds: int) -> None:
    """Deletions that were lost or done one by one: after each switch everything equals a fresh index."""
    repo = make()
    branches(repo, files)
    expected = {}
    for branch in ("one", "two"):
        git(repo.root, "checkout", "-q", branch)
        fresh = make(repo.root)
        fresh.index()
        expected[branch] = (fresh.counts(), fresh.paths(), fresh.hits("act item", limit=50))
        assert fresh.counts()["files"] > files
    repo.index()
    for _ in range(rounds):
        for branch in ("one", "two"):
            git(repo.root, "checkout", "-q", branch)
            repo.index()
            assert (repo.counts(), repo.paths(), repo.hits("act item", limit=50)) == expected[branch]


def test_a_file_becomes_a_folder_and_a_file_again(repo: Indexed) -> None:
    repo.write({"thing": "def thing_as_file(): pass\n", "plain.py": CART})
    fresh = repo.counts()
    for changed in (None, ["thing"]):
        (repo.root / "thing").unlink()
        repo.write({"thing/inner.py": "def thing_inside(): pass\n"}, index=False)
        repo.index(changed)
        assert repo.paths() == ["plain.py", "thing/inner.py"]
        assert repo.first("thing_inside").path == "thing/inner.py"
        shutil.rmtree(repo.root / "thing")
        repo.write({"thing": "def thing_as_file(): pass\n"}, index=False)
        repo.index(changed)
        assert repo.paths() == ["plain.py", "thing"]
        assert repo.counts() == fresh


@pytest.mark.parametrize("shift_s", [-(10**9), -3600, 3600, 10**9])
def test_a_clock_that_was_set_hides_no_edit(repo: Indexed, shift_s: int) -> None:
    """Time stamps in the past or the future, of the same size as before: the content decides."""
    repo.write({"a.py": "def name_aaa(): pass\n"}, index=False)
    path = repo.root / "a.py"
    now = path.stat().st_mtime
    os.utime(path, (now + shift_s, now + shift_s))
    repo.index()
    path.write_text("def name_bbb(): pass\n")
    os.utime(path, (now + shift_s - 5, now + shift_s - 5))
    repo.index()
    assert by_name(repo, "name_bbb") == ["a.py"]
    path.write_text("def name_ccc(): pass\n")
    os.utime(path, (now + shift_s - 5, now + shift_s - 5))
    repo.index(["a.py"])
    assert by_name(repo, "name_ccc") == ["a.py"]


def test_a_root_that_vanishes_during_a_pass_keeps_its_index(repo: Indexed, tmp_path: Path) -> None:
    """A mount that drops between the walk and the read says nothing about the files that were on it."""
    repo.write({f"m{i}.py": f"def kept_{i}(): pass\n" for i in range(30)})
    before = repo.counts()
    for i in range(30):
        (repo.root / f"m{i}.py").write_text(f"def newer_{i}(): pass\n")
    repo.pool = Swapping(repo.shop.pool, lambda: repo.root.rename(tmp_path / "away"))
    with pytest.raises(GortexError, match="repo0"):
        repo.index()
    assert repo.counts() == before
    assert repo.first("kept_7").path == "m7.py"
    (tmp_path / "away").rename(repo.root)
    repo.pool = None
    repo.index()
    assert repo.first("newer_7").path == "m7.py" and by_name(repo, "kept_7") == []


def test_a_pass_that_fails_midway_keeps_what_was_found(repo: Indexed) -> None:
    """An index that could not be finished used to be taken for an empty one, and forced again for ever."""
    repo.write({f"m{i}.py": f"def kept_{i}(): pass\n" for i in range(10)})
    before = repo.counts()
    repo.write({f"n{i}.py": f"def added_{i}(): pass\n" for i in range(10)}, index=False)

    def fail() -> None:
        raise GortexError("the power went")

    repo.pool = Swapping(repo.shop.pool, fail)
    with pytest.raises(GortexError, match="power"):
        repo.index()
    assert repo.counts() == before and repo.first("kept_3").path == "m3.py"
    repo.pool = None
    assert repo.index().added == 10


def test_another_variant_embeds_again_and_keeps_the_text(repo: Indexed) -> None:
    repo.write({"cart.py": CART, "login.py": LOGIN})
    for variant in reversed(VARIANTS):
        other = choose_embedder(EmbedOptions(variant=variant), bundled("embeddings")).embedder
        assert other is not None
        repo.shop = replace(repo.shop, embedder=other)
        repo.reopen()
        assert by_text(repo, "password") == ["login.py"]
        assert by_vector(repo, "password user") == []
        report = repo.index()
        assert (report.added, report.changed, report.unchanged) == (0, 0, 2)
        assert report.embedded > 0
        assert "login.py" in by_vector(repo, "password user")
