"""Ask for symbols by name, in every spelling: the definition must come first.

    python -m tests.bench.names --manifest FILE [--index-folder DIR] [--failures FILE]

Symbols are drawn from the corpora, as many from each, with a fixed seed. Each is asked for in its
own spelling and in five others, by itself and qualified by what encloses it. In its own spelling
its definition must be the first hit, in another one of the first three; a page of one or three
hits must be the head of the page of ten. What fails is counted by kind, and written to a file
when one is named.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

from gortex_py.errors import GortexError
from gortex_py.evaluation.corpora import CorpusOptions, each_corpus
from gortex_py.evaluation.metrics import Place, target_ranks
from gortex_py.evaluation.pipeline import LocalPipeline
from gortex_py.evaluation.results import project_revision, result_path, write_result
from gortex_py.evaluation.run import Searcher, machine, now
from gortex_py.evaluation.tasks import CorpusTasks, load_manifest
from gortex_py.protocols import StoreReader
from gortex_py.text.tokens import identifier_parts, squash
from gortex_py.types import Hit, Query, SymbolKind
from tests.bench.speed import CHECKOUT, RESULTS, say
from tests.composed import default_pipeline

SYMBOLS = 2_000
SEED = 20_241
LIMITS = (1, 3, 10)
PAGED = 10
OWN_REQUIRED = 1.0  # of the own spelling at the first place
OTHER_REQUIRED = 0.98  # of the others among the first three
OTHER_PLACES = 3

# Sections, keys, selectors and elements are no names that code is written with.
_NOT_NAMES = frozenset({SymbolKind.DOC, SymbolKind.KEY, SymbolKind.RULE, SymbolKind.ELEMENT})
_NAME = re.compile(r"[^\W\d][\w$]*[?!]?")
_SEPARATORS: Mapping[str, str] = MappingProxyType({"cpp": "::", "c": "::", "rust": "::", "ruby": "::", "php": "::"})
_METHODS_OF_RUBY = "#"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A symbol that is asked for."""

    name: str
    parent: str  # the name of what encloses it, "" at the top of a file
    separator: str  # between the two, as the language writes it

    def text(self, spelling: str, *, qualified: bool) -> str:
        """Return the query."""
        name = spell(self.name, spelling)
        if not qualified:
            return name
        return f"{spell(self.parent, spelling)}{' ' if spelling == 'spaced' else self.separator}{name}"


@dataclass(frozen=True, slots=True)
class Defined:
    """Where a symbol stands."""

    name: str
    qualified_name: str
    path: str
    line: int  # of its name


class Definitions:
    """Every symbol of an index by name; holds what a large repository has, so that no hit is read from disk."""

    def __init__(self, reader: StoreReader) -> None:
        facts = reader.file_facts()
        self._by_name: dict[str, list[Defined]] = {}
        for symbols in reader.file_symbols(facts.ids.tolist()):
            for s in symbols:
                defined = Defined(s.name, s.qualified_name, s.path, s.name_line)
                self._by_name.setdefault(squash(s.name), []).append(defined)

    def of(self, wanted: Wanted, *, qualified: bool, exactly: bool) -> list[Defined]:
        """Return the symbols that a query may mean: all of that name, or of one that differs in spelling alone."""
        ending = f".{wanted.parent}.{wanted.name}" if qualified else f".{wanted.name}"
        folded = _folded(ending)
        return [
            symbol
            for symbol in self._by_name.get(squash(wanted.name), ())
            if (
                f".{symbol.qualified_name}".endswith(ending)
                if exactly
                else _folded(symbol.qualified_name)[-len(folded) :] == folded
            )
        ]


def _folded(qualified_name: str) -> list[str]:
    return [squash(part) for part in qualified_name.split(".") if part]


@dataclass(frozen=True, slots=True)
class _Asking:
    """One query for a symbol."""

    text: str
    wanted: Wanted
    spelling: str
    qualified: bool


@dataclass(frozen=True, slots=True)
class Asked(_Asking):
    """One query for a symbol, and where its definition came."""

    rank: int | None  # of the first of ten hits that shows it, or one whose name differs in spelling alone
    own_rank: int | None  # of the first that shows one of exactly this name
    pages_agree: bool  # smaller pages are the heads of the larger, where they were asked for
    first: str  # what came first, for the list of failures

    @property
    def is_right(self) -> bool:
        rank, places = (self.own_rank, 1) if self.spelling == "own" else (self.rank, OTHER_PLACES)
        return self.pages_agree and rank is not None and rank <= places


