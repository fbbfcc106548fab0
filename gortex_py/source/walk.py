"""Which files a repository has for the index: a sorted, pruned walk with git's ignore rules.

The root itself is trusted wherever it lies; rules apply below it only. Links are never followed:
one that leads out of the root is LINK_OUTSIDE, one that stays inside is LINK_LOOP (its target is
visited under its own name). So every file appears once and no walk can run in a circle.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from gortex_py.errors import NotFound, UsageError
from gortex_py.source.ignore import CACHE_MARKS, IGNORE_FILES, Rules, Scope, Verdict
from gortex_py.types import FileStat, Problem, Skipped, SkipReason

# A 5 MB minified script is text somebody may search for; beyond this it is data, not code.
MAX_FILE_BYTES = 8 * 1024 * 1024
_KEPT = Verdict(ignored=False, rule="")


@dataclass(frozen=True, slots=True)
class WalkOptions:
    """What is left out besides what ignore files say, and where the user's git settings lie."""

    max_file_bytes: int = MAX_FILE_BYTES
    exclude: tuple[str, ...] = ()  # patterns in ignore-file grammar, stronger than .gitignore
    home: Path | None = None  # for ~/.gitconfig; without it there are no global excludes
    config_home: Path | None = None  # $XDG_CONFIG_HOME; ~/.config when None


@dataclass(frozen=True, slots=True)
class Hidden:
    """What one ignore rule hides; a hidden folder counts once, whatever is in it."""

    rule: str  # e.g. "`*.log` in .gitignore line 3"
    files: int
    folders: int


@dataclass(frozen=True, slots=True)
class WalkResult:
    """What a walk saw. All paths are relative to the root; tuples are sorted."""

    files: tuple[FileStat, ...]
    skipped: tuple[Skipped, ...]
    hidden: tuple[Hidden, ...]  # by rule, most entries first
    problems: tuple[Problem, ...]


@dataclass(slots=True)
class _Findings:
    files: list[FileStat] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    hidden: dict[str, list[int]] = field(default_factory=dict)  # rule -> [files, folders]
    problems: list[Problem] = field(default_factory=list)

    def hide(self, rule: str, *, is_dir: bool) -> None:
        self.hidden.setdefault(rule, [0, 0])[is_dir] += 1

    def result(self, rule_problems: list[Problem]) -> WalkResult:
        hidden = [Hidden(rule, files, folders) for rule, (files, folders) in self.hidden.items()]
        return WalkResult(
            tuple(sorted(self.files, key=lambda file: file.path)),
            tuple(sorted(self.skipped, key=lambda skipped: skipped.path)),
            tuple(sorted(hidden, key=lambda hid: (-hid.files - hid.folders, hid.rule))),
            tuple(dict.fromkeys([*rule_problems, *self.problems])),
        )


