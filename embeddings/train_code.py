"""Train the word table of code from the packages that code-sources.lock pins, to the byte. Run by hand.

    python embeddings/train_code.py table DIR      DIR's archives -> code-128d.bin
    python embeddings/train_code.py check DIR      train again and compare with what is here

DIR is what ``fetch_code.py DIR`` filled. Needs ``numpy==2.4.6`` and ``scipy==1.17.1``: another version, or a
processor without AVX2, may round the last bit otherwise. Nothing here is imported by ``gortex_py``.
"""

from __future__ import annotations

import os

# Before numpy is loaded: one thread and one set of kernels, or sums depend on the machine.
os.environ.update({"OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "Haswell"})

import argparse
import hashlib
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # run by hand from a checkout, installed or not

from fetch_code import read_lock, verify  # noqa: E402

from gortex_py.embed.table import encode_table  # noqa: E402
from gortex_py.text.tokens import WORD, identifier_parts  # noqa: E402

Floats = NDArray[np.float64]

DIM = 128
TABLE = HERE / f"code-{DIM}d.bin"

TOKENS = 20_000  # rows of the table
MIN_PACKAGES = 3  # a word of fewer packages is a name of theirs
PACKAGE_WORDS = 200_000  # read of one package, so that a large one does not speak for all
FILE_WORDS = 20_000
MAX_FILE_BYTES = 300_000
MAX_LINE_CHARS = 400
MAX_WORD_CHARS = 80
WINDOW = 8  # words to either side; the weight falls linearly to 1 at the edge
MIN_COUNT = 1.5  # pairs below it, summed over the packages, are chance
SMOOTHED = 0.75  # exponent of the context's frequency; below 1 it keeps rare words from looking informative
SPECTRUM = 0.5  # exponent of the singular values
DROPPED_COMPONENTS = 4
SEED = 7
OVERSAMPLED = 20
POWER_ROUNDS = 4

LANGUAGES = frozenset(
    ".c .cc .cjs .cpp .cxx .go .groovy .h .hpp .java .js .jsx .kt .lua .m .mjs .mm .php .py .rb .rs .scala .sh "
    ".swift .ts .tsx .zig".split()
)
GENERATED = (".d.ts", ".pb.go", "_pb2.py")
# Folders with other people's code, and the names of projects that ranking is measured on.
LEFT_OUT = frozenset(
    "_vendor bundled deps extern external externals i18n locale locales node_modules testdata third-party third_party "
    "thirdparty umd vendor vendored "
    "absl abseil-cpp alamofire bats chi circe cobra express fastapi flask fmt gson jackson libuv monolog nlohmann nvm "
    "okhttp okio pydantic rack rails redis redux requests serde starlette telescope tokio uv vapor vitest zls".split()
)


def main() -> int:
    parser = argparse.ArgumentParser(description="Train the word table of code")
    parser.add_argument("step", choices=["table", "check"])
    parser.add_argument("archives", type=Path, help="folder that fetch_code.py filled")
    arguments = parser.parse_args()
    blob = train(arguments.archives)
    digest = hashlib.sha256(blob).hexdigest()
    if arguments.step == "check":
        same = TABLE.read_bytes() == blob
        print(f"sha256 {digest}: the table here {'is' if same else 'is NOT'} what the sources give")
        return 0 if same else 1
    TABLE.write_bytes(blob)
    print(f"{TABLE.name}: {len(blob):,} bytes, sha256 {digest}")
    return 0


def train(archives: Path) -> bytes:
    """Return the bytes of the table."""
    packages = []
    for source in read_lock():
        verify(archives / source.file, source)
        packages.append(package_words(archives / source.file))
    words, frequency = choose_words(packages)
    counts = count_pairs(packages, words)
    vectors = flatten(factorise(positive_information(counts)), frequency)
    return encode_table(words, frequency.astype(np.float32), vectors.astype(np.float32))


# --- reading -------------------------------------------------------------------------------


def package_words(archive: Path) -> list[list[str]]:
    """Return the words of a package's files, each line of the package once, up to PACKAGE_WORDS.

    Once, since licences and boilerplate say nothing about the words in them. Files come in the
    order of their names' digests, so that a cut leaves a fair part of the package.
    """
    splitter = Splitter()
    seen: set[str] = set()
    files: list[list[str]] = []
    total = 0
    for _, text in sorted(_texts(archive)):
        if total >= PACKAGE_WORDS:
            break
        found: list[str] = []
        for line in map(str.strip, text.split("\n")):
            if len(line) <= MAX_LINE_CHARS and line not in seen:
                seen.add(line)
                found += splitter.parts(line)
        files.append(found[:FILE_WORDS])
        total += len(files[-1])
    return files


class Splitter:
    """Splits lines as the index does, remembering the words it met."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, ...]] = {}

    def parts(self, line: str) -> Iterator[str]:
        for word in WORD.findall(line):
            found = self._known.get(word)
            if found is None:
                found = self._known[word] = tuple(map(sys.intern, _usable_parts(word)))
            yield from found


def _usable_parts(word: str) -> list[str]:
    if len(word) > MAX_WORD_CHARS:
        return []
    return [part for part in identifier_parts(word) if len(part) > 1 and part.isascii() and part.isalpha()]


def _texts(archive: Path) -> Iterator[tuple[bytes, str]]:
    """Yield (digest of the name, text) of each source file."""
    for name, blob in _members(archive):
        yield hashlib.sha256(name.encode()).digest(), blob.decode("utf-8", errors="replace")


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    if archive.suffix in (".tgz", ".crate"):
        with tarfile.open(archive) as packed:
            for member in packed:
                if member.isfile() and is_source(member.name, member.size):
                    content = packed.extractfile(member)
                    assert content is not None
                    yield member.name, content.read()
        return
    with zipfile.ZipFile(archive) as zipped:
        for entry in zipped.infolist():
            if is_source(entry.filename, entry.file_size):
                yield entry.filename, zipped.read(entry)


def is_source(name: str, size: int) -> bool:
    """Tell whether a file of an archive is read: a programming language, the package's own, not generated."""
    path = PurePosixPath(name)
    if size > MAX_FILE_BYTES or path.suffix not in LANGUAGES or name.endswith(GENERATED) or ".min." in path.name:
        return False
    if path.parts[0] == "ziglang" and "/lib/std/" not in name:
        return False  # the rest are C libraries under many licences
    return LEFT_OUT.isdisjoint(part.lower() for part in path.parts[:-1])


# --- counting ------------------------------------------------------------------------------


def choose_words(packages: Sequence[Sequence[Sequence[str]]]) -> tuple[list[str], Floats]:
    """Return the words of the table and their frequencies, the mean of their shares of the packages."""
    holders: Counter[str] = Counter()
    shares: Counter[str] = Counter()
    for files in packages:
        counts = Counter(word for file in files for word in file)
        total = max(1, counts.total())
        for word, count in counts.items():
            holders[word] += 1
            # Integers, so that the order does not hang on the last bit of a float.
            shares[word] += count * 10**12 // total
    common = (word for word in shares if holders[word] >= MIN_PACKAGES)
    words = sorted(common, key=lambda word: (-shares[word], word))[:TOKENS]
    frequency = np.array([shares[word] for word in words], dtype=np.float64)
    return words, frequency / frequency.sum()


def count_pairs(packages: Sequence[Sequence[Sequence[str]]], words: Sequence[str]) -> sparse.csr_matrix:
    """Return (n, n) how often two words stand near each other, the root of each package's count summed.

    The root, since a pair that one package repeats is that package's habit; one that many share is the language's.
    """
    rows = {word: row for row, word in enumerate(words)}
    return _sum(_package_pairs(files, rows) for files in packages)


def _package_pairs(files: Sequence[Sequence[str]], rows: dict[str, int]) -> sparse.csr_matrix:
    gap = np.full(WINDOW, -1, np.int32)  # no pair reaches from one file into the next
    parts = [np.array([rows[word] for word in file if word in rows], np.int32) for file in files]
    run = np.concatenate([piece for part in parts for piece in (part, gap)] or [gap])
    pairs = np.empty((2, 0), np.int32)
    weights = np.empty(0, np.float64)
    size = (len(rows), len(rows))
    for distance in range(1, WINDOW + 1):
        left, right = run[:-distance], run[distance:]
        both = (left >= 0) & (right >= 0)
        pairs = np.concatenate((pairs, np.sort(np.stack((left[both], right[both])), axis=0)), axis=1)
        weights = np.concatenate((weights, np.full(np.count_nonzero(both), (WINDOW + 1 - distance) / WINDOW)))
    counts = sparse.coo_matrix((weights, tuple(pairs)), shape=size).tocsr()
    # A multiple of a power of two, so that sums are exact in any order.
    counts.data = np.round(np.sqrt(counts.data) * 2**16) / 2**16
    return counts


def _sum(matrices: Iterable[sparse.csr_matrix]) -> sparse.csr_matrix:
    """Return the sum, adding equals to equals: a small matrix added to a large one costs as much as two large."""
    pending: list[tuple[int, sparse.csr_matrix]] = []
    for matrix in matrices:
        pending.append((1, matrix))
        while len(pending) > 1 and pending[-1][0] == pending[-2][0]:
            (size, right), (_, left) = pending.pop(), pending.pop()
            pending.append((2 * size, left + right))
    upper = pending[0][1]
    for _, matrix in pending[1:]:
        upper = upper + matrix
    return (upper + upper.T).tocsr()


# --- the table -----------------------------------------------------------------------------


def positive_information(counts: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return the positive pointwise mutual information of each pair, with smoothed contexts."""
    pairs = counts.tocoo()
    margin = np.asarray(counts.sum(axis=1)).ravel()
    context = margin**SMOOTHED
    expected = margin[pairs.row] * (context / context.sum())[pairs.col]
    information = np.log(pairs.data / np.maximum(expected, np.finfo(np.float64).tiny))
    kept = (information > 0) & (pairs.data >= MIN_COUNT)
    # Rounded, so that a logarithm that differs in its last bit between processors does not matter.
    values = np.round(information[kept] * 2**12) / 2**12
    matrix = sparse.csr_matrix((values, (pairs.row[kept], pairs.col[kept])), shape=counts.shape)
    return matrix.astype(np.float32)


def factorise(matrix: sparse.csr_matrix) -> Floats:
    """Return (n, DIM) left singular vectors, weighted by their values' root: randomised, with power rounds."""
    start = np.random.default_rng(SEED).standard_normal((matrix.shape[1], DIM + OVERSAMPLED)).astype(np.float32)
    turned = matrix.T.tocsr()
    basis = start
    for _ in range(POWER_ROUNDS):
        basis = np.linalg.qr(matrix @ basis)[0]
        basis = np.linalg.qr(turned @ basis)[0]
    left, triangle = np.linalg.qr(matrix @ basis)
    inner, values, _ = np.linalg.svd(triangle.astype(np.float64))
    vectors: Floats = (left @ inner)[:, :DIM] * values[:DIM] ** SPECTRUM
    return vectors


def flatten(vectors: Floats, frequency: Floats) -> Floats:
    """Return unit rows without their mean, weighted by the root of the frequency, and their dominant directions."""
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    weights = np.sqrt(frequency)
    centred = unit - np.average(unit, axis=0, weights=weights)
    _, axes = np.linalg.eigh((centred * weights[:, None]).T @ centred)
    top = axes[:, -DROPPED_COMPONENTS:]
    flat: Floats = centred - centred @ top @ top.T
    return flat


if __name__ == "__main__":
    sys.exit(main())
