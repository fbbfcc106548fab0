"""What a command writes: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from typing import Any, NoReturn, TextIO

from gortex_py.surfaces.cli.exits import STDOUT_CLOSED

# SGR codes of the few roles text has.
STYLES = {"path": "35", "line": "32", "name": "1", "match": "1;31", "dim": "2", "good": "32", "bad": "31"}


class Console:
    """Two streams and whether they take colour.

    :param color: ``auto`` (a terminal that is not told otherwise), ``always`` or ``never``.
    :param environ: NO_COLOR and TERM are heeded in ``auto``.
    """

    def __init__(self, out: TextIO, err: TextIO, environ: Mapping[str, str], color: str = "auto") -> None:
        self._out = out
        self._err = err
        self._environ = environ
        self.set_color(color)

    def set_color(self, color: str) -> None:
        """Decide once whether results are coloured."""
        wanted = not self._environ.get("NO_COLOR") and self._environ.get("TERM") != "dumb"
        self.is_colored = color == "always" or (color == "auto" and wanted and self._out.isatty())

    @property
    def is_interactive(self) -> bool:
        """Say whether progress may be drawn."""
        return self._err.isatty()

    @property
    def err(self) -> TextIO:
        """The stream for everything that is not a result."""
        return self._err

    def result(self, text: str) -> None:
        """Write one line (or several) of results."""
        try:
            self._out.write(text + "\n")
        except BrokenPipeError:
            self._leave_quietly()

    def results_json(self, value: Mapping[str, Any] | list[Any]) -> None:
        """Write a JSON answer that any reader of the stream's encoding can take."""
        text = _laid_out(value, ensure_ascii=False)
        try:
            text.encode("utf-8" if self.is_utf8 else "ascii")
        except UnicodeEncodeError:
            text = _laid_out(value, ensure_ascii=True)
        self.result(text)

    def note(self, text: str) -> None:
        """Tell the user something that is not a result, after the results written so far."""
        self.flush()
        try:
            self._err.write(text + "\n")
            self._err.flush()
        except BrokenPipeError:
            self._leave_quietly()

    def style(self, role: str, text: str) -> str:
        """Return text in the colour of its role, when results are coloured."""
        return f"\x1b[{STYLES[role]}m{text}\x1b[0m" if self.is_colored and text else text

    def flush(self) -> None:
        """Hand on what was written."""
        try:
            self._out.flush()
        except BrokenPipeError:
            self._leave_quietly()

    @property
    def is_utf8(self) -> bool:
        """Say whether results can hold any character."""
        return (self._out.encoding or "").lower().replace("-", "") == "utf8"

    def _leave_quietly(self) -> NoReturn:
        # The interpreter flushes stdout once more when it ends; that must not fail loudly.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        raise SystemExit(STDOUT_CLOSED)


def _laid_out(value: Mapping[str, Any] | list[Any], *, ensure_ascii: bool) -> str:
    """Return indented JSON with each pair of numbers, such as a highlight, on one line."""
    # A line end inside of a string is escaped, so this matches the layout alone.
    return re.sub(r"\[\n +(\d+),\n +(\d+)\n +\]", r"[\1, \2]", json.dumps(value, ensure_ascii=ensure_ascii, indent=2))


def printable(text: str) -> str:
    """Return text without control characters, so that a file cannot drive the terminal.

    >>> printable("a\x1b[2Jb\tc")
    'a\\x1b[2Jb\tc'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\t\n" else c.encode("unicode_escape").decode() for c in text)
