"""Wait for an index pass and show how far it is."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from gortex_py.errors import GortexError, NotFound
from gortex_py.surfaces.cli.console import Console, printable
from gortex_py.surfaces.client import DaemonClient, Json

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

REFRESH_S = 0.1  # a pass reports every file; the eye and the daemon are served by ten looks a second
SILENCE_S = 0.5
STEPS = 1000
# With these a line of progress fits 80 columns; a line that wraps cannot be drawn over.
BAR_CHARS = 16
NAME_CHARS = 18


def wait_for_pass(client: DaemonClient, console: Console, name: str, *, limit_s: float | None) -> Json:
    """Return the repository's row once no pass is running, or as it is after ``limit_s`` seconds.

    :raises NotFound: when the repository goes away meanwhile.
    """
    row = find_row(client, name)
    if is_over(row):
        return row
    bar: ProgressBar[Json] = click.progressbar(
        length=STEPS,
        label=f"indexing {shortened(name)}",
        width=BAR_CHARS,
        file=console.err,
        show_pos=False,
        show_eta=False,
        item_show_func=lambda row: _counted(row) if row is not None else None,
        hidden=not console.is_interactive,
    )
    with bar:
        stage = _stage(row)
        for row in _rows(client, name, limit_s):
            if _stage(row) != stage:
                stage, bar.pos = _stage(row), 0
            step = STEPS if is_over(row) else int(fraction(row) * STEPS)
            bar.update(max(0, step - bar.pos), row)
            if is_over(row):
                break
    return row


def shortened(name: str) -> str:
    """Return a name cut to what the line of progress has room for.

    >>> shortened("a-repository-with-a-long-name")
    'a-repository-with…'
    """
    name = printable(name)
    return name if len(name) <= NAME_CHARS else name[: NAME_CHARS - 1] + "…"


def find_row(client: DaemonClient, name: str) -> Json:
    """Return the row of one repository.

    :raises NotFound: when it is not tracked.
    """
    for row in client.repos():
        if row.get("name") == name:
            return row
    raise NotFound(f"{name!r} is not tracked any more", code="unknown-repository")


def is_over(row: Mapping[str, Any]) -> bool:
    """Say whether no whole pass is running or waiting: asking for one changes the state at once."""
    return row.get("state") != "indexing"


def fraction(row: Mapping[str, Any]) -> float:
    """Return the progress of a row in [0, 1], from a number or from done and total."""
    progress = row.get("progress")
    if isinstance(progress, Mapping):
        done, total = progress.get("done"), progress.get("total")
        if isinstance(done, (int, float)) and isinstance(total, (int, float)) and total > 0:
            return min(1.0, max(0.0, done / total))
        progress = progress.get("fraction")
    return min(1.0, max(0.0, float(progress))) if isinstance(progress, (int, float)) else 0.0


def _stage(row: Mapping[str, Any]) -> str:
    progress = row.get("progress")
    return str(progress.get("stage") or "") if isinstance(progress, Mapping) else ""


def _counted(row: Mapping[str, Any]) -> str:
    progress = row.get("progress")
    if isinstance(progress, Mapping) and progress.get("total"):
        return f"{_stage(row)} {progress.get('done', 0)} of {progress['total']}".strip()
    return f"{row['files']} files" if row.get("files") else ""


def _rows(client: DaemonClient, name: str, limit_s: float | None) -> Iterator[Json]:
    """Yield the repository's row whenever something happened, at most every ``REFRESH_S``."""
    started = time.monotonic()
    for _ in _ticks(client):
        yield find_row(client, name)
        if limit_s is not None and time.monotonic() - started > limit_s:
            return


def _ticks(client: DaemonClient) -> Iterator[None]:
    """Yield when the state is worth another look: at events, and now and then without any."""
    last = 0.0
    try:
        # What an event says is not used, only that it came: the state is what /v1/repos answers.
        for event in client.events(silence_s=SILENCE_S):
            now = time.monotonic()
            if event is None or event.name != "progress" or now - last >= REFRESH_S:
                last = now
                yield
    except GortexError:
        pass  # a daemon without events is asked at a steady pace instead
    while True:
        time.sleep(SILENCE_S / 2)
        yield
