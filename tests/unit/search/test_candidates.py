"""Which files get a closer look: the best of every channel, and always those that are named."""

from __future__ import annotations

import numpy as np
import pytest

from gortex_py.query.words import read_words
from gortex_py.search.candidates import HEAD, Candidates, Scope, find_named, gather
from gortex_py.search.question import pose
from gortex_py.types import Corpus
from tests.fakes import HashEmbedder
from tests.unit.search.conftest import Ask, Asking

CROWD = {
    f"m{i:03}.py": f"# carton {'carton ' * (i % 9)}\ndef seal_{i}(seal):\n    return seal\n" for i in range(HEAD + 70)
}
NAMED = {"deep/named.py": "def seal():\n    pass\n" + "filler = 1\n" * 90}


@pytest.fixture(scope="module")
def code(ask: Ask) -> Asking:
    return ask(CROWD | NAMED)


def gathered(
    code: Asking, text: str, *, head: int = 10, allowed: np.ndarray | None = None
) -> tuple[Candidates, list[str]]:
    reader = code.engine.reader
    words, facts = read_words(text), reader.file_facts()
    allowed = np.ones(len(facts.ids), np.bool_) if allowed is None else allowed
    scope = Scope(allowed=allowed, corpus=Corpus.CODE, vector=None, alpha=0.5, path=words.path, head=head)
    found = gather(pose(words, reader, len(facts.ids)), find_named(words, reader), scope, reader)
    return found, [facts.paths[row] for row in found.rows]


def test_the_head_is_bounded_and_all_that_match_are_counted(code: Asking) -> None:
    found, _ = gathered(code, "carton")
    assert len(found.rows) == HEAD
    assert found.matched == HEAD + 70
    assert set(found.blocks.tolist()) == {0}
    assert found.file_ids.tolist() == sorted(found.file_ids.tolist())


def test_a_wider_head_adds_whole_blocks_and_leaves_the_first_as_it_is(code: Asking) -> None:
    first, _ = gathered(code, "carton")
    wide, _ = gathered(code, "carton", head=HEAD + 1)
    assert len(wide.rows) == HEAD + 70
    assert wide.matched == first.matched
    assert wide.rows[wide.blocks == 0].tolist() == first.rows.tolist()


def test_a_named_file_is_looked_at_though_it_matches_worse(code: Asking) -> None:
    for text in ("seal", "seal carton", "Seal"):
        assert "deep/named.py" in gathered(code, text)[1]
    assert "deep/named.py" not in gathered(code, "carton")[1]


def test_a_file_whose_path_is_the_query_is_looked_at(code: Asking) -> None:
    assert "deep/named.py" in gathered(code, "deep/named.py")[1]


def test_what_is_not_allowed_is_no_candidate_however_sure(code: Asking) -> None:
    facts = code.engine.reader.file_facts()
    allowed = np.array([path != "deep/named.py" for path in facts.paths])
    for text in ("seal", "deep/named.py"):
        assert "deep/named.py" not in gathered(code, text, allowed=allowed)[1]
    none, paths = gathered(code, "carton", allowed=np.zeros(len(facts.ids), np.bool_))
    assert (none.matched, paths) == (0, [])


@pytest.mark.parametrize(
    ("text", "word", "names"),
    [
        ("seal", -1, ["seal"]),
        ("SEAL", -1, ["seal"]),
        ("Box.seal", -1, ["seal"]),
        ("how to seal a carton", 0, ["seal"]),
        ("open it", -1, []),
    ],
)
def test_symbols_are_named_by_words_and_by_the_whole(code: Asking, text: str, word: int, names: list[str]) -> None:
    named = find_named(read_words(text), code.engine.reader)
    assert [symbol.name for symbol in named.by_word.get(word, ())] == names


def test_answers_do_not_hang_on_the_order_in_which_files_were_indexed(ask: Ask) -> None:
    # More files that fit equally well than a page or a head has room for, by text and by vectors.
    files = {
        f"d{i % 7}/gate_{i}.py": f"def open_gate_{i % 3}(lane):\n    return lane.open()\n" for i in range(HEAD + 60)
    }
    files |= {f"docs/n{i}.md": "# Gate\n\nHow to open the gate lane.\n" for i in range(HEAD + 60)}
    backwards = dict(reversed(files.items()))
    first, second = (ask(order, embedder=HashEmbedder()) for order in (files, backwards))
    for query in ("open gate lane", "how is the gate opened", "open_gate_1"):
        for corpus in Corpus:
            assert first.paths(query, limit=100, corpus=corpus) == second.paths(query, limit=100, corpus=corpus)
