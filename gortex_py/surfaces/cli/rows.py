"""Lay out a repository's row of ``GET /v1/repos`` as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gortex_py.surfaces.cli.console import printable
from gortex_py.surfaces.cli.progress import fraction

PROBLEMS_SHOWN = 20


def repo_line(row: Mapping[str, Any]) -> str:
    """Return one line: name, state, counts, path."""
    state = str(row.get("state", "?"))
    if state == "indexing":
        state += f" {fraction(row):.0%}"
    counts = [f"{row[key]:,} {key}" for key in ("files", "symbols") if isinstance(row.get(key), int)]
    return "  ".join(
        [printable(str(row.get("name", "?"))), state, ", ".join(counts), printable(str(row.get("path", "")))]
    )


def skipped_line(row: Mapping[str, Any]) -> str:
    """Return the files that are known but not indexed, by reason; "" when there are none."""
    skipped = row.get("skipped")
    counts = {
        reason: group.get("count") if isinstance(group, Mapping) else group
        for reason, group in (skipped.items() if isinstance(skipped, Mapping) else ())
    }
    parts = [f"{reason} {count:,}" for reason, count in counts.items() if isinstance(count, int) and count]
    return "not indexed: " + ", ".join(parts) if parts else ""


def problems(row: Mapping[str, Any]) -> list[str]:
    """Return what went wrong in a repository's last pass, as sentences."""
    name = row.get("name", "?")
    reason = row.get("reason") or row.get("error")
    found = []
    if row.get("state") == "empty":
        found.append(f"{name}: {reason or 'nothing was indexed; see: gortex status'}")
    elif row.get("state") == "failed":
        found.append(f"{name}: {reason or 'the pass failed; see: gortex daemon logs'}")
    last = row.get("last_pass")
    listed = row.get("problems", last.get("problems") if isinstance(last, Mapping) else None)
    for problem in listed if isinstance(listed, list) else ():
        where, what = (problem.get("where"), problem.get("what")) if isinstance(problem, Mapping) else (None, problem)
        # A pass that indexed nothing lists the reason as a problem of the root, too. Without git's history every
        # file is indexed all the same: that is a degraded part.
        if what != reason and where != "history":
            found.append(_sentence(problem))
    if len(found) > PROBLEMS_SHOWN:
        found[PROBLEMS_SHOWN:] = [f"{len(found) - PROBLEMS_SHOWN} more"]
    return [printable(sentence) for sentence in found]


def degraded(row: Mapping[str, Any]) -> list[str]:
    """Return the parts that work less well than they should, as sentences."""
    parts = row.get("degraded")
    if isinstance(parts, Mapping):
        return [printable(f"{part}: {sentence}") for part, sentence in parts.items()]
    return [_sentence(part) for part in parts] if isinstance(parts, list) else []


def _sentence(problem: object) -> str:
    if isinstance(problem, Mapping):
        where = problem.get("where") or problem.get("path") or problem.get("part") or problem.get("repo")
        what = problem.get("what") or problem.get("detail") or problem.get("reason")
        return f"{where}: {what}" if where else str(what)
    return str(problem)
