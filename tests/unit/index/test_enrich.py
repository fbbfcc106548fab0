"""Whole-repository facts are made at the end of a pass, from what the pass left."""

from __future__ import annotations

from gortex_py.index.indexer import Indexer
from gortex_py.protocols import Enrichment, StoreReader
from tests.unit.index.conftest import Repo

A = "def parse_config(path):\n    return open(path)\n"


class CountsFiles:
    """Stores the number of files; stands while nothing changed, or little unless told to be thorough."""

    name = "count"

    def __init__(self) -> None:
        self.asked: list[tuple[int | None, bool]] = []

    def refresh(self, reader: StoreReader, before: Enrichment | None, *, thorough: bool) -> Enrichment | None:
        self.asked.append((before.behind if before else None, thorough))
        if before is not None and (before.behind == 0 or not thorough):
            return None
        return Enrichment("", str(len(reader.file_facts().ids)).encode())


def test_facts_are_made_of_all_files_and_kept_while_they_stand(repo: Repo) -> None:
    maker = CountsFiles()
    indexer = Indexer(repo.root, repo.store, repo.embedder, enrichers=[maker])
    repo.write("a.py", A)
    repo.write("b.py", A)
    indexer.run()
    generation = repo.reader().generation
    indexer.run()
    assert repo.reader().generation == generation
    repo.write("c.py", A)
    indexer.run(["c.py"])
    found = repo.reader().enrichment("count")
    assert found is not None and (found.data, found.behind) == (b"2", 1)
    indexer.run()
    found = repo.reader().enrichment("count")
    assert found is not None and (found.data, found.behind) == (b"3", 0)
    assert maker.asked == [(None, True), (0, True), (1, False), (1, True)]
    indexer.close()


def test_a_cancelled_pass_makes_no_facts_of_half_the_files(repo: Repo) -> None:
    maker = CountsFiles()
    indexer = Indexer(repo.root, repo.store, repo.embedder, enrichers=[maker])
    for i in range(20):
        repo.write(f"m{i}.py", A)
    indexer.run(cancelled=lambda: True)
    assert maker.asked == []
    indexer.close()
