"""Build the configured embedder, or the best there is, and say which it became."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gortex_py.embed.static import StaticEmbedder
from gortex_py.embed.table import read_table
from gortex_py.embed.variants import VARIANTS, table_file
from gortex_py.errors import EmbeddingFailed
from gortex_py.protocols import Embedder
from gortex_py.types import Problem

ENABLED = "embeddings enabled — provider: {provider}, dim: {dim}"
DISABLED = "embeddings disabled"
DEGRADED = "embedding backend unavailable — degraded to static fallback (backend: {backend}, error: {error})"
UNAVAILABLE = "embeddings requested but unavailable (error: {error})"

FALLBACK = "static"


@dataclass(frozen=True, slots=True)
class EmbedOptions:
    """What the user asked of embedding."""

    enabled: bool | None = None  # None is "not said", which means on
    provider: str = FALLBACK
    variant: str = ""  # a name in VARIANTS; empty for the provider's default


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line for the log; the caller owns the logger."""

    level: int  # logging.INFO or logging.WARNING
    message: str


@dataclass(frozen=True, slots=True)
class Choice:
    """What really runs, and how it came to that."""

    embedder: Embedder | None  # None: search is lexical
    variant: str | None  # which word table the static embedder reads; None when it does not run
    lines: tuple[LogLine, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Build:
    """What a provider is built from."""

    options: EmbedOptions
    tables: Path  # the folder of the word tables
    name: str  # the name the embedder is to carry


Provider = Callable[[Build], Embedder]


def _static(build: Build) -> Embedder:
    variant = static_variant(build.options)
    if variant not in VARIANTS:
        known = ", ".join(VARIANTS)
        raise EmbeddingFailed(
            f"embedding.variant is {variant!r}, the static provider has: {known}", code="unknown-variant"
        )
    return StaticEmbedder(read_table(build.tables / table_file(variant)), name=build.name)


def static_variant(options: EmbedOptions) -> str:
    """Return the variant that the static provider reads; another provider's is nothing to it."""
    return options.variant if options.variant and options.provider == FALLBACK else VARIANTS[0]


# A provider raises EmbeddingFailed when it cannot run here; the choice then falls back.
PROVIDERS: Mapping[str, Provider] = {FALLBACK: _static}


def choose_embedder(options: EmbedOptions, tables: Path, *, providers: Mapping[str, Provider] = PROVIDERS) -> Choice:
    """Return the configured provider, else the static one under an honest name, else none.

    Never raises for a provider that cannot run: the choice says why, and search stays lexical.

    :param tables: the folder with the word tables of the static provider.
    """
    if options.enabled is False:
        return Choice(None, None, (LogLine(logging.INFO, DISABLED),), ())
    options = replace(options, provider=options.provider or FALLBACK)
    asked = options.provider
    degraded: list[LogLine] = []
    problems: list[Problem] = []
    for provider in dict.fromkeys((asked, FALLBACK)):
        name = provider if provider == asked else f"{asked} → {FALLBACK} fallback"
        try:
            embedder = _build(providers, provider, Build(options, tables, name))
        except EmbeddingFailed as error:
            problems.append(Problem("embedding", f"the {provider} provider cannot run: {error.message}"))
            if provider != FALLBACK:
                degraded.append(LogLine(logging.WARNING, DEGRADED.format(backend=provider, error=error.message)))
            continue
        enabled = LogLine(logging.INFO, ENABLED.format(provider=embedder.name, dim=embedder.dim))
        variant = static_variant(options) if provider == FALLBACK else None
        return Choice(embedder, variant, (*degraded, enabled), tuple(problems))
    unavailable = LogLine(logging.WARNING, UNAVAILABLE.format(error=problems[-1].what))
    return Choice(None, None, (unavailable,), tuple(problems))


def _build(providers: Mapping[str, Provider], name: str, build: Build) -> Embedder:
    provider = providers.get(name)
    if provider is None:
        known = ", ".join(sorted(providers))
        raise EmbeddingFailed(f"embedding.provider is {name!r}, this version has: {known}", code="unknown-provider")
    return provider(build)
