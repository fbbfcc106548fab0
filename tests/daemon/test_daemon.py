"""The daemon as users meet it: a process, sockets, files that change under it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from gortex_py.service.address import read_address, recorded_address
from tests.daemon.conftest import LIMIT_S, Daemon, wait_for


def git(root: Path, *words: str) -> None:
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    subprocess.run(("git", *identity, *words), cwd=root, env=environ, check=True, capture_output=True)


@pytest.fixture(scope="module")
def repo(module_daemon: Daemon, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("work") / "shop"
    (root / "src").mkdir(parents=True)
    (root / "src" / "cart.py").write_text("def add_to_cart(item):\n    return item\n")
    (root / "src" / "order.py").write_text("def place_order(cart):\n    return cart\n")
    git(root, "init")
    git(root, "add", ".")
    git(root, "commit", "-m", "one")
    module_daemon.start().track(root)
    return root


def test_edit_add_rename_and_delete_are_followed(module_daemon: Daemon, repo: Path) -> None:
    daemon = module_daemon
    assert "add_to_cart" in daemon.symbols("add_to_cart")
    (repo / "src" / "cart.py").write_text("def put_in_basket(item):\n    return item\n")
    wait_for(lambda: "put_in_basket" in daemon.symbols("put_in_basket"))
    assert "add_to_cart" not in daemon.symbols("add_to_cart")
    deep = repo / "new" / "deep" / "folder"
    deep.mkdir(parents=True)
    (deep / "refund.py").write_text("def refund_money():\n    pass\n")
    wait_for(lambda: "refund_money" in daemon.symbols("refund_money"))
    (repo / "new").rename(repo / "moved")
    wait_for(lambda: daemon.files("refund_money") == {"moved/deep/folder/refund.py"})
    atomic = repo / "src" / ".cart.py.tmp"
    atomic.write_text("def third_name(item):\n    return item\n")
    atomic.replace(repo / "src" / "cart.py")
    wait_for(lambda: "third_name" in daemon.symbols("third_name"))
    (repo / "moved" / "deep" / "folder" / "refund.py").unlink()
    wait_for(lambda: not daemon.files("refund_money"))
    wait_for(lambda: daemon.is_settled("shop"))
    assert daemon.repo("shop")["files"] == 2


def test_ignore_file_takes_effect_both_ways(module_daemon: Daemon, repo: Path) -> None:
    daemon = module_daemon
    (repo / "gen").mkdir()
    (repo / "gen" / "made.py").write_text("def generated_thing():\n    pass\n")
    wait_for(lambda: daemon.files("generated_thing") == {"gen/made.py"})
    (repo / ".gortexignore").write_text("gen/\n")
    wait_for(lambda: not daemon.files("generated_thing"))
    (repo / ".gortexignore").unlink()
    wait_for(lambda: daemon.files("generated_thing") == {"gen/made.py"})


def test_branch_switch_both_ways_equals_the_tree(module_daemon: Daemon, repo: Path) -> None:
    daemon = module_daemon
    git(repo, "add", "-A")
    git(repo, "commit", "-m", "two")
    git(repo, "checkout", "-b", "many")
    for number in range(60):
        path = repo / f"pkg{number % 7}" / f"mod{number}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"def many_function_{number}():\n    pass\n")
    (repo / "src" / "order.py").unlink()
    git(repo, "add", "-A")
    git(repo, "commit", "-m", "many")
    before = daemon.repo("shop")["files"]
    for branch, expected in (("main", 3), ("many", 62), ("main", 3)):
        git(repo, "checkout", branch)
        wait_for(lambda expected=expected: daemon.repo("shop")["files"] == expected)
        wait_for(lambda: daemon.is_settled("shop"))
    assert before in (3, 62)
    assert daemon.files("many_function_7") == set()
    assert "place_order" in daemon.symbols("place_order")


def test_second_daemon_is_refused_with_the_address_of_the_first(module_daemon: Daemon, repo: Path) -> None:
    second = module_daemon.spawn()
    _, errors = second.communicate(timeout=LIMIT_S)
    address = read_address(module_daemon.paths)
    assert address is not None
    assert second.returncode == 2
    assert address.url in errors.decode() and str(address.pid) in errors.decode()
    assert module_daemon.get("/healthz")["pid"] == address.pid


def test_killed_daemon_answers_at_once_and_embeds_nothing_again(module_daemon: Daemon, repo: Path) -> None:
    daemon = module_daemon
    daemon.kill()
    assert read_address(daemon.paths) is None  # the file is there, its daemon is not
    assert recorded_address(daemon.paths.state) is not None
    (repo / "src" / "while_dead.py").write_text("def written_while_dead():\n    pass\n")
    mark = len(daemon.log())
    daemon.start()
    assert "place_order" in daemon.symbols("place_order")
    wait_for(lambda: "written_while_dead" in daemon.symbols("written_while_dead"))
    wait_for(lambda: daemon.is_settled("shop"))
    log = daemon.log()[mark:]
    assert "ended without stopping" in log
    assert "embeddings enabled — provider: static, dim: 128" in log
    assert "vector index ready: repo: shop" in log and "embedded 0" in log
    daemon.stop()
    assert recorded_address(daemon.paths.state) is None
    mark = len(daemon.log())
    daemon.start()
    wait_for(lambda: "index pass finished: repo: shop, whole, added 0" in daemon.log()[mark:])
    assert "ended without stopping" not in daemon.log()[mark:]
    finished = next(line for line in daemon.log()[mark:].splitlines() if "index pass finished" in line)
    assert "embedded 0" in finished


def test_taken_port_has_its_own_words_and_exit_code(daemon: Daemon) -> None:
    with socket.create_server(("127.0.0.1", 0)) as foreign:
        process = daemon.spawn(foreign.getsockname()[1])
        _, errors = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 3
    assert b"another program listens on 127.0.0.1:" in errors


def test_stop_in_the_middle_of_indexing_is_quick_and_loses_only_a_batch(daemon: Daemon, tmp_path: Path) -> None:
    root = tmp_path / "big"
    for number in range(600):
        path = root / f"d{number % 40}" / f"f{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(f"def function_{number}_{line}(a, b):\n    return a + b\n" for line in range(12)))
    daemon.start()
    assert daemon.ask("POST", "/v1/repos", {"path": str(root)})[0] == 202
    wait_for(lambda: daemon.repo("big")["files"] > 0 or daemon.repo("big")["progress"])
    assert daemon.get("/v1/search", q="function")["index"]["state"] == "indexing"
    assert daemon.ask("GET", "/readyz")[0] == 503
    assert daemon.stop() < 7.0
    daemon.start()
    assert daemon.repo("big")["state"] == "indexing"
    wait_for(lambda: daemon.is_settled("big"))
    assert daemon.repo("big")["files"] == 600


def test_long_home_is_no_trouble(tmp_path: Path) -> None:
    home = tmp_path / ("h" * 150)
    home.mkdir()
    daemon = Daemon(home)
    try:
        daemon.start()
        assert daemon.process is not None
        assert (daemon.paths.state / "daemon.json").stat().st_mode & 0o777 == 0o600
        daemon.process.send_signal(signal.SIGINT)
        daemon.process.communicate(timeout=LIMIT_S)
        assert daemon.process.returncode == 0
    finally:
        if daemon.process is not None and daemon.process.poll() is None:
            daemon.kill()
