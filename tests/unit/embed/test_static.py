from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gortex_py.embed.static import StaticEmbedder
from gortex_py.embed.table import WordTable, read_table
from gortex_py.embed.variants import VARIANTS, table_file
from gortex_py.settings.paths import bundled


def make_table(words: dict[str, list[float]], frequency: float = 0.001, digest: str = "ab" * 32) -> WordTable:
    vectors = np.array(list(words.values()), dtype=np.float32)
    return WordTable(tuple(words), np.full(len(words), frequency, dtype=np.float32), vectors, digest)


@pytest.fixture
def axes() -> StaticEmbedder:
    return StaticEmbedder(make_table({"parsing": [1, 0, 0], "file": [0, 1, 0], "parses": [0, 0, 1]}))


@pytest.fixture(scope="module", params=VARIANTS)
def shipped(request: pytest.FixtureRequest) -> StaticEmbedder:
    return StaticEmbedder(read_table(bundled("embeddings") / table_file(request.param)))


def test_identifiers_are_read_by_their_parts(axes: StaticEmbedder) -> None:
    spellings = axes.embed(["parsingFile", "parsing_file", "PARSING file", "Parsing-File"])
    assert np.allclose(spellings, [[0.5**0.5, 0.5**0.5, 0]] * 4)


def test_an_absent_word_stands_for_the_most_frequent_of_its_stem(axes: StaticEmbedder) -> None:
    assert axes.embed(["parsed"])[0].tolist() == [1, 0, 0]


def test_a_single_letter_has_no_stem() -> None:
    # The English rules make "a" of "aed".
    embedder = StaticEmbedder(make_table({"aed": [1, 0]}))
    assert not embedder.embed(["a b"]).any()


def test_a_frequent_word_weighs_less() -> None:
    table = make_table({"self": [1, 0], "token": [0, 1]})
    embedder = StaticEmbedder(WordTable(table.words, np.array([0.1, 1e-5], np.float32), table.vectors, table.digest))
    vector = embedder.embed(["self.token"])[0]
    assert vector[1] > 10 * vector[0] > 0


def test_words_that_cancel_out_give_a_zero_row() -> None:
    embedder = StaticEmbedder(make_table({"up": [0.3, 0.1], "down": [-0.3, -0.1]}))
    assert not embedder.embed(["up down"]).any()


def test_the_fingerprint_follows_the_table_and_not_the_name() -> None:
    table = make_table({"file": [1.0]})
    named = StaticEmbedder(table, name="local → static fallback")
    assert named.name == "local → static fallback"
    assert named.fingerprint == StaticEmbedder(table).fingerprint
    other = make_table({"file": [1.0]}, digest="cd" * 32)
    assert StaticEmbedder(other).fingerprint != named.fingerprint


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("remove an account", "def delete_user(self)", "def draw_circle(self)"),
        ("log in with a password", "authenticate(username, credentials)", "compress(image, quality)"),
        ("configuration settings", "load_config(path)", "send_email(recipient)"),
        ("convert an object to text", "def serialize(value) -> str", "class WindowManager"),
        ("wait without blocking", "async def await_event(loop)", "matrix_multiply(rows, columns)"),
        ("regular expression", "regex", "socket"),
    ],
)
def test_what_means_the_same_lies_nearer(shipped: StaticEmbedder, question: str, near: str, far: str) -> None:
    vectors = shipped.embed([question, near, far])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.05


def test_scripts_that_are_not_in_the_table_are_unknown(shipped: StaticEmbedder) -> None:
    assert not shipped.embed(["用户登录", "пользователь", "\ud800", "😀"]).any()


def test_building_words_are_all_in_the_table() -> None:
    folder = Path(bundled("embeddings/glove-50d.bin")).parent
    words = [line.split()[0] for line in (folder / "words.txt").read_text(encoding="utf-8").splitlines()]
    assert list(read_table(folder / "glove-50d.bin").words) == words


@pytest.fixture(scope="module")
def code() -> WordTable:
    return read_table(bundled("embeddings") / table_file(VARIANTS[0]))


@pytest.mark.parametrize(
    ("word", "kin"),
    [
        ("socket", {"tcp", "sock", "connect", "listen"}),
        ("mutex", {"lock", "unlock", "guard", "thread"}),
        ("async", {"await", "callback", "asynchronous", "task"}),
        ("config", {"configuration", "configs", "cfg", "opts"}),
        ("oauth", {"auth", "authenticate", "authorization", "bearer", "token"}),
    ],
)
def test_the_default_table_knows_words_as_programs_use_them(code: WordTable, word: str, kin: set[str]) -> None:
    unit = code.vectors / np.maximum(np.linalg.norm(code.vectors, axis=1, keepdims=True), 1e-9)
    order = np.argsort(-(unit @ unit[code.words.index(word)]))[1:31]
    assert len(kin & {code.words[row] for row in order}) >= 2
