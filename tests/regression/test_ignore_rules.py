"""What is left out is what git leaves out, below the folder that was named, and never a surprise."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.regression.conftest import Indexed, Make


def git(root: Path, *words: str) -> str:
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(("git", *identity, *words), cwd=root, env=environ, check=True, capture_output=True)
    return done.stdout.decode()


def unignored(root: Path) -> list[str]:
    """Return what git would list of a tree, tracked or not."""
    return sorted(filter(None, git(root, "ls-files", "-co", "--exclude-standard", "-z").split("\0")))


def word(path: str) -> str:
    return "q" + "".join(char for char in path if char.isalnum())


def tree(repo: Indexed, paths: list[str]) -> None:
    repo.write({path: f"{word(path)} = 1\n" for path in paths}, index=False)


def test_nested_rules_reach_as_far_as_in_git(repo: Indexed) -> None:
    """Anchored, floating, starred and folder patterns in a nested file: too deep and too high were both seen."""
    tree(
        repo,
        [f"{above}{name}" for above in ("", "sub/", "sub/deep/", "other/") for name in ("foo.py", "bar.py", "baz.py")],
    )
    tree(repo, ["sub/gen/a.py", "sub/deep/gen/b.py", "gen/c.py", "sub/top/only.py", "sub/deep/top/only.py"])
    (repo.root / "sub" / ".gitignore").write_text("/foo.py\n**/bar.py\ngen/\n/top/\n")
    (repo.root / "sub" / "deep" / ".gitignore").write_text("!bar.py\nbaz.py\n")
    git(repo.root, "init")
    repo.index()
    assert repo.paths() == unignored(repo.root)
    assert "sub/deep/foo.py" in repo.paths() and "sub/foo.py" not in repo.paths()
    for path in ("gen/c.py", "bar.py"):
        assert repo.hits(word(path))[0] == path
    assert word("sub/gen/a.py") not in dict(repo.reader.terms_with_prefix("q", 1_000))


def test_a_pattern_for_hidden_folders_does_not_hide_the_root(make: Make, tmp_path: Path) -> None:
    """`.*/` used to match the root itself; what `!` brings back and what `/` anchors was not understood."""
    repo = make(tmp_path / ".project")
    tree(repo, ["main.py", ".hidden/a.py", "build/drop.py", "build/keep.py", "dist/a.py", "sub/dist/kept.py"])
    (repo.root / ".gitignore").write_text(".*/\nbuild/*\n!build/keep.py\n/dist/\n")
    git(repo.root, "init")
    repo.index()
    assert repo.paths() == unignored(repo.root)
    assert repo.paths() == [".gitignore", "build/keep.py", "main.py", "sub/dist/kept.py"]
    assert repo.first(word("build/keep.py")).path == "build/keep.py"


def test_the_named_root_is_trusted_wherever_it_lies(make: Make, tmp_path: Path) -> None:
    """Names that are ignored below a root mean nothing above it."""
    repo = make(tmp_path / ".hidden" / "build" / "node_modules" / "env" / "proj")
    tree(repo, ["a.py", "node_modules/x.js"])
    repo.index()
    assert repo.paths() == ["a.py"]
    assert repo.first(word("a.py")).path == "a.py"


def test_ignore_files_of_other_tools_say_nothing(repo: Indexed) -> None:
    """A `.dockerignore` of `*` once emptied an index."""
    tree(repo, ["src/a.py", "b.py"])
    for name in (".dockerignore", ".npmignore", ".eslintignore", ".prettierignore"):
        (repo.root / name).write_text("*\nsrc\n")
    repo.index()
    assert {"src/a.py", "b.py"} <= set(repo.paths())
    assert repo.first(word("src/a.py")).path == "src/a.py"


def test_an_empty_result_is_an_end_and_names_the_rule(repo: Indexed) -> None:
    tree(repo, ["src/a.py", "b.py"])
    (repo.root / ".gitignore").write_text("*\n")
    report = repo.index()
    (problem,) = report.problems
    assert problem.where == "." and "`*` in .gitignore line 1" in problem.what
    assert repo.ask(word("b.py")).hits == ()


def test_a_sub_folder_obeys_the_rules_above_it(make: Make, tmp_path: Path) -> None:
    """Only `projects/app` is indexed; the rules of the work tree count, and dependency folders stay out."""
    top = tmp_path / "mono"
    repo = make(top / "projects" / "app")
    tree(repo, ["main.py", "gen/made.py", "node_modules/dep/index.js", ".venv/lib/x.py"])
    (top / ".gitignore").write_text("gen/\n")
    git(top, "init")
    repo.index()
    assert repo.paths() == ["main.py"]
    assert repo.reader.document_frequencies([word("gen/made.py")]) == {}


def test_a_folder_in_the_place_of_a_rule_file_is_a_folder(repo: Indexed) -> None:
    """Nothing says that `.gitignore` is a file; the others are indexed all the same."""
    tree(repo, ["a.py", "sub/b.py", "sub/.gitignore/inside.py", ".gortexignore/too.py", ".gitignore/also.py"])
    git(repo.root, "init")
    repo.index()
    assert repo.paths() == [
        ".gitignore/also.py",
        ".gortexignore/too.py",
        "a.py",
        "sub/.gitignore/inside.py",
        "sub/b.py",
    ]


def test_a_bare_git_folder_costs_nothing_but_its_few_texts(repo: Indexed, make: Make) -> None:
    """Objects and packs are no text that anybody wrote; a bare repository ends like any other folder."""
    git(repo.root, "init", "--bare")
    report = repo.index()
    assert not report.problems
    assert not [path for path in repo.paths() if path.startswith("objects/")]
    assert repo.index().added == 0
