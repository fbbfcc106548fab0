"""Trees of files, and a way to act without root's right to read everything."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

Grow = Callable[[Mapping[str, str | bytes]], Path]


@pytest.fixture
def grow(tmp_path: Path) -> Grow:
    """Return a function that writes files below a fresh root and returns the root."""

    def grow_files(files: Mapping[str, str | bytes], root: Path = tmp_path / "root") -> Path:
        root.mkdir(exist_ok=True)
        for path, content in files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        return root

    return grow_files


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user may enter, unlike tmp_path."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    for path in folder.rglob("*"):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    shutil.rmtree(folder)


@pytest.fixture
def unprivileged() -> Callable[[], AbstractContextManager[None]]:
    """Return a context in which permissions bind even when the tests run as root."""

    @contextmanager
    def without_privileges() -> Iterator[None]:
        user = os.geteuid()
        if user == 0:
            os.seteuid(65534)
        try:
            yield
        finally:
            if user == 0:
                os.seteuid(0)

    return without_privileges
