"""The real engine behind an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from gortex_py.evaluation.pipeline import LocalPipeline
from gortex_py.types import FloatArray, Query


class OneWordEmbedder:
    """Knows one direction."""

    name = "one"
    dim = 2
    fingerprint = "one-1"

    def __init__(self) -> None:
        self.texts = 0

    def embed(self, texts: Sequence[str], /) -> FloatArray:
        self.texts += len(texts)
        return np.tile(np.array([1.0, 0.0], dtype=np.float32), (len(texts), 1))


def test_an_index_is_built_searched_and_kept(tmp_path: Path) -> None:
    root, folder = tmp_path / "shop", tmp_path / "index"
    root.mkdir()
    folder.mkdir()
    (root / "pay.py").write_text("def charge_card(amount):\n    return amount\n", encoding="utf-8")
    (root / "cart.py").write_text("def add_item(cart, item):\n    cart.append(item)\n", encoding="utf-8")
    embedder = OneWordEmbedder()
    with closing(LocalPipeline(embedder)) as pipeline:
        assert pipeline.index(root, folder) == 2
        with pipeline.open("shop", folder) as searcher:
            (hit, *_) = searcher.search(Query("charge card")).hits
        assert (hit.repo, hit.path, hit.start_line) == ("shop", "pay.py", 1)
        embedded = embedder.texts
        assert embedded >= 2
        (root / "refund.py").write_text("def refund(amount):\n    return -amount\n", encoding="utf-8")
        assert pipeline.index(root, folder) == 3
    # Only the new file's texts, and the one query above, went through the embedder since.
    assert embedder.texts - embedded == 1
