"""Events in, batches out: no clock but the one the test turns."""

from __future__ import annotations

from gortex_py.service.settle import Batch, SettleOptions, Settler

OPTIONS = SettleOptions(
    settle_ms=150, max_wait_ms=600, storm_paths=10, storm_wait_ms=5_000, max_files_per_dir=20, max_paths=100
)


def test_path_is_given_when_it_has_been_quiet() -> None:
    settler = Settler(OPTIONS)
    settler.add("a.py", 0.0)
    assert settler.take(0.10) is None
    settler.add("a.py", 0.10)  # the rename of an atomic save
    assert settler.take(0.20) is None
    assert settler.due_s() == 0.25
    assert settler.take(0.25) == Batch(frozenset({"a.py"}))
    assert settler.take(9.0) is None
    assert settler.due_s() is None


def test_path_that_never_rests_does_not_hold_back_another() -> None:
    settler = Settler(OPTIONS)
    for step in range(6):
        settler.add("noisy.log", step * 0.1)
        if step == 1:
            settler.add("edit.py", 0.1)
    assert settler.take(0.5) == Batch(frozenset({"edit.py"}))
    settler.add("noisy.log", 0.6)
    assert settler.take(0.6) == Batch(frozenset({"noisy.log"}))  # waited its longest


def test_checkout_of_three_hundred_files_is_one_batch() -> None:
    settler = Settler(SettleOptions(max_files_per_dir=1000))
    batches = []
    for number in range(300):
        now_s = number * 0.002
        settler.add(f"src/d{number % 9}/f{number}.py", now_s)
        batches.append(settler.take(now_s))
    batches.append(settler.take(0.6 + 0.15))
    given = [batch for batch in batches if batch is not None]
    assert len(given) == 1
    assert len(given[0].paths) == 300


def test_storm_that_does_not_end_is_given_in_slices() -> None:
    settler = Settler(OPTIONS)
    given = 0
    for number in range(2_400):
        settler.add(f"d{number % 30}/{number % 60}.py", number * 0.005)
        given += settler.take(number * 0.005) is not None
    assert given == 2  # twelve seconds of noise, one slice in five


def test_many_files_of_a_directory_become_the_directory() -> None:
    settler = Settler(OPTIONS)
    for number in range(30):
        settler.add(f"lib/gen/{number}.py", 0.0)
    settler.add("lib/gen/deep/x.py", 0.0)
    settler.add("lib/other.py", 0.0)
    batch = settler.take(1.0)
    assert batch == Batch(frozenset({"lib/gen", "lib/other.py"}))
    settler.add("lib/gen/1.py", 2.0)
    assert settler.take(3.0) == Batch(frozenset({"lib/gen/1.py"}))  # nothing of the storm is left behind


def test_too_many_changes_ask_for_a_census() -> None:
    for name in ("d{}/f.py", "{}.py"):  # everywhere, and in the root
        settler = Settler(OPTIONS)
        for number in range(120):
            settler.add(name.format(number), 0.0)
        batch = settler.take(1.0)
        assert batch is not None and batch.census and not batch.paths


def test_census_swallows_paths_and_waits_for_quiet() -> None:
    settler = Settler(OPTIONS)
    settler.add("a.py", 0.0)
    settler.add_census("events were lost", 0.0)
    settler.add("b.py", 0.1)
    assert settler.take(0.2) is None
    assert settler.take(0.25) == Batch(frozenset(), "events were lost")
    assert settler.take(9.0) is None