class SourceTree:
    """One root with its rules, for whole walks, walks of a part, and single paths.

    Rules are read once and kept: make a new one when :func:`is_ignore_file` says of a changed
    path that it may hold rules. Not shared between threads.
    """

    def __init__(self, root: Path, options: WalkOptions | None = None) -> None:
        """Open a root.

        :raises NotFound: when there is nothing at ``root``.
        :raises UsageError: when it is not a folder.
        """
        self.options = options or WalkOptions()
        self.root = Path(os.path.realpath(root))
        if not self.root.exists():
            raise NotFound(f"there is no folder {root}; give the path of a repository", code="no-such-folder")
        if not self.root.is_dir():
            raise UsageError(f"{root} is not a folder; give the path of a repository", code="not-a-folder")
        self._rules = Rules(
            self.root, home=self.options.home, config_home=self.options.config_home, exclude=self.options.exclude
        )
        self._scopes: dict[str, Scope | Verdict] = {"": self._rules.root_scope()}

    def walk(self, under: str = "") -> WalkResult:
        """Walk the tree, or only what lies below ``under``; nothing when that is ignored."""
        found = _Findings()
        scope = self._scope_of(under.strip("/"))
        pending = [(under.strip("/"), scope)] if isinstance(scope, Scope) else []
        while pending:
            folder, scope = pending.pop()
            pending.extend(self._visit(folder, scope, found))
        return found.result(self._rules.problems)

    def admit(self, path: str) -> FileStat | Skipped | None:
        """Judge one path by the same rules.

        None means there is nothing to index and nothing to report: no such file, a folder, or
        an ignored path.
        """
        folder, _, name = path.rpartition("/")
        scope = self._scope_of(folder)
        if not isinstance(scope, Scope) or not name:
            return None
        full = os.path.join(self.root, path)  # noqa: PTH118 - a str is wanted, and it is a hot path
        try:
            status = os.lstat(full)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            return Skipped(path, SkipReason.UNREADABLE, _reason(error))
        if stat.S_ISDIR(status.st_mode) or scope.judge(name, is_dir=False).ignored:
            return None
        return self._judge_file(path, full, status)

    def is_ignored_folder(self, path: str) -> bool:
        """Tell whether a folder is left out, and with it all below; a watcher need not look there."""
        return isinstance(self._scope_of(path.strip("/")), Verdict)

    def rule_files_outside(self) -> tuple[Path, ...]:
        """Return the files outside the root whose rules count, existing or not, for a watcher."""
        return self._rules.files_in_force()

    def _visit(self, folder: str, scope: Scope, found: _Findings) -> list[tuple[str, Scope]]:
        """Sort one folder's entries into the findings; return the sub-folders to enter."""
        try:
            with os.scandir(self._full(folder)) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            found.problems.append(Problem(folder or ".", f"the folder cannot be listed: {_reason(error)}"))
            found.skipped.append(Skipped(folder or ".", SkipReason.UNREADABLE, _reason(error)))
            return []
        prefix = folder + "/" if folder else ""
        enter: list[tuple[str, Scope]] = []
        for entry in entries:
            path = prefix + entry.name
            is_dir = entry.is_dir(follow_symlinks=False)
            verdict = scope.judge(entry.name, is_dir=is_dir)
            if verdict.ignored and not verdict.reachable:
                found.hide(verdict.rule, is_dir=is_dir)
            elif not _is_utf8(entry.name):
                found.skipped.append(_unnameable(path))
            elif is_dir:
                inner = self._enter(path, scope, verdict)
                if isinstance(inner, Scope):
                    enter.append((path, inner))
                else:
                    found.hide(inner.rule, is_dir=True)
            else:
                self._collect(path, entry, found)
        return enter[::-1]

    def _collect(self, path: str, entry: os.DirEntry[str], found: _Findings) -> None:
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return  # deleted since the listing
        except OSError as error:
            found.skipped.append(Skipped(path, SkipReason.UNREADABLE, _reason(error)))
            return
        judged = self._judge_file(path, entry.path, status)
        if isinstance(judged, FileStat):
            found.files.append(judged)
        else:
            found.skipped.append(judged)

    def _judge_file(self, path: str, full: str, status: os.stat_result) -> FileStat | Skipped:
        """Judge something that is neither ignored nor a folder."""
        if stat.S_ISLNK(status.st_mode):
            return _judge_link(path, full, str(self.root))
        if not stat.S_ISREG(status.st_mode):
            return Skipped(path, SkipReason.NOT_REGULAR, kind_of(status.st_mode))
        if not _is_utf8(path):
            return _unnameable(path)
        if status.st_size == 0:
            return Skipped(path, SkipReason.EMPTY, "the file has no bytes")
        if status.st_size > self.options.max_file_bytes:
            return too_large(path, status.st_size, self.options.max_file_bytes)
        return FileStat(path, status.st_size, status.st_mtime_ns)

    def _enter(self, path: str, parent: Scope, verdict: Verdict) -> Scope | Verdict:
        """Return the scope inside a folder that its parent admits; a verdict if a mark hides it."""
        cached = self._scopes.get(path)
        if cached is not None:
            return cached
        full = self._full(path)
        inner: Scope | Verdict
        mark = next((mark for mark in CACHE_MARKS if os.path.lexists(f"{full}/{mark}")), None)
        if mark and not verdict.rule:  # a rule that spoke for the folder is stronger
            inner = Verdict(ignored=True, rule=f"`{mark}` inside, by the built-in list")
        else:
            present = [name for name in IGNORE_FILES if os.path.lexists(f"{full}/{name}")]
            inner = self._rules.scope_inside(parent, Path(full), verdict, present)
        self._scopes[path] = inner
        return inner

    def _scope_of(self, folder: str) -> Scope | Verdict | None:
        """Return the scope inside a folder, the verdict that hides it, or None: no real folder."""
        cached = self._scopes.get(folder)
        if cached is not None:
            return cached
        above, _, name = folder.rpartition("/")
        parent = self._scope_of(above)
        if not isinstance(parent, Scope):
            return parent
        if name in ("", ".", "..") or not _is_real_folder(self._full(folder)):
            return None
        verdict = parent.judge(name, is_dir=True)
        if verdict.ignored and not verdict.reachable:
            return verdict
        return self._enter(folder, parent, verdict)

    def _full(self, path: str) -> str:
        return f"{self.root}/{path}" if path else str(self.root)


