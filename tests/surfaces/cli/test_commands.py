"""The commands besides search."""

from __future__ import annotations

import io
import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gortex_py.errors import NotFound
from gortex_py.surfaces.cli.checks import check_word_lists, check_word_table
from gortex_py.surfaces.cli.console import Console
from gortex_py.surfaces.cli.session import Session
from tests.surfaces.conftest import CommandLine
from tests.surfaces.stub_daemon import StubDaemon, running_stub


def test_index_tracks_waits_and_reports(gortex: CommandLine, stub: StubDaemon, shop: Path) -> None:
    stub.looks_until_ready = 4
    ran = gortex("index", str(shop / "src"))
    assert ran.returncode == 0
    assert ran.stdout == f"shop  ready  12 files, 34 symbols  {shop}\n"


def test_index_of_a_tracked_repository_waits_for_a_new_pass(
    gortex: CommandLine, stub: StubDaemon, tracked: Path
) -> None:
    stub.looks_until_ready = 5
    ran = gortex("index", "--json", cwd=tracked)
    assert ("POST", "/v1/repos/shop/reindex", {}) in stub.requests
    assert json.loads(ran.stdout)["generation"] == 2


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"state": "empty", "reason": "every file is ignored by .gitignore:1 (*)"}, "ignored by .gitignore:1"),
        ({"state": "failed", "error": "the disk is full"}, "the disk is full"),
        (
            {"state": "ready", "last_pass": {"problems": [{"where": "a.py", "what": "no permission"}]}},
            "a.py: no permission",
        ),
    ],
)
def test_index_exits_2_with_problems(
    gortex: CommandLine, stub: StubDaemon, tracked: Path, row: dict[str, object], said: str
) -> None:
    stub.looks_until_ready = -1
    stub.repos[0].update(generation=1)

    def reindexed(method: str, path: str, body: dict[str, object]) -> tuple[int, object]:
        if method == "POST":
            stub.repos[0].update(row, generation=2)
        return 200, {"repos": stub.repos}

    stub.route_repos = reindexed  # type: ignore[method-assign,assignment]
    ran = gortex("index", cwd=tracked)
    assert ran.returncode == 2
    assert said in ran.stderr


def test_try_prints_a_curl_command_and_its_answer(gortex: CommandLine, stub: StubDaemon, tracked: Path) -> None:
    ran = gortex("index", "--try", "where's the cart?", cwd=tracked)
    assert f"curl -s 'http://127.0.0.1:{stub.port}/v1/search?q=where%27s+the+cart%3F&limit=3&repo=shop'" in ran.stdout
    answer = json.loads(ran.stdout[ran.stdout.index("\n{") :])
    assert answer["results"][0]["path"] == "src/cart.py"
    assert re.search(r'"highlights": \[\n +\[\d+, \d+\]', ran.stdout), "a range is read on one line"


def test_track_takes_just_the_folder(gortex: CommandLine, stub: StubDaemon, shop: Path) -> None:
    ran = gortex("track", "src", "--name", "part", cwd=shop)
    assert ran.stdout == f"tracking {shop}/src as part\n"
    assert stub.repos[0]["path"] == str(shop / "src")
    assert gortex("track", str(gortex.home)).returncode == 2
    assert gortex("track", "no/such").returncode == 2


@pytest.mark.parametrize("given", [["shop"], ["."], []], ids=["name", "path", "here"])
def test_untrack_takes_name_path_or_here(
    gortex: CommandLine, stub: StubDaemon, tracked: Path, given: list[str]
) -> None:
    assert gortex("untrack", *given, cwd=tracked).returncode == 0
    assert stub.repos == []


def test_untrack_of_something_else_names_what_there_is(gortex: CommandLine, stub: StubDaemon, tracked: Path) -> None:
    ran = gortex("untrack", "nope", cwd=tracked)
    assert (ran.returncode, ran.stderr) == (2, "error: nope is not tracked; tracked are: shop\n")


def test_repos_and_status_answer_in_text_and_json(gortex: CommandLine, stub: StubDaemon, tracked: Path) -> None:
    stub.repos[0].update(
        skipped={"binary": {"count": 2, "examples": []}, "empty": 0}, degraded=[{"part": "watch", "reason": "polling"}]
    )
    assert gortex("repos").stdout == f"shop  ready  2 files, 3 symbols  {tracked}\n"
    assert json.loads(gortex("repos", "--json").stdout) == {"repos": stub.repos}
    text = gortex("status").stdout
    assert f"http://127.0.0.1:{stub.port}, pid {os.getpid()}" in text
    assert "not indexed: binary 2" in text
    assert "degraded: watch: polling" in text
    status = json.loads(gortex("status", "--json").stdout)
    assert (status["running"], status["repos"]) == (True, stub.repos)


