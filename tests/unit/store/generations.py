"""Batches that each write every file anew, so that a mixed state gives itself away."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from gortex_py.store import SqliteReader, SqliteWriter, Store
from gortex_py.store.rows import pack_file
from gortex_py.types import Corpus, Field
from tests.builders import make_analyzed
from tests.unit.store.conftest import IDENTITY

FILES = 12
PATHS = tuple(f"src/file{i}.py" for i in range(FILES))


def write_generation(writer: SqliteWriter, generation: int, *, say: bool = False) -> None:
    """Replace every file by one that carries the generation, with a vector of its own, in one batch."""
    with writer.batch():
        for i, path in enumerate(PATHS):
            body = [f"gen{generation}", "common", *(f"w{generation}x{j}" for j in range(200))]
            text = f"{generation}\n" * 50
            file = make_analyzed(path, [{Field.BODY: body}], text=text, unit_texts=[f"{generation}/{i}"])
            writer.replace_file(pack_file(file))
            if say:
                print("writing", generation, i, flush=True)  # noqa: T201
        hashes = writer.missing_vectors(100)
        writer.add_vectors(hashes, np.full((len(hashes), 4), generation, np.float32))
    if say:
        print("committed", generation, flush=True)  # noqa: T201


def assert_whole_state(reader: SqliteReader) -> int:
    """Check that every look-up sees the same generation; returns it."""
    with reader.session():
        generation = reader.generation
        if not generation:
            assert reader.file_facts().paths == ()
            return 0
        assert reader.file_facts().paths == PATHS
        ids = [*range(1, FILES + 1)]
        assert reader.search_files([f"gen{generation}"], {"body": 1.0})[0].tolist() == ids
        assert reader.search_files([f"gen{generation - 1}", f"gen{generation + 1}"], {"body": 1.0})[0].tolist() == []
        assert len(reader.search_files(["common"], {"body": 1.0})[0]) == FILES
        assert {reader.text(i) for i in ids} == {f"{generation}\n" * 50}
        assert len(reader.search_vectors(np.ones(4, np.float32), Corpus.ALL, 99)[0]) == FILES
        assert reader.document_frequencies(["common", f"w{generation}x7", f"w{generation - 1}x7"]) == {
            "common": FILES,
            f"w{generation}x7": FILES,
        }
        return generation


def main() -> None:
    """Write generations until killed, saying what is being done."""
    store = Store.open(Path(sys.argv[1]), IDENTITY)
    writer, generation = store.writer(), store.reader().generation
    while True:
        generation += 1
        write_generation(writer, generation, say=True)
        if generation % 7 == 0:
            writer.optimize()


if __name__ == "__main__":
    main()