def walk(root: Path, options: WalkOptions | None = None) -> WalkResult:
    """Walk a root once.

    :raises NotFound: when there is nothing at ``root``.
    :raises UsageError: when it is not a folder.
    """
    return SourceTree(root, options).walk()


def is_ignore_file(path: str) -> bool:
    """Tell whether a path names an ignore file or a mark: a change there can move any other file."""
    return path.rpartition("/")[2] in (*IGNORE_FILES, *CACHE_MARKS)


def too_large(path: str, size_bytes: int, cap_bytes: int) -> Skipped:
    return Skipped(path, SkipReason.TOO_LARGE, f"{size_bytes:,} bytes, the cap is {cap_bytes:,}")


def why_empty(result: WalkResult) -> str:
    """Say in one sentence why a walk found no file, naming the rule that hides most.

    Empty when there are files.
    """
    if result.files:
        return ""
    parts = [f"{hidden.rule} hides {_counted(hidden)}" for hidden in result.hidden[:1]]
    if len(result.hidden) > 1:
        parts.append("; ".join(f"{hidden.rule} hides {_counted(hidden)}" for hidden in result.hidden[1:3]))
    reasons: dict[str, int] = {}
    for skipped in result.skipped:
        reasons[skipped.reason.value] = reasons.get(skipped.reason.value, 0) + 1
    if reasons:
        parts.append("skipped: " + ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items())))
    return "no file to index: " + "; ".join(parts) if parts else "no file to index: the folder is empty"


def _counted(hidden: Hidden) -> str:
    counts = ((hidden.files, "file"), (hidden.folders, "folder"))
    return " and ".join(f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in counts if count)


def _judge_link(path: str, full: str, root: str) -> Skipped:
    try:
        target = os.path.realpath(full, strict=True)
    except FileNotFoundError:
        return Skipped(path, SkipReason.UNREADABLE, "a link to nothing")
    except OSError as error:
        return Skipped(path, SkipReason.LINK_LOOP, _reason(error))
    if target != root and not target.startswith(root.rstrip("/") + "/"):
        return Skipped(path, SkipReason.LINK_OUTSIDE, f"a link to {_printable(target)}")
    inside = os.path.relpath(target, root)
    return Skipped(path, SkipReason.LINK_LOOP, f"a link to {_printable(inside)}, which counts under that name")


def _is_real_folder(full: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(full).st_mode)
    except OSError:
        return False


def kind_of(mode: int) -> str:
    """Name what a file mode that is not a regular file's says it is."""
    kinds = {stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket", stat.S_IFBLK: "a device", stat.S_IFCHR: "a device"}
    return kinds.get(stat.S_IFMT(mode), "not a regular file")


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


def _is_utf8(name: str) -> bool:
    return name.isascii() or not any("\udc80" <= char <= "\udcff" for char in name)


def _unnameable(path: str) -> Skipped:
    return Skipped(_printable(path), SkipReason.UNREADABLE, "its name is not UTF-8")


def _printable(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode("utf-8")
