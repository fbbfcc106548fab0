"""Long runs of what a working day does to a watched repository: storms, first edits, edits under a running pass."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from gortex_py.evaluation.metrics import percentile
from gortex_py.service.address import read_address
from tests.daemon.conftest import Daemon, wait_for
from tests.daemon.large import QUERIES, make_large
from tests.daemon.test_soak import difference, new_daemon, say, undisturbed

pytestmark = pytest.mark.soak
CONSONANTS = "bcdfghjklmnpqrstvwxz"


def new_word() -> str:
    """Return a word that occurs nowhere."""
    return "".join(random.choice(CONSONANTS) for _ in range(14))


def until(condition: Callable[[], object], limit_s: float = 30.0) -> float:
    """Return the milliseconds until a condition holds."""
    began = time.monotonic()
    wait_for(condition, limit_s)
    return (time.monotonic() - began) * 1000


def told(name: str, times_ms: list[float]) -> float:
    p95 = percentile(times_ms, 95)
    say(f"{name}: {len(times_ms)} tries, p50 {percentile(times_ms, 50):.0f}, p95 {p95:.0f}, max {max(times_ms):.0f} ms")
    return p95


def own_bytes(daemon: Daemon) -> int:
    """Return the resident bytes that are no mapped file's: those cost nothing that the system cannot take back."""
    assert daemon.process is not None
    lines = Path(f"/proc/{daemon.process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) << 10


def memory(daemon: Daemon) -> str:
    sizes = daemon.processes()
    assert daemon.process is not None
    own = sizes.pop(daemon.process.pid)
    below = sorted(size >> 20 for size in sizes.values())
    return f"daemon {own >> 20} MB (own {own_bytes(daemon) >> 20} MB), below it {below} MB"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Daemon]:
    daemon = new_daemon(tmp_path / "home").start()
    yield daemon
    if daemon.process is not None:
        daemon.kill()


def track_large(daemon: Daemon, root: Path) -> None:
    assert daemon.ask("POST", "/v1/repos", {"path": str(root)})[0] == 202
    wait_for(lambda: daemon.is_settled(root.name), 600)


def test_the_first_edit_after_a_start_is_seen_within_a_second(running: Daemon, tmp_path: Path) -> None:
    root = make_large(tmp_path / "work" / "large")
    track_large(running, root)
    running.wait_until_quiet("large")
    running.stop()
    running.start()
    running.wait_until_quiet("large")
    times_ms = []
    for number in range(20):
        running.stop()
        running.start()
        wait_for(lambda: running.is_settled("large") and running.repo("large")["watch"] != "off")
        running.wait_until_quiet("large", quiet_s=2.0 + number % 4)
        word = new_word()
        (root / f"first_{number}.py").write_text(f"def {word}(request):\n    return request\n")
        times_ms.append(until(lambda word=word: running.files(word)))
    assert told("first edit after a start", times_ms) < 1000


def test_a_storm_of_touches_costs_no_memory_and_hides_no_edit(running: Daemon, tmp_path: Path) -> None:
    root = tmp_path / "work" / "storm"
    files = [root / f"d{number % 97}" / f"e{number % 7}" / f"f{number}.py" for number in range(20_000)]
    for number, file in enumerate(files):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"def storm_{number}(a, b):\n    return a + b\n")
    track_large(running, root)
    running.wait_until_quiet("storm")
    for number in range(60):  # each search thread has its own caches
        running.files(f"storm_{number}")
    say(f"before: {memory(running)}")
    base = own_bytes(running)
    for _ in range(3):
        began = time.monotonic()
        for file in files:
            os.utime(file)
        touched_s = time.monotonic() - began
        word = new_word()
        files[777].write_text(f"def {word}(a, b):\n    return a + b\n")
        found_ms = until(lambda word=word: running.files(word), 60)
        running.wait_until_quiet("storm")
        say(f"20,000 touches in {touched_s:.1f} s; an edit right after found in {found_ms:.0f} ms; {memory(running)}")
        assert found_ms < 10_000
    wait_for(lambda: len(running.processes()) <= 3, 60)
    say(f"idle again: {memory(running)}")
    assert own_bytes(running) < base + (24 << 20)
    assert running.repo("storm")["files"] == 20_000