def spell(name: str, spelling: str) -> str:
    """Return a name in another spelling.

    >>> [spell("parseHTTPConfig", spelling) for spelling in ("camel", "snake", "kebab", "lower", "spaced")]
    ['parseHttpConfig', 'parse_http_config', 'parse-http-config', 'parsehttpconfig', 'parse http config']
    """
    parts = identifier_parts(name)
    match spelling:
        case "own":
            return name
        case "camel":
            return parts[0] + "".join(part.capitalize() for part in parts[1:])
        case _:
            return {"snake": "_", "kebab": "-", "lower": "", "spaced": " "}[spelling].join(parts)


SPELLINGS = ("own", "camel", "snake", "kebab", "lower", "spaced")


def draw(reader: StoreReader, count: int, seed: int = SEED) -> list[Wanted]:
    """Return symbols, each pair of name and enclosing name once; all where there are no more."""
    found = set()
    facts = reader.file_facts()
    for language, symbols in zip(facts.languages, reader.file_symbols(facts.ids.tolist()), strict=True):
        for symbol in symbols:
            if symbol.kind not in _NOT_NAMES and _is_name(symbol.name):
                outer = symbol.qualified_name.removesuffix(f".{symbol.name}").rpartition(".")[2]
                parent = outer if outer != symbol.qualified_name and _is_name(outer) else ""
                is_method = language == "ruby" and symbol.kind is SymbolKind.METHOD
                separator = _METHODS_OF_RUBY if is_method else _SEPARATORS.get(language or "", ".")
                found.add(Wanted(symbol.name, parent, separator))
    ordered = sorted(found, key=lambda w: (w.name, w.parent, w.separator))
    return Random(seed).sample(ordered, min(count, len(ordered)))


def _is_name(text: str) -> bool:
    return bool(_NAME.fullmatch(text) and identifier_parts(text))


def ask_all(wanted: Sequence[Wanted], searcher: Searcher, definitions: Definitions) -> list[Asked]:
    """Return the outcome of every spelling of every symbol, with and without qualification.

    A spelling that writes a name as it is written is its own.
    """
    outcomes: list[Asked] = []
    for symbol in wanted:
        for qualified in (False, True) if symbol.parent else (False,):
            texts: dict[str, str] = {}
            for spelling in SPELLINGS:
                texts.setdefault(symbol.text(spelling, qualified=qualified), spelling)
            for text, spelling in texts.items():
                # Other spellings on small pages only now and then: they cost most of the time and agree by design.
                limits = LIMITS if spelling == "own" or len(outcomes) % PAGED == 0 else LIMITS[-1:]
                pages = [searcher.search(Query(text, limit=limit)).hits for limit in limits]
                outcomes.append(_judge(_Asking(text, symbol, spelling, qualified), pages, definitions))
    return outcomes


def _judge(query: _Asking, pages: Sequence[Sequence[Hit]], definitions: Definitions) -> Asked:
    wanted, qualified = query.wanted, query.qualified
    places = [[(hit.path, hit.start_line, hit.end_line) for hit in page] for page in pages]
    first = pages[-1][0] if pages[-1] else None

    def rank(exactly: bool) -> int | None:
        meant = [Place(d.path, d.line, d.line) for d in definitions.of(wanted, qualified=qualified, exactly=exactly)]
        return min(filter(None, target_ranks(meant, [Place(*place) for place in places[-1]])), default=None)

    return Asked(
        text=query.text,
        wanted=wanted,
        spelling=query.spelling,
        qualified=qualified,
        rank=rank(False),
        own_rank=rank(True),
        pages_agree=all(page == places[-1][: len(page)] for page in places),
        first=f"{first.path}:{first.start_line} {first.qualified_name}" if first else "-",
    )


def summarize_names(outcomes: Sequence[Asked]) -> dict[str, Any]:
    """Return the figures: of each spelling, with and without qualification, and of the whole."""
    own = [o for o in outcomes if o.spelling == "own"]
    others = [o for o in outcomes if o.spelling != "own"]
    return {
        "queries": len(outcomes),
        "own": _share(own),
        "others": _share(others),
        "others_exactly": _within([o.own_rank for o in others], OTHER_PLACES),
        "pages_disagree": sum(not o.pages_agree for o in outcomes),
        "spellings": {
            f"{spelling}{' qualified' if qualified else ''}": _figures(
                [o for o in outcomes if o.spelling == spelling and o.qualified is qualified]
            )
            for qualified in (False, True)
            for spelling in SPELLINGS
        },
    }


