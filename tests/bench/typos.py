"""Ask for names that are misspelt by rule, with and without the rescue by near spellings.

    python -m tests.bench.typos --manifest FILE [--index-folder DIR]

Every symbol query of the manifest is asked as it is, which is the most that can be reached, and
once for each rule with one slip in its longest word: two neighbours swapped, a letter left out, a
letter doubled, a letter struck beside the right key. The slips are drawn with a fixed seed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

from gortex_py.errors import GortexError
from gortex_py.evaluation.corpora import CorpusOptions, each_corpus
from gortex_py.evaluation.metrics import mean, recall_at_k
from gortex_py.evaluation.pipeline import LocalPipeline
from gortex_py.evaluation.results import project_revision, result_path, write_result
from gortex_py.evaluation.run import judge, machine, now
from gortex_py.evaluation.tasks import CorpusTasks
from gortex_py.text.tokens import words
from gortex_py.types import Query
from tests.bench.speed import CHECKOUT, RESULTS, say
from tests.composed import default_pipeline

SEED = 20_242
CATEGORY = "symbol"
MIN_CHARS = 5  # a shorter word with a slip is often another word
AS_IT_IS = "none"

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_NEIGHBOURS: Mapping[str, str] = MappingProxyType(
    {key: row[max(0, i - 1) : i] + row[i + 1 : i + 2] for row in _ROWS for i, key in enumerate(row)}
)


def _swap(word: str, at: int, _: Random) -> str:
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _leave_out(word: str, at: int, _: Random) -> str:
    return word[:at] + word[at + 1 :]


def _double(word: str, at: int, _: Random) -> str:
    return word[: at + 1] + word[at:]


def _strike_beside(word: str, at: int, random: Random) -> str:
    beside = random.choice(_NEIGHBOURS.get(word[at].lower(), word[at]))
    return word[:at] + (beside.upper() if word[at].isupper() else beside) + word[at + 1 :]


Slip = Callable[[str, int, Random], str]
SLIPS: Mapping[str, Slip] = MappingProxyType(
    {"swapped": _swap, "left out": _leave_out, "doubled": _double, "beside": _strike_beside}
)


@dataclass(frozen=True, slots=True)
class Typed:
    """One query as it was asked, and what it found."""

    slip: str  # AS_IT_IS for none
    rescued: bool  # near spellings were on
    ranks: tuple[int | None, ...]


def misspell(query: str, slip: str, random: Random) -> str | None:
    """Return the query with one slip in its longest word, None where no word is long enough.

    The first letter stays: it is the one that people seldom miss. A slip that changes nothing
    (two equal letters swapped) is made at another place.
    """
    word = max(words(query), key=len, default="")
    places = [i for i in range(1, len(word) - 1) if word[i].isalpha() and word[i + 1].isalpha()]
    random.shuffle(places)
    if len(word) < MIN_CHARS:
        return None
    for place in places:
        changed = SLIPS[slip](word, place, random)
        if changed != word:
            return query.replace(word, changed, 1)
    return None


def ask_misspelt(corpus: CorpusTasks, pipeline: LocalPipeline, folder: Path) -> list[Typed]:
    """Return the outcome of every symbol query of a corpus, under every slip, with and without rescue."""
    random = Random(f"{SEED} {corpus.name}")
    options = pipeline.search_options
    ways = [replace(options, near_spellings=True), replace(options, near_spellings=False)]
    outcomes = []
    with pipeline.open_variants(corpus.name, folder, ways) as engines:
        for task in corpus.tasks:
            if task.category != CATEGORY:
                continue
            texts = {slip: misspell(task.query, slip, random) for slip in SLIPS}
            if None in texts.values():
                continue
            for slip, text in ({AS_IT_IS: task.query} | texts).items():
                for rescued, engine in zip((True, False), engines, strict=True):
                    hits = [(h.path, h.start_line, h.end_line) for h in engine.search(Query(text or "")).hits]
                    outcomes.append(Typed(slip, rescued, judge(corpus, task, hits, elapsed_ms=0.0).ranks))
    return outcomes


def summarize_typos(outcomes: Sequence[Typed]) -> dict[str, Any]:
    """Return recall by slip, with the rescue, without it, and of the queries as they are."""
    slips = dict.fromkeys(outcome.slip for outcome in outcomes if outcome.slip != AS_IT_IS)
    rows = {slip: [outcome for outcome in outcomes if outcome.slip == slip] for slip in slips}
    rows["all"] = [outcome for outcome in outcomes if outcome.slip != AS_IT_IS]
    return {
        "queries": sum(outcome.slip == AS_IT_IS and outcome.rescued for outcome in outcomes),
        "unmutated": _recall([o for o in outcomes if o.slip == AS_IT_IS and o.rescued]),
        "slips": {
            slip: {
                "with": _recall([o for o in found if o.rescued]),
                "without": _recall([o for o in found if not o.rescued]),
            }
            for slip, found in rows.items()
        },
    }


def _recall(outcomes: Sequence[Typed]) -> dict[str, float]:
    return {f"recall_at_{k}": round(mean(recall_at_k(o.ranks, k) for o in outcomes), 5) for k in (1, 5)}


def format_typos(result: Mapping[str, Any]) -> str:
    """Return the result as text."""
    lines = [f"{result['queries']} symbol queries, recall@1 and recall@5, {result['revision']}"]
    rows = [("as they are", result["unmutated"])]
    for slip, row in result["slips"].items():
        rows += [(slip, row["with"]), (f"{slip}, no rescue", row["without"])]
    return "\n".join(lines + [f"  {name:<22} {r['recall_at_1']:.4f} {r['recall_at_5']:.4f}" for name, r in rows])


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, keep; 0 when done, 2 when something failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--index-folder", type=Path, default=None, help="keep the indexes here and reuse them")
    parser.add_argument("--results", type=Path, default=RESULTS)
    args = parser.parse_args(arguments)
    try:
        options = CorpusOptions(args.index_folder, processes=2)
        (measured,) = each_corpus([args.manifest], default_pipeline, ask_misspelt, options=options, progress=say)
        result = {
            "method": "typos",
            "revision": project_revision(CHECKOUT),
            "machine": machine(),
            "measured": now(),
            "manifest": args.manifest.name,
        } | summarize_typos([outcome for _, found in measured for outcome in found])
        kept = write_result(result, result_path(args.results, f"typos-{args.manifest.stem}", result["revision"]))
    except GortexError as error:
        say(f"bench: {error}")
        return 2
    sys.stdout.write(f"{format_typos(result)}\n{kept}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
