"""What ``gortex doctor`` looks at. Each check answers with one line and never raises."""

from __future__ import annotations

import platform
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gortex_py import __version__
from gortex_py.errors import GortexError
from gortex_py.surfaces.cli.session import Session

OLDEST_PYTHON = (3, 11)
FEW_WATCHES = 65_536  # a checkout with dependencies has tens of thousands of folders, and an editor watches too
INOTIFY_WATCHES = Path("/proc/sys/fs/inotify/max_user_watches")


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of one check."""

    name: str
    is_ok: bool
    detail: str
    advice: str = ""  # what to do; with is_ok it is worth knowing, no more


def run_checks(session: Session) -> list[Check]:
    """Run every check, in the order in which one depends on another."""
    return [check(session) for check in CHECKS]


def check_python(session: Session) -> Check:
    """Look at the interpreter."""
    advice = "" if sys.version_info >= OLDEST_PYTHON else "install Python 3.11 or newer"
    return Check("python", not advice, f"{platform.python_version()} at {sys.executable}", advice)


def check_sqlite(session: Session) -> Check:
    """Look at SQLite and its full-text search."""
    from gortex_py.store.probe import has_fts5, sqlite_version

    if has_fts5():
        return Check("sqlite", True, f"{sqlite_version()} with FTS5")
    return Check("sqlite", False, f"{sqlite_version()} without FTS5", "use a Python whose SQLite has FTS5")


def check_grammars(session: Session) -> Check:
    """Load every grammar."""
    from gortex_py.parse.registry import LANGUAGES
    from gortex_py.parse.treesitter import GrammarMissing, load_grammar

    failed = []
    for name in LANGUAGES:
        try:
            load_grammar(name)
        except GrammarMissing as error:
            failed.append(f"{name} ({error})")
    if failed:
        advice = "reinstall gortex; until then these are indexed as plain text"
        return Check("grammars", False, f"cannot load {', '.join(failed)}", advice)
    return Check("grammars", True, f"{len(LANGUAGES)} languages")


def check_word_table(session: Session) -> Check:
    """Read the word table in use and compare its checksum."""
    from gortex_py.embed.table import read_table
    from gortex_py.embed.variants import VARIANTS, table_file
    from gortex_py.settings.load import load
    from gortex_py.settings.paths import bundled

    variant = load(session.paths, session.environ).settings.embedding.variant or VARIANTS[0]
    try:
        table = read_table(bundled("embeddings") / table_file(variant))
    except GortexError as error:
        return Check("word table", False, error.message, "reinstall gortex; until then searches use words alone")
    return Check("word table", True, f"{variant}, {len(table.words):,} words, {table.dim} dimensions, checksum agrees")


def check_word_lists(session: Session) -> Check:
    """Read the lists that queries are widened with."""
    from gortex_py.settings.paths import bundled
    from gortex_py.text.concepts import read_concepts

    try:
        concepts = read_concepts(bundled("data"))
    except GortexError as error:
        return Check("word lists", False, error.message, "reinstall gortex; it cannot search without them")
    except OSError as error:
        return Check("word lists", False, str(error), "reinstall gortex; it cannot search without them")
    return Check("word lists", True, f"{len(concepts.synonyms):,} words with synonyms")


def check_folders(session: Session) -> Check:
    """Write a file where state and indexes are kept."""
    try:
        session.paths.ensure()
        for folder in (session.paths.state, session.paths.data):
            with tempfile.TemporaryFile(dir=folder):
                pass
    except GortexError as error:
        detail, _, advice = error.message.rpartition("; ")
        return Check("folders", False, detail, advice)
    except OSError as error:
        advice = "make it writable, or set GORTEX_HOME to a folder that is"
        return Check("folders", False, f"{error.filename}: {error.strerror}", advice)
    return Check("folders", True, f"{session.paths.data} can be written")


def check_watching(session: Session) -> Check:
    """Look at the limit on watched folders, where there is one."""
    try:
        limit = int(INOTIFY_WATCHES.read_text())
    except (OSError, ValueError):
        return Check("watching", True, f"no limit known on {platform.system()}")
    few = limit < FEW_WATCHES
    advice = "large repositories are polled instead; to raise it: sysctl fs.inotify.max_user_watches=524288"
    return Check("watching", True, f"{limit:,} folders can be watched", advice if few else "")


def check_daemon(session: Session) -> Check:
    """Ask the running daemon whether it is well."""
    address = session.address()
    if address is None:
        return Check("daemon", True, "not running; the first search starts it")
    try:
        session.client_at(address).health()
    except GortexError as error:
        return Check("daemon", False, error.message, "run: gortex daemon restart")
    advice = ""
    if address.version != __version__:
        advice = f"it is gortex {address.version}, this command {__version__}; run: gortex daemon restart"
    return Check("daemon", True, f"answers at {address.url}, pid {address.pid}", advice)


CHECKS: tuple[Callable[[Session], Check], ...] = (
    check_python,
    check_sqlite,
    check_grammars,
    check_word_table,
    check_word_lists,
    check_folders,
    check_watching,
    check_daemon,
)