def test_edits_under_a_running_pass_are_not_lost(running: Daemon, tmp_path: Path) -> None:
    root = make_large(tmp_path / "work" / "large")
    files = [path for path in sorted(root.rglob("*")) if path.suffix in (".py", ".rb", ".js") and path.is_file()]
    rng = random.Random(5)
    rng.shuffle(files)
    assert running.ask("POST", "/v1/repos", {"path": str(root)})[0] == 202
    number = 0
    while not running.is_settled("large"):
        victim = files[number]
        if number % 3 == 0:
            victim.write_text(victim.read_text() + f"\ndef {new_word()}():\n    pass\n")
        elif number % 3 == 1:
            victim.unlink()
        else:
            victim.rename(victim.with_name(f"renamed_{number}{victim.suffix}"))
        number += 1
        time.sleep(0.05)
    running.wait_until_quiet("large")
    say(f"{number} changes under the first pass")
    assert number > 20
    fresh, _ = undisturbed(tmp_path / "fresh", root)
    assert difference(running.account("large", QUERIES), fresh) == {}


def test_searches_answer_quickly_while_two_repositories_are_indexed(running: Daemon, tmp_path: Path) -> None:
    one, two = (make_large(tmp_path / name / name) for name in ("one", "two"))
    for root in (one, two):
        assert running.ask("POST", "/v1/repos", {"path": str(root)})[0] == 202
    times_ms: list[float] = []
    control_ms: list[float] = []
    began = time.monotonic()
    address = read_address(running.paths)
    assert address is not None
    connection = HTTPConnection(address.host, address.port, timeout=30)
    while not (running.is_settled("one") and running.is_settled("two")):
        asked = time.monotonic()
        connection.request("GET", "/v1/search?q=open+account+session&limit=10")
        assert connection.getresponse().read()
        times_ms.append((time.monotonic() - asked) * 1000)
        asked = time.monotonic()
        assert running.ask("GET", "/v1/status")[0] == 200
        control_ms.append((time.monotonic() - asked) * 1000)
        time.sleep(0.02)
    say(f"two repositories in {time.monotonic() - began:.1f} s; {memory(running)}")
    # Bounded also where other programs keep both cores busy.
    searches_ms, status_ms = told("searches meanwhile", times_ms), told("status meanwhile", control_ms)
    assert max(searches_ms, status_ms) < 2000
    first, second = (running.account(name, QUERIES) for name in ("one", "two"))
    assert difference(first, second) == {}


def test_stop_in_the_middle_is_quick(tmp_path: Path) -> None:
    root = make_large(tmp_path / "work" / "large")
    times_ms = []
    for number in range(6):
        daemon = new_daemon(tmp_path / f"home{number}").start()
        try:
            assert daemon.ask("POST", "/v1/repos", {"path": str(root)})[0] == 202
            time.sleep(random.uniform(0.1, 8.0))
            below = set(daemon.processes())
            times_ms.append(daemon.stop() * 1000)
            # The process that workers are forked from ends by itself once the daemon is gone.
            wait_for(lambda below=below: not any(Path(f"/proc/{pid}").exists() for pid in below), 5)
        finally:
            if daemon.process is not None:
                daemon.kill()
    told("stop", times_ms)
    assert max(times_ms) < 5000


def test_saves_and_renames_in_a_row_end_in_the_last_state(running: Daemon, tmp_path: Path) -> None:
    root = make_large(tmp_path / "work" / "large")
    for number in range(500):
        path = root / "lots" / f"sub{number % 9}" / f"lot{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"def lot_{number}(x):\n    return x\n")
    track_large(running, root)
    running.wait_until_quiet("large")
    target = root / "saved.py"
    words = [new_word() for _ in range(50)]
    for word in words:
        temporary = root / f".saved.py.{word[:4]}~"
        temporary.write_text(f"def {word}(x):\n    return x\n")
        temporary.replace(target)
        time.sleep(0.02)
    say(f"the last of 50 saves: {until(lambda: running.files(words[-1]) == {'saved.py'}):.0f} ms")
    times_ms = []
    for _ in range(50):
        word = new_word()
        temporary = root / ".saved.tmp"
        temporary.write_text(f"def {word}(x):\n    return x\n")
        temporary.replace(target)
        times_ms.append(until(lambda word=word: running.files(word) == {"saved.py"}))
    assert told("atomic save", times_ms) < 1000
    assert not running.files(words[-1])
    for source, moved in (("lots", "many"), ("many", "lots")):
        before = running.repo("large")["files"]
        (root / source).rename(root / moved)
        found_ms = until(lambda moved=moved: running.files("lot_499") == {f"{moved}/sub4/lot499.py"})
        running.wait_until_quiet("large")
        say(f"a folder of 500 files renamed: {found_ms:.0f} ms")
        assert running.repo("large")["files"] == before
        assert running.files("lot_7") == {f"{moved}/sub7/lot7.py"}
    # edits in a renamed folder are still followed
    word = new_word()
    (root / "lots" / "sub1" / "lot1.py").write_text(f"def {word}(x):\n    return x\n")
    say(f"an edit in the renamed folder: {until(lambda: running.files(word) == {'lots/sub1/lot1.py'}):.0f} ms")
    (root / ".gitignore").write_text("lots/\n")
    (root / ".gortexignore").write_text("lots/\n")
    say(f"ignored: {until(lambda: not running.files('lot_7')):.0f} ms")
    running.wait_until_quiet("large")
    (root / ".gitignore").unlink()
    (root / ".gortexignore").unlink()
    say(f"ignored no more: {until(lambda: running.files('lot_7')):.0f} ms")
    running.wait_until_quiet("large")
    shutil.rmtree(root / "lots")
    say(f"a folder deleted: {until(lambda: not running.files('lot_7')):.0f} ms")
    running.wait_until_quiet("large")
    shutil.rmtree(root)
    say(f"root deleted, told after {until(lambda: running.repo('large')['state'] == 'failed'):.0f} ms")
    answer = running.get("/v1/search", q="open account")
    assert answer["results"] and any("not up to date" in warning for warning in answer["warnings"])
    make_large(root)
    say(f"root back, ready after {until(lambda: running.is_settled('large'), 120):.0f} ms")


