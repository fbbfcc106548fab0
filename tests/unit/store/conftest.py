from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gortex_py.store import Store, StoreIdentity

IDENTITY = StoreIdentity(index_fingerprint="index-1", embedder_fingerprint="embedder-1", dim=4)
OpenStore = Callable[..., Store]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def open_store(folder: Path) -> Iterator[OpenStore]:
    """Give a function that opens the folder's index; closes what is still open at the end."""
    opened: list[Store] = []

    def open_(identity: StoreIdentity = IDENTITY) -> Store:
        opened.append(Store.open(folder, identity))
        return opened[-1]

    yield open_
    for store in opened:
        store.close()
