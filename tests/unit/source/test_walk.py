"""What a walk lists, hides and skips."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from gortex_py.errors import NotFound, UsageError
from gortex_py.source.walk import (
    Hidden,
    SourceTree,
    WalkOptions,
    WalkResult,
    is_ignore_file,
    walk,
    why_empty,
)
from gortex_py.types import FileStat, Skipped, SkipReason

Grow = Callable[[Mapping[str, str | bytes]], Path]
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="compares with git")


def paths(result: WalkResult) -> list[str]:
    return [file.path for file in result.files if not file.path.endswith(("ignore", ".git"))]


def reasons(result: WalkResult) -> dict[str, SkipReason]:
    return {skipped.path: skipped.reason for skipped in result.skipped}


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "core.excludesFile=", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def listed_by_git(root: Path) -> list[str]:
    return sorted(path for path in git(root, "ls-files", "-co", "--exclude-standard", "-z").split("\0") if path)


# --- ignore rules ---------------------------------------------------------------------------


@needs_git
def test_nested_ignore_files_hide_what_git_hides(grow: Grow) -> None:
    files = {
        ".gitignore": "*.log\n/foo.txt\n!keep.log\n",
        "sub/.gitignore": "/foo.txt\n**/bar.txt\ndata/\n!a.log\n",
        "sub/deep/.gitignore": "!bar.txt\n",
    }
    names = ("foo.txt", "bar.txt", "a.log", "keep.log", "data/x.py", "deep/foo.txt", "deep/bar.txt", "deep/a.log")
    root = grow(files | {prefix + name: "x" for name in names for prefix in ("", "sub/", "other/")})
    git(root, "init", "-q")
    assert [file.path for file in walk(root).files] == listed_by_git(root)


@needs_git
def test_the_root_is_never_matched_and_negation_holds(grow: Grow) -> None:
    rules = ".*/\nbuild/*\n!build/keep.py\n/dist/\n"
    names = ("a.py", "build/keep.py", "build/x.py", "dist/x.py", "sub/dist/x.py", ".hidden/x.py")
    root = grow({".gitignore": rules} | dict.fromkeys(names, "x"))
    git(root, "init", "-q")
    assert [file.path for file in walk(root).files] == listed_by_git(root)
    assert paths(walk(root)) == ["a.py", "build/keep.py", "sub/dist/x.py"]


def test_a_named_root_is_trusted_wherever_it_lies(tmp_path: Path) -> None:
    root = tmp_path / ".hidden" / "node_modules" / "build" / ".venv" / "proj"
    (root / "build").mkdir(parents=True)
    (root / "build" / "a.py").write_text("x")
    (root / "node_modules").mkdir()
    (root / "node_modules" / "b.js").write_text("x")
    assert paths(walk(root)) == ["build/a.py"]


def test_only_documented_ignore_files_count(grow: Grow) -> None:
    root = grow({".dockerignore": "*\n", ".npmignore": "src\n", ".ignore": "src\n", "src/a.py": "x"})
    assert paths(walk(root)) == ["src/a.py"]


@needs_git
def test_a_tracked_subfolder_keeps_the_rules_above_it(grow: Grow) -> None:
    root = grow({".gitignore": "gen/\n/projects/app/out\n", "projects/.gitignore": "*.tmp\n"})
    grow(dict.fromkeys(("projects/app/a.py", "projects/app/gen/b.py", "projects/app/out", "projects/app/c.tmp"), "x"))
    git(root, "init", "-q")
    result = walk(root / "projects" / "app")
    assert paths(result) == ["a.py"] == listed_by_git(root / "projects" / "app")
    assert "`gen/` in ../../.gitignore line 1" in [hidden.rule for hidden in result.hidden]


def test_rules_above_end_where_the_work_tree_ends(grow: Grow) -> None:
    root = grow({".gitignore": "*\n", "proj/.git/HEAD": "ref: refs/heads/main\n", "proj/a.py": "x"})
    assert paths(walk(root / "proj")) == ["a.py"]


def test_an_empty_dot_git_folder_is_no_work_tree(grow: Grow) -> None:
    root = grow({".git/HEAD": "ref: x\n", ".gitignore": "b.py\n", "proj/a.py": "x", "proj/b.py": "x"})
    (root / "proj" / ".git").mkdir()
    assert paths(walk(root / "proj")) == ["a.py"]


@needs_git
def test_linked_work_trees_share_info_exclude(grow: Grow, tmp_path: Path) -> None:
    root = grow({"main/a.py": "x"}) / "main"
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "a")
    (root / ".git" / "info" / "exclude").write_text("local.py\n")
    git(root, "worktree", "add", "-q", str(tmp_path / "linked"))
    for tree in (root, tmp_path / "linked"):
        (tree / "local.py").write_text("x")
        assert paths(walk(tree)) == ["a.py"]


@pytest.mark.parametrize(
    ("files", "options"),
    [
        ({"home/.config/git/ignore": "secret.py\n"}, {}),
        ({"xdg/git/ignore": "secret.py\n"}, {"config_home": "xdg"}),
        ({"home/.gitconfig": "[core]\n\texcludesFile = ~/rules # mine\n", "home/rules": "secret.py\n"}, {}),
        (
            {"xdg/git/config": '[Core]\nexcludesfile="~/my rules"\n', "home/my rules": "secret.py\n"},
            {"config_home": "xdg"},
        ),
        (
            {
                "home/.gitconfig": "[include]\npath = more\n",
                "home/more": "[core] excludesFile=~/r",
                "home/r": "secret.py",
            },
            {},
        ),
        ({"root/.git/config": "[core]\nexcludesFile = rules\n", "root/rules": "secret.py\nrules\n"}, {}),
        ({"root/.git/info/exclude": "secret.py\n"}, {}),
    ],
    ids=["default", "xdg", "gitconfig", "xdg config", "include", "repository config", "info/exclude"],
)
def test_global_excludes_hold(grow: Grow, files: dict[str, str], options: dict[str, str]) -> None:
    base = grow({"root/.git/HEAD": "ref: x\n", "root/secret.py": "x", "root/a.py": "x", "home/x": "x"} | files)
    config_home = base / options["config_home"] if "config_home" in options else None
    result = walk(base / "root", WalkOptions(home=base / "home", config_home=config_home))
    assert paths(result) == ["a.py"]


def test_without_a_home_there_are_no_global_excludes(grow: Grow) -> None:
    assert paths(walk(grow({"a.py": "x"}), WalkOptions(home=None))) == ["a.py"]


def test_gitignore_is_stronger_than_info_exclude_and_that_than_global_excludes(grow: Grow) -> None:
    base = grow(
        {
            "home/.config/git/ignore": "a.py\nb.py\nc.py\n",
            "root/.git/HEAD": "ref: x\n",
            "root/.git/info/exclude": "!b.py\nd.py\n",
            "root/.gitignore": "!c.py\n!d.py\n",
        }
        | {f"root/{name}.py": "x" for name in "abcd"}
    )
    assert paths(walk(base / "root", WalkOptions(home=base / "home"))) == ["b.py", "c.py", "d.py"]


def test_own_ignore_file_is_stronger_and_can_bring_back(grow: Grow) -> None:
    root = grow(
        {
            ".gitignore": "gen/\n*.sql\n!b.txt\n",
            ".gortexignore": "!gen/api/one.py\n!schema.sql\nb.txt\n",
            "sub/.gitignore": "!b.txt\n",
        }
        | dict.fromkeys(("gen/api/one.py", "gen/api/two.py", "gen/x.py", "schema.sql", "other.sql"), "x")
        | dict.fromkeys(("b.txt", "sub/b.txt"), "x")
    )
    assert paths(walk(root)) == ["gen/api/one.py", "schema.sql"]


def test_a_folder_brought_back_is_whole_again(grow: Grow) -> None:
    root = grow({".gitignore": "gen/\n*.log\n", ".gortexignore": "!gen/\n", "gen/a/b.py": "x", "gen/c.log": "x"})
    assert paths(walk(root)) == ["gen/a/b.py"]


def test_a_bare_name_does_not_open_ignored_folders(grow: Grow) -> None:
    root = grow({".gortexignore": "!*.js\n", "node_modules/a.js": "x", "b.js": "x", ".git/c.js": "x"})
    assert paths(walk(root)) == ["b.js"]


def test_nothing_opens_the_git_folder(grow: Grow) -> None:
    root = grow({".gortexignore": "!.git/hooks/a.py\n!sub/.git/a.py\n", ".git/hooks/a.py": "x", "sub/.git/a.py": "x"})
    assert paths(walk(root)) == []
    (root / ".gortexignore").write_text("!*\n!*/\n!.git\n")
    assert paths(walk(root)) == []


def test_patterns_from_the_settings_lie_between(grow: Grow) -> None:
    root = grow({".gitignore": "!a.py\n", ".gortexignore": "!b.py\n", "a.py": "x", "b.py": "x", "c.py": "x"})
    result = walk(root, WalkOptions(exclude=("a.py", "b.py")))
    assert paths(result) == ["b.py", "c.py"]
    assert result.hidden == (Hidden("`a.py` in the settings", files=1, folders=0),)


def test_what_tools_write_is_hidden_and_source_folders_are_not(grow: Grow) -> None:
    shown = ("build/a.py", "target/a.py", "vendor/a.py", "venv/a.py", "dist/a.py", "env/a.py", "sub/lib/a.py")
    hidden = ("node_modules/a.js", "sub/node_modules/a.js", "__pycache__/a.py", ".venv/a.py", ".idea/a.xml", ".hg/a")
    marks = {
        "myenv/pyvenv.cfg": "home = /usr\n",
        "myenv/a.py": "x",
        "out/CACHEDIR.TAG": "Signature: 8a",
        "out/a.rs": "x",
    }
    root = grow(dict.fromkeys(shown + hidden, "x") | marks)
    assert paths(walk(root)) == sorted(shown)


def test_a_rule_can_bring_back_what_is_built_in(grow: Grow) -> None:
    root = grow(
        {".gitignore": "!node_modules/\n!out/\n", "node_modules/a.js": "x", "out/CACHEDIR.TAG": "x", "out/a": "x"}
    )
    assert paths(walk(root)) == ["node_modules/a.js", "out/CACHEDIR.TAG", "out/a"]


def test_an_odd_ignore_file_costs_a_problem_at_most(grow: Grow) -> None:
    root = grow({".gitignore": b"\xef\xbb\xbf*.log\n\xff\xfe[\n" + b"x" * 70_000 + b"\n", "a.log": "x", "b.py": "x"})
    (root / "sub").mkdir()
    os.mkfifo(root / "sub" / ".gitignore")
    (root / "sub" / "a.py").write_text("x")
    result = walk(root)
    assert paths(result) == ["b.py", "sub/a.py"]
    (root / "sub" / ".gitignore").unlink()
    (root / "sub" / ".gitignore").symlink_to("../a.log")
    assert [problem.where for problem in walk(root).problems] == ["sub/.gitignore"]


# --- links and odd files --------------------------------------------------------------------


def test_links_end_and_stay_inside(grow: Grow, tmp_path: Path) -> None:
    root = grow({"a/x.py": "x", "lib/y.py": "x", "r/z.py": "x"})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("x")
    for link, target in {
        "a/loop": ".",
        "lib/r": "../r",
        "r/lib": "../lib",
        "same.py": "a/x.py",
        "self": "self",
        "out": str(outside),
        "out.py": str(outside / "secret.py"),
        "sibling": str(tmp_path / "root2"),
        "gone": "nowhere",
    }.items():
        (root / link).symlink_to(target)
    (tmp_path / "root2").mkdir()
    result = walk(root)
    assert paths(result) == ["a/x.py", "lib/y.py", "r/z.py"]
    loop, leads_out = SkipReason.LINK_LOOP, SkipReason.LINK_OUTSIDE
    assert reasons(result) == {
        **{"a/loop": loop, "lib/r": loop, "r/lib": loop, "same.py": loop, "self": loop},
        **{"out": leads_out, "out.py": leads_out, "sibling": leads_out, "gone": SkipReason.UNREADABLE},
    }


def test_a_linked_root_gives_what_the_real_one_gives(grow: Grow, tmp_path: Path) -> None:
    root = grow({".gitignore": "*.log\n", "a.py": "x", "b.log": "x", "s/c.py": "x"})
    (root / ".git").mkdir()
    (root / ".git" / "HEAD").write_text("ref: x\n")
    (root / "s" / "d.log").write_text("x")
    (tmp_path / "link").symlink_to(root / "s")
    assert paths(walk(tmp_path / "link")) == ["c.py"]
    assert walk(tmp_path / "link") == walk(root / "s")


def test_special_files_are_listed_and_never_opened(grow: Grow) -> None:
    root = grow({"a.py": "x", "empty.py": ""})
    os.mkfifo(root / "pipe.py")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(os.path.relpath(root / "sock"))
        result = walk(root)
    assert paths(result) == ["a.py"]
    assert {(skipped.path, skipped.reason.value, skipped.detail) for skipped in result.skipped} == {
        ("pipe.py", "not-regular", "a FIFO"),
        ("sock", "not-regular", "a socket"),
        ("empty.py", "empty", "the file has no bytes"),
    }


def test_an_unreadable_folder_is_a_problem_and_the_walk_goes_on(
    open_folder: Path, unprivileged: Callable[[], AbstractContextManager[None]]
) -> None:
    for name in ("closed", "open"):
        (open_folder / name).mkdir()
        (open_folder / name / "a.py").write_text("x")
    (open_folder / "closed").chmod(0)
    with unprivileged():
        result = walk(open_folder)
    assert paths(result) == ["open/a.py"]
    assert reasons(result) == {"closed": SkipReason.UNREADABLE}
    assert [problem.where for problem in result.problems] == ["closed"]


def test_a_large_file_is_skipped_with_its_size_and_the_cap(grow: Grow) -> None:
    result = walk(grow({"a.py": "x" * 2000, "b.py": "x" * 1000}), WalkOptions(max_file_bytes=1000))
    assert paths(result) == ["b.py"]
    assert result.skipped == (Skipped("a.py", SkipReason.TOO_LARGE, "2,000 bytes, the cap is 1,000"),)


def test_five_megabytes_on_one_line_are_under_the_default_cap(grow: Grow) -> None:
    assert paths(walk(grow({"app.min.js": "x" * 5_000_000}))) == ["app.min.js"]


def test_a_name_that_is_not_utf8_is_listed_as_such(grow: Grow) -> None:
    root = grow({"a.py": "x"})
    (root / os.fsdecode(b"caf\xe9.py")).write_text("x")
    result = walk(root)
    assert paths(result) == ["a.py"]
    assert reasons(result) == {"caf\\udce9.py": SkipReason.UNREADABLE}


def test_the_order_is_that_of_the_paths(grow: Grow) -> None:
    names = ["b/a.py", "b.py", "a/z.py", "a.py", "é.py", "B.py", "a-b/c.py"]
    assert paths(walk(grow(dict.fromkeys(names, "x")))) == sorted(names)


def test_a_wrong_root_is_refused(grow: Grow) -> None:
    root = grow({"a.py": "x"})
    with pytest.raises(NotFound):
        walk(root / "missing")
    with pytest.raises(UsageError):
        walk(root / "a.py")


# --- parts of a tree ------------------------------------------------------------------------


def test_one_path_is_judged_as_the_walk_judges_it(grow: Grow, tmp_path: Path) -> None:
    root = grow(
        {
            ".gitignore": "gen/\n*.log\n",
            ".gortexignore": "!gen/keep/a.py\n",
            "s/.gitignore": "!b.log\nx.py\n",
            "env/pyvenv.cfg": "x",
            "empty.py": "",
        }
        | dict.fromkeys(("gen/keep/a.py", "gen/keep/b.py", "gen/c.py", "a.log", "s/b.log", "s/x.py", "s/y.py"), "x")
        | dict.fromkeys(("env/lib/a.py", "node_modules/a.js", ".git/config"), "x")
    )
    (root / "link").symlink_to("s")
    every = [path.relative_to(root).as_posix() for path in root.rglob("*") if not path.is_dir() or path.is_symlink()]
    result = walk(root)
    expected: dict[str, FileStat | Skipped] = {found.path: found for found in result.files}
    expected |= {skipped.path: skipped for skipped in result.skipped}
    tree = SourceTree(root)
    assert {path: judged for path in every if (judged := tree.admit(path)) is not None} == expected


@pytest.mark.parametrize("path", ["gone.py", "s", "link/a.py", "../outside.py", "s/../a.py", "a.py/b", "", "s/"])
def test_what_is_no_file_of_the_tree_is_not_admitted(grow: Grow, path: str) -> None:
    root = grow({"a.py": "x", "s/a.py": "x"})
    (root / "link").symlink_to("s")
    (root.parent / "outside.py").write_text("x")
    assert SourceTree(root).admit(path) is None


def test_a_part_is_walked_as_in_the_whole(grow: Grow) -> None:
    root = grow(
        {".gitignore": "*.log\n/s/t/x.py\ngen/\n", "s/.gitignore": "y.py\n"}
        | dict.fromkeys(("s/t/x.py", "s/t/y.py", "s/t/z.py", "s/t/a.log", "other.py", "gen/t/a.py"), "x")
    )
    tree = SourceTree(root)
    assert paths(tree.walk("s/t")) == ["s/t/z.py"]
    assert paths(tree.walk("gen/t")) == paths(tree.walk("gone")) == paths(tree.walk("..")) == []
    assert tree.is_ignored_folder("gen/t") and not tree.is_ignored_folder("s/t")


def test_ignore_files_and_marks_are_told_apart_from_others() -> None:
    assert all(map(is_ignore_file, (".gitignore", "a/.gortexignore", "a/pyvenv.cfg")))
    assert not any(map(is_ignore_file, (".dockerignore", "gitignore", "a.gitignore", ".gitignore/a")))


def test_rule_files_outside_the_root_are_known(grow: Grow) -> None:
    root = grow({".git/HEAD": "x", "sub/app/a.py": "x", "home/x": "x"})
    tree = SourceTree(root / "sub" / "app", WalkOptions(home=root / "home"))
    outside = {path.relative_to(root).as_posix() for path in tree.rule_files_outside()}
    assert {".gitignore", "sub/.gortexignore", ".git/info/exclude", "home/.config/git/ignore"} <= outside


# --- nothing left ---------------------------------------------------------------------------


def test_an_empty_result_names_the_rule_that_hides_most(grow: Grow) -> None:
    files = {f"{number}.py": "x" for number in range(12)}
    root = grow({".gitignore": "# all\n*\n", "sub/a.py": "x", "__pycache__/a.pyc": "x"} | files)
    (root / ".gortexignore").write_text("7.py\n")
    said = why_empty(walk(root))
    assert said.startswith("no file to index: `*` in .gitignore line 2 hides 13 files and 2 folders; `7.py` in .gortex")


def test_an_empty_result_without_rules_says_what_was_skipped(grow: Grow) -> None:
    assert why_empty(walk(grow({"a.py": "", "b.py": ""}))) == "no file to index: skipped: 2 empty"
    (root := grow({})).joinpath("a.py").unlink()
    root.joinpath("b.py").unlink()
    assert why_empty(walk(root)) == "no file to index: the folder is empty"


def test_a_result_with_files_needs_no_excuse(grow: Grow) -> None:
    assert why_empty(walk(grow({"a.py": "x"}))) == ""
