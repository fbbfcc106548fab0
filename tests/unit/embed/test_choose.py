from __future__ import annotations

import logging
from pathlib import Path

import pytest

from gortex_py.embed.choose import PROVIDERS, Build, EmbedOptions, choose_embedder
from gortex_py.errors import EmbeddingFailed
from gortex_py.protocols import Embedder
from gortex_py.settings.paths import bundled


@pytest.fixture(scope="module")
def table() -> Path:
    return bundled("embeddings/glove-50d.bin")


@pytest.mark.parametrize("enabled", [None, True])
def test_static_is_on_unless_it_is_turned_off(table: Path, enabled: bool | None) -> None:
    choice = choose_embedder(EmbedOptions(enabled=enabled), table)
    assert choice.embedder is not None
    assert choice.embedder.name == "static"
    assert [line.message for line in choice.lines] == ["embeddings enabled — provider: static, dim: 50"]
    assert choice.problems == ()


def test_turned_off_is_no_problem(tmp_path: Path) -> None:
    choice = choose_embedder(EmbedOptions(enabled=False), tmp_path / "absent.bin")
    assert choice.embedder is None
    assert [line.message for line in choice.lines] == ["embeddings disabled"]
    assert choice.problems == ()


def test_an_unknown_provider_degrades_under_an_honest_name(table: Path) -> None:
    choice = choose_embedder(EmbedOptions(provider="local"), table)
    assert choice.embedder is not None
    assert choice.embedder.name == "local → static fallback"
    warning, enabled = choice.lines
    assert warning.level == logging.WARNING
    assert "embedding backend unavailable — degraded to static fallback" in warning.message
    assert "'local'" in warning.message
    assert enabled.message == "embeddings enabled — provider: local → static fallback, dim: 50"
    assert len(choice.problems) == 1


def test_a_provider_that_cannot_run_degrades_too(table: Path) -> None:
    def failing(build: Build) -> Embedder:
        raise EmbeddingFailed("no model in ~/models")

    choice = choose_embedder(EmbedOptions(provider="local"), table, providers={**PROVIDERS, "local": failing})
    assert choice.embedder is not None
    assert "no model in ~/models" in choice.lines[0].message


def test_a_provider_that_runs_carries_its_own_name(table: Path) -> None:
    choice = choose_embedder(EmbedOptions(provider="mine"), table, providers={**PROVIDERS, "mine": PROVIDERS["static"]})
    assert choice.embedder is not None
    assert choice.embedder.name == "mine"
    assert len(choice.lines) == 1


@pytest.mark.parametrize("provider", ["static", "local"])
def test_a_broken_table_leaves_search_lexical_and_is_named(tmp_path: Path, provider: str) -> None:
    broken = tmp_path / "glove.bin"
    broken.write_bytes(b"version https://example.invalid\n")
    choice = choose_embedder(EmbedOptions(provider=provider), broken)
    assert choice.embedder is None
    assert str(broken) in choice.problems[-1].what
    assert "embeddings requested but unavailable" in choice.lines[-1].message
    assert not any("embeddings enabled" in line.message for line in choice.lines)
