"""Run ``git log`` and read it as a stream: subjects, and the files that each commit touched.

A repository is other people's text, its configuration too. So git is told here, on the command
line, which wins over every file, not to run anything that a configuration names, not to ask the
network for objects that are missing, not to write, and not to look for another repository.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from errno import ENOENT
from pathlib import Path
from threading import Timer
from typing import IO

MAX_COMMITS = 4_000
MAX_FILES = 20  # of a commit; what touches more is a sweep, and its subject says nothing of one file
MAX_SUBJECT_CHARS = 300
MAX_RENAMES = 50_000
MAX_BYTES = 64 * 1024 * 1024
MAX_SECONDS = 10.0

_CHUNK_BYTES = 64 * 1024
_SHOWN_CHARS = 160
_STATUS = re.compile(rb"\n?([A-Z])\d{0,3}")
_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "diff.orderFile=/dev/null",
    "log.follow=false",
    "log.showSignature=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
)
_BEFORE = ("--no-pager", "--literal-pathspecs", *(word for setting in _SETTINGS for word in ("-c", setting)))
_LOG = (
    *("log", "-z", "--format=tformat:%H%x00%s", "--name-status", "--no-merges", "--root", "--full-diff"),
    *("-M100%", "--no-ext-diff", "--no-textconv", "--no-relative", "--no-show-signature", "--no-notes"),
    *("--no-color", "--no-decorate", "--no-mailmap", "--encoding=UTF-8"),
)
# Only renames without an edit are followed: to see others git compares contents, which takes longer
# than all the rest, and in a clone without old contents cannot be done.


@dataclass(frozen=True, slots=True)
class Repository:
    """Where the history of a folder is."""

    top: Path  # the work tree's root
    prefix: str = ""  # the folder below it, with forward slashes; "" for all
    home: Path | None = None  # of the user, whose own settings say which folders of others are trusted
    config_home: Path | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """What is kept of a commit."""

    subject: str
    paths: tuple[str, ...]  # relative to the folder, as the files are called now


@dataclass(frozen=True, slots=True)
class Log:
    """A stretch of history."""

    commits: tuple[Commit, ...]  # newest first; those that touched a few files of the folder
    renamed: Mapping[str, str]  # what a file was called before the stretch -> its name now; "" outside the folder
    problem: str | None = None  # why it is not all there, one sentence without stop


def read_log(repository: Repository, head: str, *, since: str | None = None, seconds: float = MAX_SECONDS) -> Log:
    """Return the last commits up to a commit; never raises for what a repository holds.

    :param since: leave out this commit and what led to it
    :param seconds: after so long git is ended; what it said by then, the newest, is kept
    """
    wanted = f"{since}..{head}" if since else head
    words = (*_LOG, f"--max-count={MAX_COMMITS}", wanted, "--", *((repository.prefix,) if repository.prefix else ()))
    reading = _Reading(repository.prefix)
    try:
        with _git(repository, words, seconds) as running:
            for fields in _fields(running):
                reading.take(fields)
    except OSError as error:
        return Log((), {}, _not_run(error))
    return reading.log(running.trouble)


def is_ancestor(repository: Repository, old: str, new: str, *, seconds: float = MAX_SECONDS) -> bool:
    """Say whether one commit led to another; False too where git cannot tell."""
    try:
        with _git(repository, ("merge-base", "--is-ancestor", old, new), seconds) as running:
            running.output.read(_CHUNK_BYTES)
    except OSError:
        return False
    return running.trouble is None


def resolve_head(repository: Repository, *, seconds: float = MAX_SECONDS) -> str | None:
    """Return the id of the newest commit, as git tells it; None where there is none."""
    try:
        with _git(repository, ("rev-parse", "--verify", "--quiet", "HEAD"), seconds) as running:
            said = running.output.read(_CHUNK_BYTES).decode("ascii", "replace").strip()
    except OSError:
        return None
    return said if running.trouble is None and said else None


@dataclass(slots=True)
class _Running:
    """A git that talks."""

    output: IO[bytes]
    is_too_long: bool = False  # it said more than anybody wants to read
    is_late: bool = False
    trouble: str | None = None  # known at the end


@contextmanager
def _git(repository: Repository, words: tuple[str, ...], seconds: float) -> Iterator[_Running]:
    """Run git in a work tree and end it when the time is up, or the caller has read enough.

    :raises OSError: when it cannot be run.
    """
    program = shutil.which("git")
    if program is None or not Path(program).is_absolute():  # a relative one would be looked for in the repository
        raise FileNotFoundError(ENOENT, "git is not installed")
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(
            (program, *_BEFORE, *words),
            cwd=repository.top,
            env=_environment(repository),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said,
        ) as process,
    ):
        assert process.stdout is not None
        running = _Running(process.stdout)

        def give_up() -> None:
            running.is_late = True
            process.kill()

        timer = Timer(seconds, give_up)
        timer.daemon = True
        timer.start()
        try:
            yield running
        finally:
            if running.is_too_long:
                process.kill()
            # Whoever reads to the end has it end by itself; the output is closed first for all others.
            process.stdout.close()
            code = process.wait()
            timer.cancel()
        said.seek(0)
        if running.is_late:
            running.trouble = f"git took longer than {seconds:g} seconds"
        elif running.is_too_long:
            running.trouble = f"git said more than {MAX_BYTES:,} bytes"
        elif code:
            running.trouble = _explain(said.read(_CHUNK_BYTES).decode("utf-8", "replace"))


def _environment(repository: Repository) -> dict[str, str]:
    """Return all that git may know of its surroundings, so that none of the daemon's own leak in."""
    environ = {
        "PATH": os.defpath,
        "LC_ALL": "C",
        "GIT_ALLOW_PROTOCOL": "none",  # no such protocol: missing objects are asked of nobody
        "GIT_CEILING_DIRECTORIES": str(repository.top.parent),
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_PAGER": "cat",
        "GIT_TERMINAL_PROMPT": "0",
    }
    if repository.home is not None:
        environ["HOME"] = str(repository.home)
    if repository.config_home is not None:
        environ["XDG_CONFIG_HOME"] = str(repository.config_home)
    return environ


