"""Manifests are read, and their targets mean the files that are on disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gortex_py.errors import UsageError
from gortex_py.evaluation.metrics import Place
from gortex_py.evaluation.tasks import load_manifest


def lay_out(tmp_path: Path, files: list[str], folder: str, /, *targets: Any, **more: Any) -> Path:
    for file in files:
        path = tmp_path / "repos" / "shop" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n", encoding="utf-8")
    entry = {
        "name": "shop",
        "language": "python",
        "root": str(tmp_path / "repos" / "shop" / folder),
        "queries": [{"query": "how to pay", "category": "semantic", "relevant": list(targets), "secondary": []}],
    }
    manifest = tmp_path / "manifest.json"
    manifest.write_text(json.dumps([entry | more]), encoding="utf-8")
    return manifest


def only_target(manifest: Path) -> Place:
    (corpus,) = load_manifest(manifest)
    (target,) = corpus.tasks[0].targets
    return target


def test_a_target_is_relative_to_the_repository_though_the_root_is_a_folder_in_it(tmp_path: Path) -> None:
    manifest = lay_out(tmp_path, ["src/shop/pay.py"], "src/shop", "src/shop/pay.py")
    assert only_target(manifest).path == str(tmp_path / "repos/shop/src/shop/pay.py")


def test_of_two_files_that_could_be_meant_it_is_the_one_relative_to_the_repository(tmp_path: Path) -> None:
    manifest = lay_out(tmp_path, ["shop/pay.py", "shop/shop/pay.py"], "shop", "shop/pay.py")
    assert only_target(manifest).path == str(tmp_path / "repos/shop/shop/pay.py")


def test_a_target_below_the_root_is_found(tmp_path: Path) -> None:
    manifest = lay_out(tmp_path, ["src/pay.py"], "src", "pay.py")
    assert only_target(manifest).path == str(tmp_path / "repos/shop/src/pay.py")


def test_a_target_below_the_root_is_no_ending_of_another_file(tmp_path: Path) -> None:
    files = ["src/pay.py", "src/deep/pay.py", "src/a.py", "src/b.py"]
    (corpus,) = load_manifest(lay_out(tmp_path, files, "src", "src/a.py", "src/b.py", "pay.py"))
    assert corpus.tasks[0].targets[2].path == str(tmp_path / "repos/shop/src/pay.py")
    assert corpus.missing == ()


def test_without_any_target_on_disk_they_are_looked_for_below_the_root(tmp_path: Path) -> None:
    assert only_target(lay_out(tmp_path, ["main.py"], "", "gone.py")).path == str(tmp_path / "repos/shop/gone.py")


def test_a_target_that_is_only_the_end_of_a_path_means_the_one_file_that_ends_so(tmp_path: Path) -> None:
    manifest = lay_out(tmp_path, ["lib/deep/pay.py", "lib/deep/repay.py"], "lib", {"path": "deep/pay.py"})
    assert only_target(manifest).path == str(tmp_path / "repos/shop/lib/deep/pay.py")
    manifest = lay_out(
        tmp_path, ["lib/deep/pay.py", "lib/a/b/cart.py", "lib/grab/cart.py"], "", "lib/deep/pay.py", "b/cart.py"
    )
    (corpus,) = load_manifest(manifest)
    assert corpus.tasks[0].targets[1].path == str(tmp_path / "repos/shop/lib/a/b/cart.py")
    assert corpus.missing == ()


def test_an_ambiguous_or_absent_target_stays_a_target_and_is_named(tmp_path: Path) -> None:
    manifest = lay_out(tmp_path, ["a/x/pay.py", "b/x/pay.py", "main.py"], "", "main.py", "x/pay.py", "gone.py")
    (corpus,) = load_manifest(manifest)
    assert len(corpus.tasks[0].targets) == 3
    assert corpus.missing == ("gone.py", "x/pay.py")


def test_lines_relevance_and_defaults_are_read(tmp_path: Path) -> None:
    manifest = lay_out(tmp_path, ["pay.py"], "", {"path": "pay.py", "start_line": 3, "end_line": 9}, pinned=False)
    (corpus,) = load_manifest(manifest)
    assert (corpus.tasks[0].targets[0].start_line, corpus.tasks[0].targets[0].end_line) == (3, 9)
    assert (corpus.name, corpus.language, corpus.pinned, corpus.revision) == ("shop", "python", False, "")


def test_a_relative_root_is_relative_to_the_manifest(tmp_path: Path) -> None:
    manifest = lay_out(tmp_path, ["pay.py"], "", "pay.py", root="repos/shop")
    assert load_manifest(manifest)[0].root == tmp_path / "repos" / "shop"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "is not JSON"),
        ("{}", "must be a list of at least one corpus"),
        ("[]", "must be a list of at least one corpus"),
        ("[7]", "corpus 1 must be an object"),
        ('[{"root": "."}]', "needs a non-empty text 'name'"),
        ('[{"name": "a", "root": "nowhere"}]', "nowhere does not exist"),
        ('[{"name": "a", "root": ".", "language": "go"}]', "at least one query"),
        ('[{"name": "a", "root": ".", "queries": [3]}]', "query 1 must be an object"),
        ('[{"name": "a", "root": ".", "queries": [{"query": "q", "category": "c"}]}]', "has no target"),
        ('[{"name": "a", "root": ".", "queries": [{"query": "q", "relevant": "x"}]}]', "must be a list of targets"),
        (
            '[{"name": "a", "root": ".", "queries": [{"query": "q", "category": "c", "relevant": '
            '[{"path": "x", "start_line": 9, "end_line": 3}]}]}]',
            "a target is a path, or",
        ),
    ],
)
def test_a_wrong_manifest_is_refused_in_one_sentence(tmp_path: Path, content: str, complaint: str) -> None:
    manifest = tmp_path / "manifest.json"
    manifest.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match="manifest") as refusal:
        load_manifest(manifest)
    assert complaint in refusal.value.message
    assert "\n" not in refusal.value.message


def test_an_absent_manifest_and_a_name_used_twice_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read the manifest"):
        load_manifest(tmp_path / "none.json")
    manifest = lay_out(tmp_path, ["pay.py"], "", "pay.py")
    (entry,) = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps([entry, entry]), encoding="utf-8")
    with pytest.raises(UsageError, match="'shop' more than once"):
        load_manifest(manifest)
