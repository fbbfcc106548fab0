"""Reading a file that may have changed since the walk saw it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from hashlib import blake2b
from pathlib import Path

import pytest

from gortex_py.source.read import ReadFile, ReadOptions, read_file
from gortex_py.source.walk import walk
from gortex_py.types import FileCategory, FileStat, Skipped, SkipReason

Grow = Callable[[Mapping[str, str | bytes]], Path]


def read(root: Path, path: str, cap_bytes: int = 8 * 1024 * 1024) -> ReadFile | Skipped:
    return read_file(root, FileStat(path, 1, 1), ReadOptions(cap_bytes))


def text_of(read: ReadFile | Skipped) -> str:
    assert isinstance(read, ReadFile), read
    return read.text


def reason_of(read: ReadFile | Skipped) -> SkipReason:
    assert isinstance(read, Skipped), read
    return read.reason


def test_a_file_comes_with_its_facts(grow: Grow) -> None:
    data = "\ufeffdef café():\r\n    pass\r\n".encode()
    root = grow({"tests/a.py": data})
    (found,) = walk(root).files
    result = read_file(root, found)
    assert isinstance(result, ReadFile)
    assert result.text == "def café():\n    pass\n"
    assert (result.encoding, result.is_guess) == ("utf-8", False)
    file = result.file
    assert (file.path, file.size_bytes, file.mtime_ns) == (found.path, found.size_bytes, found.mtime_ns)
    assert (file.language, file.category) == ("python", FileCategory.TEST)
    assert file.digest == blake2b(data, digest_size=16).hexdigest()


def test_a_latin_1_file_is_read_and_flagged(grow: Grow) -> None:
    result = read(grow({"a.py": "# é\n".encode("latin-1")}), "a.py")
    assert isinstance(result, ReadFile)
    assert (result.text, result.is_guess) == ("# é\n", True)


def test_utf_16_is_text(grow: Grow) -> None:
    root = grow({"a.cs": b"\xff\xfe" + "class Needle16 {}".encode("utf-16-le")})
    assert text_of(read(root, "a.cs")) == "class Needle16 {}"


def test_a_word_in_five_megabytes_on_one_line_is_there(grow: Grow) -> None:
    root = grow({"app.min.js": "var a=1;" * 320_000 + "needle();" + "var b=2;" * 320_000})
    assert "needle" in text_of(read(root, "app.min.js"))


def test_binary_files_are_named(grow: Grow) -> None:
    root = grow({"a.pdf": b"%PDF-1.7\nwords\n", "random.txt": os.urandom(5_000)})
    assert read(root, "a.pdf") == Skipped("a.pdf", SkipReason.BINARY, "a PDF")
    assert reason_of(read(root, "random.txt")) is SkipReason.BINARY


def test_a_file_that_grew_over_the_cap_is_skipped(grow: Grow) -> None:
    for size in (1001, 100_000, 300_000):
        result = read(grow({"a.py": "x" * size}), "a.py", 1000)
        assert result == Skipped("a.py", SkipReason.TOO_LARGE, f"{size:,} bytes, the cap is 1,000")
    assert len(text_of(read(grow({"a.py": "x" * 1000}), "a.py", 1000))) == 1000


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf"], ids=["no bytes", "only a mark"])
def test_a_file_without_text_is_empty(grow: Grow, data: bytes) -> None:
    assert reason_of(read(grow({"a.py": data}), "a.py")) is SkipReason.EMPTY


def test_a_file_swapped_for_something_else_is_not_opened(grow: Grow, tmp_path: Path) -> None:
    root = grow({"a.py": "x", "s/b.py": "x"})
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "b.py").write_text("secret")
    os.mkfifo(root / "pipe.py")
    (root / "link.py").symlink_to(tmp_path / "secret" / "b.py")
    (root / "t").symlink_to(tmp_path / "secret")
    assert reason_of(read(root, "pipe.py")) is SkipReason.NOT_REGULAR
    assert reason_of(read(root, "link.py")) is SkipReason.LINK_OUTSIDE
    assert isinstance(read(root, "t/b.py"), Skipped)
    assert reason_of(read(root, "s")) is SkipReason.NOT_REGULAR


@pytest.mark.parametrize("path", ["../secret.py", "s/../../secret.py", "/etc/hosts", "", "s//b.py", "./b.py"])
def test_a_path_that_leaves_the_root_is_refused(grow: Grow, path: str) -> None:
    root = grow({"s/b.py": "x", "b.py": "x"})
    (root.parent / "secret.py").write_text("secret")
    assert reason_of(read(root, path)) is SkipReason.LINK_OUTSIDE


def test_a_file_that_is_gone_says_so(grow: Grow) -> None:
    assert read(grow({"a.py": "x"}), "b.py") == Skipped("b.py", SkipReason.UNREADABLE, "no such file or directory")


def test_a_file_without_permission_says_so(
    open_folder: Path, unprivileged: Callable[[], AbstractContextManager[None]]
) -> None:
    (open_folder / "a.py").write_text("x")
    (open_folder / "a.py").chmod(0)
    with unprivileged():
        assert read(open_folder, "a.py") == Skipped("a.py", SkipReason.UNREADABLE, "permission denied")


def test_reading_leaves_no_descriptor_open(grow: Grow) -> None:
    root = grow({"s/t/a.py": "x", "s/a.pdf": b"%PDF-"})
    before = len(list(Path("/dev/fd").iterdir()))
    for path in ("s/t/a.py", "s/a.pdf", "s/gone", "gone/a", "../a", "s"):
        read(root, path)
    assert len(list(Path("/dev/fd").iterdir())) == before