def _figures(outcomes: Sequence[Asked]) -> dict[str, Any]:
    ranks = [o.own_rank if o.spelling == "own" else o.rank for o in outcomes]
    return {
        "queries": len(outcomes),
        "first": _within(ranks, 1),
        "first_three": _within(ranks, OTHER_PLACES),
        "first_ten": _within(ranks, LIMITS[-1]),
    }


def _within(ranks: Sequence[int | None], places: int) -> float:
    return round(sum(rank is not None and rank <= places for rank in ranks) / max(1, len(ranks)), 5)


def _share(outcomes: Sequence[Asked]) -> float:
    return round(sum(o.is_right for o in outcomes) / max(1, len(outcomes)), 5)


def work_on(count: int, corpus: CorpusTasks, pipeline: LocalPipeline, folder: Path) -> list[Asked]:
    """Draw a corpus's share of the symbols and ask for them."""
    with pipeline.open(corpus.name, folder) as engine:
        return ask_all(draw(engine.reader, count), engine, Definitions(engine.reader))


def failure_line(corpus: str, asked: Asked) -> str:
    """Return what failed as one line: corpus, spelling, query, what was meant, its rank, what came first."""
    kind = asked.spelling + (" qualified" if asked.qualified else "")
    meant = f"{asked.wanted.parent}.{asked.wanted.name}"
    return "\t".join([corpus, kind, asked.text, meant, str(asked.rank), str(asked.pages_agree), asked.first])


def format_names(result: Mapping[str, Any]) -> str:
    """Return the result as text."""
    drawn = f"{result['symbols']} symbols of {result['corpora']} corpora"
    lines = [
        f"{drawn}, {result['queries']} queries, {result['revision']}",
        f"own spelling first: {result['own']:.4f} (must be {OWN_REQUIRED:.2f})",
        f"another in the first {OTHER_PLACES}: {result['others']:.4f} (must be {OTHER_REQUIRED:.2f};"
        f" {result['others_exactly']:.4f} where only the very symbol counts)",
        f"pages that disagree: {result['pages_disagree']}",
    ]
    for name, row in result["spellings"].items():
        figures = " ".join(f"{row[key]:.4f}" for key in ("first", "first_three", "first_ten"))
        lines.append(f"  {name:<18} {row['queries']:>6}  {figures}")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, keep; 0 when all is as it must be, 1 when not, 2 when something failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--index-folder", type=Path, default=None, help="keep the indexes here and reuse them")
    parser.add_argument("--symbols", type=int, default=SYMBOLS, help="how many to draw from all corpora")
    parser.add_argument("--failures", type=Path, default=None, help="write what failed to this file")
    parser.add_argument("--results", type=Path, default=RESULTS)
    args = parser.parse_args(arguments)
    try:
        share = -(-args.symbols // len(load_manifest(args.manifest)))
        options = CorpusOptions(args.index_folder, processes=2)
        work = partial(work_on, share)
        (measured,) = each_corpus([args.manifest], default_pipeline, work, options=options, progress=say)
        outcomes = [outcome for _, found in measured for outcome in found]
        result = {
            "method": "names",
            "revision": project_revision(CHECKOUT),
            "machine": machine(),
            "measured": now(),
            "manifest": args.manifest.name,
            "corpora": len(measured),
            "symbols": sum(len({outcome.wanted for outcome in found}) for _, found in measured),
        } | summarize_names(outcomes)
        kept = write_result(result, result_path(args.results, f"names-{args.manifest.stem}", result["revision"]))
    except GortexError as error:
        say(f"bench: {error}")
        return 2
    if args.failures is not None:
        failed = [failure_line(c.name, outcome) for c, found in measured for outcome in found if not outcome.is_right]
        args.failures.write_text("".join(f"{line}\n" for line in failed), encoding="utf-8")
    sys.stdout.write(f"{format_names(result)}\n{kept}\n")
    return 0 if is_as_required(result) else 1


def is_as_required(result: Mapping[str, Any]) -> bool:
    """Tell whether the figures are those that are promised."""
    return result["own"] >= OWN_REQUIRED and result["others"] >= OTHER_REQUIRED and not result["pages_disagree"]


if __name__ == "__main__":
    sys.exit(main())