@pytest.mark.parametrize("command", [("status",), ("daemon", "status")])
def test_status_without_a_daemon_exits_1(gortex: CommandLine, command: tuple[str, ...]) -> None:
    assert gortex(*command).returncode == 1
    assert json.loads(gortex(*command, "--json").stdout) == {"running": False}


@pytest.mark.parametrize("command", [("repos",), ("untrack", "x")])
def test_commands_that_need_a_daemon_say_how_to_start_it(gortex: CommandLine, command: tuple[str, ...]) -> None:
    ran = gortex(*command)
    assert ran.returncode == 2
    assert "gortex daemon start" in ran.stderr


def test_a_daemon_of_another_version_is_noticed_and_used(gortex: CommandLine, shop: Path) -> None:
    with running_stub(gortex.paths.state, version="9.9.9") as stub:
        stub.repos.append({"name": "shop", "path": str(shop), "state": "ready", "files": 1})
        ran = gortex("search", "cart", cwd=shop)
    assert ran.returncode == 0
    assert "the daemon is gortex 9.9.9" in ran.stderr
    assert "gortex daemon restart" in ran.stderr


def test_start_with_a_running_daemon_prints_its_address(gortex: CommandLine, stub: StubDaemon) -> None:
    ran = gortex("daemon", "start")
    assert (ran.returncode, ran.stdout) == (0, f"http://127.0.0.1:{stub.port}\n")


def test_logs_shows_the_end_of_the_log(gortex: CommandLine) -> None:
    log = gortex.paths.log
    log.parent.mkdir(parents=True)
    log.write_text("".join(f"line {i}\n" for i in range(100)))
    assert gortex("daemon", "logs", "-n", "2").stdout == "line 98\nline 99\n"


def test_version_names_command_and_daemon(gortex: CommandLine) -> None:
    assert "no daemon is running" in gortex("version").stdout
    assert json.loads(gortex("version", "--json").stdout)["daemon"] is None
    assert gortex("--version").stdout.startswith("gortex ")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(gortex: CommandLine, shell: str) -> None:
    ran = gortex("completion", shell)
    assert ran.returncode == 0
    assert "_GORTEX_COMPLETE" in ran.stdout


def test_completion_completes_commands(gortex: CommandLine) -> None:
    asked = {"_GORTEX_COMPLETE": "bash_complete", "COMP_WORDS": "gortex se", "COMP_CWORD": "1"}
    assert gortex(**asked).stdout.splitlines() == ["plain,search", "plain,service"]


def test_a_wrong_command_line_exits_2_on_stderr(gortex: CommandLine) -> None:
    for arguments in (("bogus",), ("search",), ("search", "x", "-k", "0"), ("search", "x", "--corpus", "web")):
        ran = gortex(*arguments)
        assert (ran.returncode, ran.stdout) == (2, "")
        assert "Usage:" in ran.stderr
        assert ran.stderr.splitlines()[-1].startswith("error: "), "as every other error"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["serach", "x"], "gortex search"),
        (["how are routes", "registered"], "gortex search 'how are routes registered'"),
    ],
)
def test_an_unknown_command_is_answered_with_what_may_be_meant(
    gortex: CommandLine, typed: list[str], meant: str
) -> None:
    ran = gortex(*typed)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.endswith(f"did you mean: {meant}\n")


@pytest.mark.parametrize("typed", [(), ("daemon",), ("service",)])
def test_a_group_alone_shows_its_help_without_a_complaint(gortex: CommandLine, typed: tuple[str, ...]) -> None:
    ran = gortex(*typed)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == gortex(*typed, "--help").stdout


def test_a_name_for_what_has_another_is_not_ignored(gortex: CommandLine, stub: StubDaemon, tracked: Path) -> None:
    for command in ("index", "track"):
        stub.route_repos = lambda method, path, body: (200, {"repos": stub.repos, **stub.repos[0]})  # type: ignore[method-assign]
        ran = gortex(command, "--name", "store", cwd=tracked)
        assert (ran.returncode, ran.stdout) == (2, "")
        assert f"{tracked} is tracked as 'shop' already" in ran.stderr
        assert "gortex untrack shop" in ran.stderr
        assert gortex(command, "--name", "shop", cwd=tracked).returncode == 0


def test_results_and_notes_keep_their_order_in_one_file(gortex: CommandLine, tmp_path: Path) -> None:
    command = f"exec {sys.executable} -P -m gortex_py service install > both 2>&1"
    environ = {**gortex.environ, "PATH": str(tmp_path)}
    subprocess.run(["/bin/sh", "-c", command], cwd=tmp_path, env=environ, check=True, timeout=40)
    assert (tmp_path / "both").read_text().startswith("installed: ")


