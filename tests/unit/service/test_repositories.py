"""The registry: what may be tracked, under which name, and what survives."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from gortex_py.errors import Conflict, NotFound, UsageError
from gortex_py.service.repositories import MARKER_NAME, REGISTRY_NAME, Registry
from gortex_py.service.tracked import root_trouble


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def registry(tmp_path: Path, home: Path) -> Registry:
    return Registry(tmp_path / "data", home=home)


def folder(parent: Path, *names: str) -> Path:
    made = parent.joinpath(*names)
    made.mkdir(parents=True)
    return made


def test_tracked_repositories_are_there_after_a_restart(registry: Registry, home: Path, tmp_path: Path) -> None:
    added, is_new = registry.add(str(folder(home, "flask")))
    assert is_new and added.name == "flask"
    assert [known.path for known in Registry(tmp_path / "data", home=home)] == [str(home / "flask")]


def test_the_same_place_twice_is_one_repository(registry: Registry, home: Path) -> None:
    first, _ = registry.add(str(folder(home, "flask")))
    (home / "link").symlink_to(home / "flask")
    again, is_new = registry.add(str(home / "link"), "other")
    assert (again, is_new) == (first, False)


def test_names_are_unique(registry: Registry, home: Path) -> None:
    names = [registry.add(str(folder(home, parent, "api")))[0].name for parent in ("one", "two", "three/two")]
    assert names == ["api", "api-two", "api-2"]
    with pytest.raises(Conflict, match="belongs to"):
        registry.add(str(folder(home, "new")), "api")


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/", "whole file system"),
        ("{home}", "home folder"),
        ("{home}/..", "home folder"),
        ("{home}/missing", "no folder"),
        ("{home}/file.txt", "not a folder"),
        ("relative/path", "absolute"),
        ("~/x", "absolute"),
        ("", "absolute"),
        ("/a\0b", "NUL"),
        ("/" + "x" * 5000, "cannot be followed"),
    ],
)
def test_what_is_no_repository_is_refused_in_one_sentence(registry: Registry, home: Path, path: str, says: str) -> None:
    (home / "file.txt").write_text("x")
    with pytest.raises(UsageError, match=says) as caught:
        registry.add(path.format(home=home))
    assert caught.value.code == "bad-path"
    assert list(registry) == []


def test_the_data_folder_is_not_indexed(registry: Registry, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="keeps its indexes"):
        registry.add(str(folder(tmp_path, "data", "repos", "x")))


@pytest.mark.parametrize("name", ["", "a/b", ".", "..", "x" * 101, "a\nb", "a\0", "\ud800"])
def test_bad_names_are_refused(registry: Registry, home: Path, name: str) -> None:
    with pytest.raises(UsageError, match="printable"):
        registry.add(str(folder(home, "flask")), name)


def test_folder_that_is_not_utf8_gets_a_printable_name(registry: Registry, home: Path) -> None:
    root = folder(home, os.fsdecode(b"caf\xe9"))
    added, _ = registry.add(str(root))
    assert added.name == "caf_"
    assert next(iter(registry)).path == str(root)


def test_unknown_name_lists_the_known(registry: Registry, home: Path) -> None:
    registry.add(str(folder(home, "flask")))
    with pytest.raises(NotFound, match="tracked are: flask"):
        registry.remove("flsk")


@pytest.mark.parametrize("damage", ["{", "[]", '{"repositories": [{"nam": 1}]}', None])
def test_list_that_is_lost_is_found_again_by_the_indexes(
    registry: Registry, home: Path, tmp_path: Path, damage: str | None
) -> None:
    added, _ = registry.add(str(folder(home, "flask")))
    registry.write_marker(added, registry.marker(added))
    path = tmp_path / "data" / REGISTRY_NAME
    if damage is None:
        path.unlink()
    else:
        path.write_text(damage)
    again = Registry(tmp_path / "data", home=home)
    assert [known.name for known in again] == ["flask"]
    assert len(again.problems) == 1
    assert again.delete_orphans() == []


def test_orphaned_index_is_deleted_but_no_other(registry: Registry, home: Path) -> None:
    kept, _ = registry.add(str(folder(home, "kept")))
    gone, _ = registry.add(str(folder(home, "gone")))
    for each in (kept, gone):
        registry.write_marker(each, registry.marker(each))
    registry.remove("gone")
    registry.delete_orphans()
    assert (registry.folder(kept) / MARKER_NAME).exists()
    assert not registry.folder(gone).exists()


def test_root_that_went_away_is_trouble_not_deletion(registry: Registry, home: Path) -> None:
    root = folder(home, "flask")
    added, _ = registry.add(str(root))
    status = root.stat()
    marker = replace(registry.marker(added), complete=True, device=status.st_dev, inode=status.st_ino)
    assert root_trouble(root, marker) is None  # emptied by its owner: still the same folder
    other = replace(marker, inode=marker.inode + 1)
    assert "not mounted" in (root_trouble(root, other) or "")
    (root / "a.py").write_text("x")
    assert root_trouble(root, other) is None  # a fresh clone in its place
    root.joinpath("a.py").unlink()
    root.rmdir()
    assert "no such file" in (root_trouble(root, marker) or "")
