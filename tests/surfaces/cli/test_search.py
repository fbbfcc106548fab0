"""``gortex search``: what it asks, what it shows, how it ends."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from gortex_py.surfaces.cli.exits import FOREIGN, FOUND, NOTHING, STDOUT_CLOSED, TROUBLE
from tests.surfaces.conftest import CommandLine
from tests.surfaces.stub_daemon import HIT, StubDaemon


def test_hits_go_to_stdout_and_the_rest_to_stderr(gortex: CommandLine, stub: StubDaemon, tracked: Path) -> None:
    stub.answer = {
        "warnings": ["2 files were not seen"],
        "query_advice": {"reason": "a list", "split_into": ["a", "b"]},
    }
    ran = gortex("search", "cart", cwd=tracked)
    assert ran.returncode == FOUND
    assert ran.stdout.splitlines() == [
        "src/cart.py:3-9  method Cart.add_item",
        "    def add_item(self, item):",
        "        # 漢字—",
        "        self.items.append(item)",
        "    also 20-22 total",
    ]
    assert ran.stderr.splitlines() == ["warning: 2 files were not seen", "hint: a list; ask for: a, b"]


def test_no_hits_exit_1_with_empty_output_and_say_where_was_looked(
    gortex: CommandLine, stub: StubDaemon, tracked: Path
) -> None:
    stub.results = []
    ran = gortex("search", "nothing", cwd=tracked)
    assert (ran.returncode, ran.stdout, ran.stderr) == (NOTHING, "", "no hits for 'nothing' in shop\n")
    ran = gortex("search", "nothing", "--all", "--lang", "go", "--offset", "5")
    assert ran.stderr == "no hits for 'nothing' in any repository that pass the filters after the first 5\n"


def test_a_query_without_quotes_is_told_from_a_path(gortex: CommandLine, tmp_path: Path) -> None:
    for arguments in (("how", "are"), ("how", "are", "routes", "registered"), ("how", "are", "it's", "-k", "3")):
        ran = gortex("search", *arguments)
        assert (ran.returncode, ran.stdout) == (TROUBLE, "")
        asked = " ".join(word for word in arguments if word not in ("-k", "3"))
        assert f"quotes: gortex search {shlex.quote(asked)}" in ran.stderr.replace(", as in:", ":")
    assert "quotes" not in gortex("search", "how are", "no/such").stderr
    assert not (tmp_path / "state").exists(), "nothing was started for it"


@pytest.mark.parametrize("query", ["", " \t "])
def test_an_empty_query_is_refused_before_anything_is_started(
    gortex: CommandLine, shop: Path, tmp_path: Path, query: str
) -> None:
    ran = gortex("search", query, cwd=shop)
    assert ran.returncode == TROUBLE
    assert ran.stderr.endswith("error: QUERY is empty; say what to look for\n")
    assert not (tmp_path / "state").exists()


def test_the_name_to_forget_is_the_one_the_daemon_gave(gortex: CommandLine, stub: StubDaemon, shop: Path) -> None:
    stub.repos.append({"name": "shop-2", "path": str(shop), "state": "ready", "files": 1})
    tracked = stub.repos.pop()

    def route_repos(method: str, path: str, body: dict[str, object]) -> tuple[int, object]:
        if method == "POST":
            stub.repos.append(tracked)
            return 202, tracked
        return 200, {"repos": stub.repos}

    stub.route_repos = route_repos  # type: ignore[method-assign,assignment]
    ran = gortex("search", "cart", cwd=shop)
    assert ran.stderr == f"tracking {shop} (forget it with: gortex untrack shop-2)\n"


@pytest.mark.parametrize("state", ["indexing", "empty", "failed"])
def test_what_the_daemon_warns_of_is_said_once(
    gortex: CommandLine, stub: StubDaemon, tracked: Path, state: str
) -> None:
    stub.looks_until_ready = 10_000
    stub.repos[0]["state"] = state
    stub.answer = {"warnings": ["shop is not all there"]}
    assert gortex("search", "cart", cwd=tracked).stderr == "warning: shop is not all there\n"
    stub.answer = {"warnings": []}
    assert len(gortex("search", "cart", cwd=tracked).stderr.splitlines()) == 1


def test_no_line_of_an_answer_ends_in_blanks(gortex: CommandLine, stub: StubDaemon, tracked: Path) -> None:
    stub.results = [{**HIT, "snippet": "def f():\n\n    pass", "highlights": []}]
    assert [line for line in gortex("search", "f", cwd=tracked).stdout.splitlines() if line != line.rstrip()] == []


def test_every_filter_is_passed_on(gortex: CommandLine, stub: StubDaemon, tracked: Path) -> None:
    gortex(
        *("search", "-k", "3", "--offset", "6", "--lang", "go", "--lang", "rust", "--kind", "class"),
        *("--corpus", "all", "--path", "*.py", "--explain", "--", "-dash first"),
        cwd=tracked,
    )
    assert stub.searches == [
        {
            "q": ["-dash first"],
            "limit": ["3"],
            "offset": ["6"],
            "repo": ["shop"],
            "path": ["*.py"],
            "lang": ["go", "rust"],
            "kind": ["class"],
            "corpus": ["all"],
            "explain": ["true"],
        }
    ]


def test_a_sub_folder_searches_its_repository(gortex: CommandLine, stub: StubDaemon, tracked: Path) -> None:
    ran = gortex("search", "cart", cwd=tracked / "src" / "deep")
    assert stub.searches[0]["repo"] == ["shop"]
    assert "path" not in stub.searches[0]
    assert ran.stdout.startswith("../cart.py:3-9")


def test_a_named_sub_folder_narrows_the_search(gortex: CommandLine, stub: StubDaemon, tracked: Path) -> None:
    ran = gortex("search", "cart", str(tracked / "src"), "--path", "*.py")
    assert stub.searches[0]["path"] == ["src/**/*.py"]
    assert ran.stdout.startswith(f"{tracked}/src/cart.py:3-9"), "a path that can be opened from here"


def test_all_searches_every_repository(gortex: CommandLine, stub: StubDaemon, tracked: Path) -> None:
    gortex("search", "cart", "--all")
    assert "repo" not in stub.searches[0]


def test_an_untracked_repository_is_tracked_from_its_root(gortex: CommandLine, stub: StubDaemon, shop: Path) -> None:
    stub.looks_until_ready = 3
    stub.events = [b"event: progress\ndata: {}\n\n"]
    ran = gortex("search", "cart", cwd=shop / "src" / "deep")
    assert ran.returncode == FOUND
    assert ran.stderr.splitlines() == [f"tracking {shop} (forget it with: gortex untrack shop)"]
    assert [row["path"] for row in stub.repos] == [str(shop)]


def test_a_long_first_index_is_answered_in_part(gortex: CommandLine, stub: StubDaemon, shop: Path) -> None:
    stub.looks_until_ready = 10_000
    ran = gortex("search", "cart", "--wait", "0.2", cwd=shop)
    assert ran.returncode == FOUND
    assert "shop is still being indexed" in ran.stderr


@pytest.mark.parametrize("where", ["/", "home", "above home"])
def test_the_file_system_and_the_home_folder_are_refused(gortex: CommandLine, stub: StubDaemon, where: str) -> None:
    path = {"/": Path("/"), "home": gortex.home, "above home": gortex.home.parent}[where]
    ran = gortex("search", "cart", cwd=path)
    assert ran.returncode == TROUBLE
    assert "is not indexed" in ran.stderr
    reason = {"/": "is the whole file system", "home": "is your home folder", "above home": "holds your home folder"}
    assert reason[where] in ran.stderr
    assert stub.repos == []


def test_settings_kept_in_git_at_home_do_not_make_home_the_repository(gortex: CommandLine, stub: StubDaemon) -> None:
    (gortex.home / ".git").mkdir()
    folder = gortex.home / "notes"
    folder.mkdir()
    gortex("search", "cart", cwd=folder)
    assert [row["path"] for row in stub.repos] == [str(folder)]


def test_a_missing_path_is_an_error_that_names_it(gortex: CommandLine, stub: StubDaemon) -> None:
    ran = gortex("search", "cart", "no/such")
    assert (ran.returncode, ran.stdout) == (TROUBLE, "")
    assert "no/such: No such file" in ran.stderr


def test_an_answer_prints_in_a_locale_that_cannot_spell_it(
    gortex: CommandLine, stub: StubDaemon, tracked: Path
) -> None:
    narrow = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    assert gortex("search", "cart", cwd=tracked, **narrow).returncode == FOUND
    ran = gortex("search", "cart", "--json", cwd=tracked, **narrow)
    assert json.loads(ran.stdout)["results"][0]["snippet"] == HIT["snippet"]


def test_a_file_cannot_drive_the_terminal(gortex: CommandLine, stub: StubDaemon, tracked: Path) -> None:
    stub.results = [{**HIT, "path": "a\x1b[2Jb.py", "snippet": "x\x1b]0;title\x07", "highlights": []}]
    assert "\x1b" not in gortex("search", "cart", cwd=tracked).stdout


def test_colour_marks_the_matches_when_asked_for(gortex: CommandLine, stub: StubDaemon, tracked: Path) -> None:
    assert "\x1b" not in gortex("search", "cart", cwd=tracked).stdout
    colored = gortex("search", "cart", "--color", "always", cwd=tracked).stdout
    assert "def \x1b[1;31madd_item\x1b[0m(self, item)" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == gortex("search", "cart", cwd=tracked).stdout


def test_files_only_prints_paths(gortex: CommandLine, stub: StubDaemon, tracked: Path) -> None:
    assert gortex("search", "-l", "cart", cwd=tracked).stdout == "src/cart.py\n"


def test_explain_shows_shares_that_sum_to_the_score(gortex: CommandLine, stub: StubDaemon, tracked: Path) -> None:
    shares = [{"signal": "text", "raw": 0.5, "weight": 2.0}, {"signal": "path", "raw": 1.0, "weight": 0.5}]
    stub.results = [{**HIT, "contributions": shares}]
    ran = gortex("search", "--explain", "cart", cwd=tracked)
    printed = [float(line.split()[0]) for line in ran.stdout.splitlines() if line.lstrip().startswith("+")]
    assert printed == [1.0, 0.5]
    assert sum(printed) == HIT["score"]
    assert "class concept, alpha 0.400" in ran.stderr


def test_a_reader_that_leaves_ends_the_search_quietly(gortex: CommandLine, stub: StubDaemon, tracked: Path) -> None:
    stub.results = [HIT] * 5000
    command = f"{sys.executable} -P -m gortex_py search cart | head -1; echo ${{PIPESTATUS[0]}}"
    ran = subprocess.run(
        ["bash", "-c", command], cwd=tracked, env=gortex.environ, capture_output=True, text=True, timeout=20, check=True
    )
    assert ran.stderr == ""
    assert ran.stdout.splitlines()[-1] == str(STDOUT_CLOSED)


def test_a_refusal_is_shown_in_the_daemons_words(gortex: CommandLine, stub: StubDaemon, tracked: Path) -> None:
    stub.answer = {}
    ran = gortex("search", "cart", "--repo", "shop", "--path", "[")
    assert ran.returncode == FOUND
    stub.problem = (400, {"title": "Bad request", "detail": "the glob '[' has no end", "code": "bad-glob"})
    ran = gortex("search", "cart", "--repo", "shop", "--path", "[")
    assert (ran.returncode, ran.stderr) == (TROUBLE, "error: the glob '[' has no end\n")


@pytest.mark.parametrize(
    "raw", [b"{}", b"[]", b"garbage \xff", b""], ids=["empty object", "list", "garbage", "nothing"]
)
def test_a_daemon_that_answers_nonsense_is_named_as_such(
    gortex: CommandLine, stub: StubDaemon, shop: Path, raw: bytes
) -> None:
    stub.raw = raw
    ran = gortex("search", "cart", "--all", cwd=shop)
    assert "Traceback" not in ran.stderr
    # An empty object is an answer without hits; the rest is not an answer.
    assert ran.returncode == (NOTHING if raw == b"{}" else TROUBLE)
    if raw != b"{}":
        assert "gortex daemon restart" in ran.stderr


def test_exit_codes_are_told_apart() -> None:
    assert len({FOUND, NOTHING, TROUBLE, FOREIGN, STDOUT_CLOSED}) == 5
