"""Readers and crashes see whole batches only."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

from gortex_py.store import IndexVerdict, Store
from tests.unit.store.conftest import IDENTITY, OpenStore
from tests.unit.store.generations import FILES, assert_whole_state, main, write_generation

READERS = 50
BATCHES = 3


def test_fifty_readers_see_whole_states_while_batches_are_written(open_store: OpenStore) -> None:
    store = open_store()
    writer, readers = store.writer(), [store.reader() for _ in range(READERS)]
    with ThreadPoolExecutor(READERS) as pool:
        for generation in range(1, BATCHES + 1):
            looks = [pool.submit(assert_whole_state, reader) for reader in readers]
            write_generation(writer, generation)
            assert {look.result() for look in looks} <= {generation - 1, generation}
    assert {assert_whole_state(reader) for reader in readers[:5]} == {BATCHES}


def kill_at(folder: Path, line_number: int) -> int:
    """Run a writing process, kill it when it has said that many lines; returns the last commit it told of."""
    command = [sys.executable, "-m", main.__module__, str(folder)]
    committed = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for count, line in enumerate(process.stdout):
            word, generation, *_ = line.split()
            if word == "committed":
                committed = int(generation)
            if count == line_number:
                process.kill()
        assert process.wait() == -9
    return committed


def assert_survives(folder: Path, line_number: int) -> None:
    committed = kill_at(folder, line_number)
    store = Store.open(folder, IDENTITY)
    try:
        assert store.verdict in (IndexVerdict.CURRENT, IndexVerdict.NEW)
        reader, writer = store.reader(), store.writer()
        generation = assert_whole_state(reader)
        assert generation >= committed
        assert writer.missing_vectors(10) == []
        write_generation(writer, generation + 1)
        assert assert_whole_state(reader) == generation + 1
    finally:
        store.close()


def test_a_killed_writer_leaves_its_last_batch(folder: Path) -> None:
    random = Random(11)
    for _ in range(2):
        assert_survives(folder, random.randrange(2, 6 * (FILES + 1)))


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(40))
def test_killed_anywhere(folder: Path, seed: int) -> None:
    random = Random(seed)
    for _ in range(3):
        assert_survives(folder, random.randrange(0, 20 * (FILES + 1)))
