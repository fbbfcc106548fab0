from __future__ import annotations

import logging
from pathlib import Path

import pytest

from gortex_py.embed.choose import PROVIDERS, Build, EmbedOptions, choose_embedder
from gortex_py.embed.table import read_table
from gortex_py.embed.variants import VARIANTS, table_file
from gortex_py.errors import EmbeddingFailed
from gortex_py.protocols import Embedder
from gortex_py.settings.paths import bundled

DIM = read_table(bundled("embeddings") / table_file(VARIANTS[0])).dim


@pytest.fixture(scope="module")
def tables() -> Path:
    return bundled("embeddings")


@pytest.mark.parametrize("enabled", [None, True])
def test_static_is_on_unless_it_is_turned_off(tables: Path, enabled: bool | None) -> None:
    choice = choose_embedder(EmbedOptions(enabled=enabled), tables)
    assert choice.embedder is not None
    assert choice.embedder.name == "static"
    assert [line.message for line in choice.lines] == [f"embeddings enabled — provider: static, dim: {DIM}"]
    assert choice.problems == ()


def test_turned_off_is_no_problem(tmp_path: Path) -> None:
    choice = choose_embedder(EmbedOptions(enabled=False), tmp_path)
    assert choice.embedder is None
    assert [line.message for line in choice.lines] == ["embeddings disabled"]
    assert choice.problems == ()


def test_an_unknown_provider_degrades_under_an_honest_name(tables: Path) -> None:
    choice = choose_embedder(EmbedOptions(provider="local"), tables)
    assert choice.embedder is not None
    assert choice.embedder.name == "local → static fallback"
    warning, enabled = choice.lines
    assert warning.level == logging.WARNING
    assert "embedding backend unavailable — degraded to static fallback" in warning.message
    assert "'local'" in warning.message
    assert enabled.message == f"embeddings enabled — provider: local → static fallback, dim: {DIM}"
    assert len(choice.problems) == 1


def test_a_provider_that_cannot_run_degrades_too(tables: Path) -> None:
    def failing(build: Build) -> Embedder:
        raise EmbeddingFailed("no model in ~/models")

    choice = choose_embedder(EmbedOptions(provider="local"), tables, providers={**PROVIDERS, "local": failing})
    assert choice.embedder is not None
    assert "no model in ~/models" in choice.lines[0].message


def test_a_provider_that_runs_carries_its_own_name(tables: Path) -> None:
    choice = choose_embedder(
        EmbedOptions(provider="mine"), tables, providers={**PROVIDERS, "mine": PROVIDERS["static"]}
    )
    assert choice.embedder is not None
    assert choice.embedder.name == "mine"
    assert len(choice.lines) == 1


@pytest.mark.parametrize("provider", ["static", "local"])
def test_a_broken_table_leaves_search_lexical_and_is_named(tmp_path: Path, provider: str) -> None:
    broken = tmp_path / table_file(VARIANTS[0])
    broken.write_bytes(b"version https://example.invalid\n")
    choice = choose_embedder(EmbedOptions(provider=provider), tmp_path)
    assert choice.embedder is None
    assert str(broken) in choice.problems[-1].what
    assert "embeddings requested but unavailable" in choice.lines[-1].message
    assert not any("embeddings enabled" in line.message for line in choice.lines)


@pytest.mark.parametrize(("variant", "dim"), [("", DIM), *((name, int(name.split("-")[1][:-1])) for name in VARIANTS)])
def test_a_variant_is_chosen_by_its_name(tables: Path, variant: str, dim: int) -> None:
    choice = choose_embedder(EmbedOptions(variant=variant), tables)
    assert choice.embedder is not None
    assert (choice.embedder.name, choice.embedder.dim) == ("static", dim)
    assert choice.variant == (variant or VARIANTS[0])
    assert f"provider: static, dim: {dim}" in choice.lines[0].message


def test_variants_have_fingerprints_of_their_own(tables: Path) -> None:
    choices = [choose_embedder(EmbedOptions(variant=name), tables) for name in VARIANTS]
    assert len({choice.embedder.fingerprint for choice in choices if choice.embedder}) == len(VARIANTS) > 1


def test_an_unknown_variant_is_refused_with_the_choices(tables: Path) -> None:
    choice = choose_embedder(EmbedOptions(variant="glove-300d"), tables)
    assert (choice.embedder, choice.variant) == (None, None)
    known = ", ".join(VARIANTS)
    assert f"embedding.variant is 'glove-300d', the static provider has: {known}" in choice.problems[0].what


def test_another_providers_variant_does_not_spoil_the_fallback(tables: Path) -> None:
    choice = choose_embedder(EmbedOptions(provider="local", variant="minilm"), tables)
    assert choice.embedder is not None
    assert (choice.embedder.name, choice.variant) == ("local → static fallback", VARIANTS[0])