def test_workers_end_when_there_is_nothing_to_do(running: Daemon, tmp_path: Path) -> None:
    say(f"empty: {memory(running)}")
    root = make_large(tmp_path / "work" / "large")
    peak = [""]
    done = threading.Event()

    def sample() -> None:
        most = 0
        while not done.wait(0.3):
            total = sum(running.processes().values())
            if total > most:
                most, peak[0] = total, memory(running)

    sampler = threading.Thread(target=sample)
    sampler.start()
    track_large(running, root)
    done.set()
    sampler.join()
    say(f"peak: {peak[0]}; after: {memory(running)}")
    wait_for(lambda: len(running.processes()) <= 3, 60)
    say(f"idle: {memory(running)}")
    for _ in range(200):
        running.account("large", QUERIES[:1])
    say(f"after 200 searches: {memory(running)}")


def may(*command: str) -> bool:
    """Say whether this system lets us run a command."""
    return shutil.which(command[0]) is not None and subprocess.run((*command, "true"), check=False).returncode == 0


AS_NOBODY_SPECIAL = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
WITH_FEW_WATCHES = ("unshare", "-Ur", "sh", "-c", 'echo 6 > /proc/sys/user/max_inotify_watches; exec "$@"', "x")


@pytest.mark.skipif(not os.geteuid() and not may(*AS_NOBODY_SPECIAL), reason="root reads everything")
def test_an_unreadable_folder_is_told_and_found_when_it_can_be_read(tmp_path: Path) -> None:
    daemon = new_daemon(tmp_path / "home")
    daemon.within = () if os.geteuid() else AS_NOBODY_SPECIAL
    root = make_large(tmp_path / "work" / "large", 30)
    locked = root / "locked"
    locked.mkdir()
    (locked / "hidden.py").write_text("def hidden_treasure():\n    pass\n")
    locked.chmod(0)
    try:
        daemon.start().track(root)
        assert daemon.repo("large")["degraded"][0]["part"] == "folders"
        assert "cannot be listed" in " ".join(daemon.get("/v1/search", q="hidden_treasure")["warnings"])
        locked.chmod(0o755)
        say(f"readable, found after {until(lambda: daemon.files('hidden_treasure'), 40):.0f} ms")
        daemon.wait_until_quiet("large", quiet_s=1.0)
        assert daemon.repo("large")["degraded"] == []
        (locked / "later.py").write_text("def later_treasure():\n    pass\n")
        assert until(lambda: daemon.files("later_treasure"), 20) < 2_000
    finally:
        locked.chmod(0o755)
        if daemon.process is not None:
            daemon.kill()


@pytest.mark.skipif(not may(*WITH_FEW_WATCHES), reason="needs user namespaces")
def test_a_low_limit_of_watches_is_told_and_the_tree_is_polled(tmp_path: Path) -> None:
    daemon = new_daemon(tmp_path / "home")
    daemon.within = WITH_FEW_WATCHES
    root = make_large(tmp_path / "work" / "large", 300)
    try:
        daemon.start().track(root)
        assert "max_user_watches" in daemon.repo("large")["watch"]
        assert "max_user_watches" in " ".join(daemon.get("/v1/search", q="open account")["warnings"])
        (root / "later.py").write_text("def later_treasure():\n    pass\n")
        say(f"polled, found after {until(lambda: daemon.files('later_treasure'), 40):.0f} ms")
    finally:
        if daemon.process is not None:
            daemon.kill()