def _not_run(error: OSError) -> str:
    reason = error.strerror or str(error)
    return reason if error.filename is None else f"git cannot be run: {reason.lower()}"


def _explain(said: str) -> str:
    if "dubious ownership" in said:
        return "git does not trust the folder, which belongs to another user (git's safe.directory)"
    line = next((line for line in said.splitlines() if line.startswith("fatal: ")), said.strip().split("\n")[0])
    shown = "".join(char if char.isprintable() else "?" for char in line.removeprefix("fatal: ").rstrip("."))
    return f"git cannot read the history: {shown[:_SHOWN_CHARS] or 'it does not say why'}"


def _fields(running: _Running) -> Iterator[list[bytes]]:
    """Yield what git says, cut at its zero bytes, a chunk at a time."""
    rest = b""
    total = 0
    while chunk := running.output.read(_CHUNK_BYTES):
        total += len(chunk)
        if total > MAX_BYTES:
            running.is_too_long = True
            return
        *fields, rest = (rest + chunk).split(b"\0")
        yield fields


class _Reading:
    """Turns fields into commits: id, subject, then a status and its one or two paths, until the next id."""

    def __init__(self, prefix: str) -> None:
        self._prefix = f"{prefix}/" if prefix else ""
        self._commits: list[Commit] = []
        self._now: dict[bytes, bytes] = {}  # former name -> present name, for what comes next and is older
        self._subject: bytes | None = None  # None before the first commit and between id and subject
        self._has_id = False
        self._paths: list[bytes] = []
        self._touched = 0
        self._renames: list[tuple[bytes, bytes]] = []
        self._status = b""
        self._former: bytes | None = None

    def take(self, fields: list[bytes]) -> None:
        for field in fields:
            if self._has_id:
                self._subject, self._has_id = field, False
            elif self._status:
                self._take_path(field)
            elif self._subject is not None and (status := _STATUS.fullmatch(field)):
                self._status = status[1]
            else:
                self._finish()
                self._has_id = True

    def log(self, problem: str | None) -> Log:
        if problem is None:  # else nobody knows whether the last commit's files are all there
            self._finish()
        renamed = {self._name(old): self._name(new) for old, new in self._now.items()}
        kept = {old: new or "" for old, new in renamed.items() if old}
        return Log(tuple(self._commits), kept, problem)

    def _take_path(self, path: bytes) -> None:
        if self._status == b"R" and self._former is None:
            self._former = path
            return
        if self._former is not None:
            self._renames.append((self._former, path))
        self._touched += 1
        if self._touched <= MAX_FILES:
            self._paths.append(path)
        self._status, self._former = b"", None

    def _finish(self) -> None:
        if self._subject is not None and 0 < self._touched <= MAX_FILES:
            names = (self._name(self._now.get(path, path)) for path in self._paths)
            paths = tuple(name for name in names if name)
            subject = self._subject.decode("utf-8", "replace")[:MAX_SUBJECT_CHARS]
            if paths:
                self._commits.append(Commit(subject, paths))
        # All of a commit's renames happen at once, so one must not see another's.
        present = [(old, self._now.get(new, new)) for old, new in self._renames]
        if len(self._now) + len(present) <= MAX_RENAMES:
            self._now.update(present)
        self._subject, self._paths, self._touched, self._renames = None, [], 0, []

    def _name(self, path: bytes) -> str | None:
        """Return a path below the folder; None outside of it, and for one that no index can hold."""
        try:
            name = path.decode()
        except UnicodeDecodeError:
            return None
        return name[len(self._prefix) :] if name.startswith(self._prefix) else None
