"""Exit codes: the only table from outcomes and errors to numbers."""

from __future__ import annotations

from gortex_py.errors import GortexError

FOUND = 0  # hits, or the command did what it was asked
NOTHING = 1  # no hits; for the status commands: it does not run
TROUBLE = 2  # an error, or an index pass with problems
FOREIGN = 3  # another program holds the daemon's address
INTERRUPTED = 130  # Ctrl-C
STDOUT_CLOSED = 141  # the reader of our output went away, as with `| head`

MEANINGS = {
    FOUND: "hits were found, or the command did what it was asked",
    NOTHING: "no hits; for `status`, `daemon status` and `service status`: not running",
    TROUBLE: "an error, or an index pass that ended with problems",
    FOREIGN: "another program holds the daemon's address",
    INTERRUPTED: "interrupted with Ctrl-C",
    STDOUT_CLOSED: "the reader of the output went away (`gortex search ... | head -1`)",
}

_BY_CODE = {"foreign-listener": FOREIGN, "port-in-use": FOREIGN}


def exit_code(error: GortexError) -> int:
    """Return the exit code of an error that ends a command."""
    return _BY_CODE.get(error.code, TROUBLE)