@pytest.mark.parametrize("command", [("search", "x"), ("index",), ("daemon", "start"), ("service", "install")])
def test_a_home_that_cannot_be_written_is_an_error_in_a_sentence(
    gortex: CommandLine, shop: Path, command: tuple[str, ...]
) -> None:
    # A file where the folder should be: what a read-only home is for a user who may write anything.
    (gortex.home / ".config").touch()
    (gortex.home / ".local").touch()
    gortex.environ.pop("GORTEX_HOME")
    ran = gortex(*command, cwd=shop)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "Traceback" not in ran.stderr
    last = ran.stderr.splitlines()[-1]
    assert last.startswith("error: ")
    assert str(gortex.home) in last
    assert "GORTEX_HOME" in last or command[0] == "service"


def test_an_empty_repository_gives_its_reason_once(gortex: CommandLine, stub: StubDaemon, tracked: Path) -> None:
    reason = "no file to index: the folder is empty"
    problems = [{"where": ".", "what": reason}, {"where": "a.py", "what": "no permission"}]
    stub.repos[0].update(state="empty", reason=reason, last_pass={"problems": problems})
    stub.route_repos = lambda method, path, body: (200, {"repos": stub.repos})  # type: ignore[method-assign]
    ran = gortex("index", cwd=tracked)
    assert ran.stderr.splitlines() == [f"problem: shop: {reason}", "problem: a.py: no permission"]


def fake_systemctl(folder: Path) -> Path:
    """Put a systemctl on a PATH that writes down what it was told."""
    folder.mkdir()
    script = folder / "systemctl"
    script.write_text(f'#!/bin/sh\necho "$@" >> {folder}/told\n[ "$2" != show ] || echo 0\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return folder


def test_service_install_uses_the_manager(gortex: CommandLine, tmp_path: Path) -> None:
    folder = fake_systemctl(tmp_path / "bin")
    gortex.environ["PATH"] = f"{folder}:{gortex.environ['PATH']}"
    ran = gortex("service", "install")
    unit = gortex.home / ".config/systemd/user/gortex.service"
    assert (ran.returncode, ran.stdout) == (0, f"installed: {unit}\n")
    assert f'Environment="GORTEX_HOME={gortex.environ["GORTEX_HOME"]}"' in unit.read_text().splitlines()
    assert "--user enable gortex.service" in (folder / "told").read_text().splitlines()
    assert "already installed" in gortex("service", "install").stdout
    assert gortex("service", "uninstall").stdout == f"removed: {unit}\n"
    assert not unit.exists()


def test_service_install_without_a_manager_says_what_to_run(gortex: CommandLine, tmp_path: Path) -> None:
    ran = gortex("service", "install", PATH=str(tmp_path))
    assert ran.returncode == 0
    assert "systemctl --user enable gortex.service" in ran.stderr
    status = json.loads(gortex("service", "status", "--json", PATH=str(tmp_path)).stdout)
    assert (status["installed"], status["available"]) == (True, False)


def test_doctor_passes_here_and_fails_where_it_cannot_write(gortex: CommandLine, tmp_path: Path) -> None:
    ran = gortex("doctor")
    assert ran.returncode == 0, ran.stdout
    assert [line.split()[1] for line in ran.stdout.splitlines() if line.startswith("ok")] == [
        *("python", "sqlite", "grammars", "word", "word", "folders", "watching", "daemon")
    ]
    (tmp_path / "file").touch()
    broken = gortex("doctor", "--json", GORTEX_HOME=str(tmp_path / "file" / "below"))
    assert broken.returncode == 2
    checks = {check["name"]: check for check in json.loads(broken.stdout)["checks"]}
    assert "GORTEX_HOME" in checks["folders"]["advice"]


def test_doctor_finds_an_installation_without_its_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session({}, tmp_path, tmp_path, Console(io.StringIO(), io.StringIO(), {}))
    assert [check(session).is_ok for check in (check_word_table, check_word_lists)] == [True, True]

    def missing(name: str) -> Path:
        raise NotFound(f"{name} is missing from the installation")

    monkeypatch.setattr("gortex_py.settings.paths.bundled", missing)
    for check in (check_word_table, check_word_lists):
        found = check(session)
        assert not found.is_ok
        assert "is missing from the installation" in found.detail
        assert "reinstall" in found.advice


@pytest.mark.parametrize("how", ["variable", "file"])
def test_the_token_is_sent(gortex: CommandLine, stub: StubDaemon, tracked: Path, how: str) -> None:
    if how == "file":
        (gortex.paths.state / "token").write_text("secret\n")
    else:
        gortex.environ["GORTEX_DAEMON_HTTP_TOKEN"] = "secret"
    assert gortex("repos").returncode == 0
    assert stub.tokens == {"Bearer secret"}
