"""Ignore rules in their order of strength, folder by folder.

From strong to weak; the first file with a matching line decides, in a file the last line:

1. ``.gortexignore``, the deepest folder first;
2. patterns from the settings;
3. ``.gitignore``, the deepest folder first, up to the root of the git work tree;
4. ``.git/info/exclude``;
5. the user's global git excludes;
6. the built-in list below.

Nothing below an ignored folder is looked at, as in git. One thing git cannot do: a line of
``.gortexignore`` (or the settings) such as ``!gen/api.py`` that spells out a folder reaches
into it although a weaker file ignores it; there only what is named comes back.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gortex_py.source.git_layout import GitLayout, find_git_layout, global_excludes
from gortex_py.source.patterns import Pattern, as_bytes_text, parse_patterns
from gortex_py.types import Problem

GIT_FOLDER = ".git"  # also a file, in linked work trees; as in git, no rule brings it back
OWN_IGNORE_FILE = ".gortexignore"
GIT_IGNORE_FILE = ".gitignore"
IGNORE_FILES = (OWN_IGNORE_FILE, GIT_IGNORE_FILE)
# Only what tools write and nobody edits. `build`, `target`, `vendor` and `venv` are missing on
# purpose: they are also names of real source folders; see CACHE_MARKS for the others.
BUILT_IN = (
    *(".hg", ".svn", ".jj", ".bzr", "_darcs", "CVS/"),
    *("node_modules/", "bower_components/", "jspm_packages/", ".yarn/cache/", ".pnpm-store/", ".bundle/"),
    *("__pycache__/", ".venv/", ".tox/", ".nox/", ".eggs/", "*.egg-info/", ".ipynb_checkpoints/"),
    *(".mypy_cache/", ".ruff_cache/", ".pytest_cache/", ".hypothesis/", ".import_linter_cache/"),
    *(".gradle/", ".idea/", ".vs/", ".bloop/", ".metals/", ".dart_tool/", ".terraform/", ".stack-work/"),
    *(".next/", ".nuxt/", ".svelte-kit/", ".parcel-cache/", ".turbo/", ".zig-cache/", ".elixir_ls/", ".DS_Store"),
)
# A folder that holds one of these was made by a tool: a virtual environment whatever its name,
# and build or cache folders by the convention that cargo, pytest, mypy and others follow.
CACHE_MARKS = ("pyvenv.cfg", "CACHEDIR.TAG")
MAX_IGNORE_FILE_BYTES = 4 * 1024 * 1024  # a larger one is data under a wrong name

SETTINGS_SOURCE = "the settings"
BUILT_IN_SOURCE = "the built-in list"
_NO_FILE = (errno.ENOENT, errno.ENOTDIR)


class RuleList:
    """The patterns of one ignore file, ready to match."""

    __slots__ = ("_base", "_by_name", "_by_path", "_names", "_paths", "_patterns", "_regexes", "_source", "_suffixes")

    def __init__(self, patterns: Iterable[Pattern], *, base: str, source: str) -> None:
        """``base`` is the folder they apply below, relative to the top, ending in "/" or empty.

        ``source`` names the file in messages.
        """
        self._patterns = tuple(patterns)
        self._regexes: dict[Pattern, re.Pattern[str]] = {}
        self._base = as_bytes_text(base)
        self._source = source
        names = [p for p in self._patterns if p.by_name]
        paths = [p for p in self._patterns if not p.by_name]
        self._names = frozenset(p.literal for p in names if not p.rest)
        self._suffixes = tuple(s for p in names if (s := p.suffix) is not None)
        self._by_name = _any_of(p for p in names if p.rest and p.suffix is None)
        self._paths = frozenset(p.literal for p in paths if not p.rest)
        self._by_path = _any_of(p for p in paths if p.rest)

    def match(self, path: str, name: str, *, is_dir: bool) -> Pattern | None:
        """Return the last pattern that matches, or None. ``path`` is relative to the top."""
        below = path[len(self._base) :]
        if not (
            name in self._names
            or (self._suffixes and name.endswith(self._suffixes))
            or below in self._paths
            or (self._by_name and self._by_name.match(name))
            or (self._by_path and self._by_path.match(below))
        ):
            return None
        for pattern in reversed(self._patterns):
            if pattern.dir_only and not is_dir:
                continue
            if self._regex(pattern).fullmatch(name if pattern.by_name else below):
                return pattern
        return None

    def _regex(self, pattern: Pattern) -> re.Pattern[str]:
        regex = self._regexes.get(pattern)
        if regex is None:
            regex = self._regexes[pattern] = re.compile(pattern.regex, re.DOTALL)
        return regex

    def describe(self, pattern: Pattern) -> str:
        """Name a pattern with its file and line."""
        line = "" if self._source in (BUILT_IN_SOURCE, SETTINGS_SOURCE) else f" line {pattern.line}"
        return f"`{pattern.text}` in {self._source}{line}"

    def reaches_into(self, folder: str) -> bool:
        """Tell whether a ``!`` line spells out this folder or something in it."""
        below = folder[len(self._base) :] + "/"
        for pattern in self._patterns:
            named = pattern.literal + ("/" if not pattern.rest else "")
            spelled = named[: named.rfind("/") + 1]
            related = spelled.startswith(below) or below.startswith(spelled)
            if pattern.negated and not pattern.by_name and spelled and related:
                return True
        return False


def _any_of(patterns: Iterable[Pattern]) -> re.Pattern[str] | None:
    sources = [f"(?:{pattern.regex})" for pattern in patterns]
    return re.compile(f"(?:{'|'.join(sources)})\\Z", re.DOTALL) if sources else None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules say of one path."""

    ignored: bool
    rule: str  # which line of which file; empty when no rule matched
    reachable: bool = False  # an ignored folder that must be entered for what a rule names in it


_GIT_FOLDER = Verdict(ignored=True, rule=f"`{GIT_FOLDER}` in {BUILT_IN_SOURCE}")
_NO_RULE = Verdict(ignored=False, rule="")


@dataclass(frozen=True, slots=True)
class Scope:
    """The rules in force inside one folder."""

    path: str  # the folder relative to the top, as bytes text, ending in "/" or empty
    strong: tuple[RuleList, ...]  # .gortexignore and settings, strongest first
    weak: tuple[RuleList, ...]
    ignored_by: str = ""  # set in an ignored folder that was entered: the rule that ignores it

    def judge(self, name: str, *, is_dir: bool) -> Verdict:
        """Judge an entry of the folder by its name; a link is not a folder here, as in git."""
        if name == GIT_FOLDER:
            return _GIT_FOLDER
        name = as_bytes_text(name)
        path = self.path + name
        for rules in self.strong:
            pattern = rules.match(path, name, is_dir=is_dir)
            if pattern is not None:
                return Verdict(not pattern.negated, rules.describe(pattern))
        if self.ignored_by:
            return Verdict(True, self.ignored_by, is_dir and self._reaches_into(path))
        for rules in self.weak:
            pattern = rules.match(path, name, is_dir=is_dir)
            if pattern is not None:
                reachable = is_dir and not pattern.negated and self._reaches_into(path)
                return Verdict(not pattern.negated, rules.describe(pattern), reachable)
        return _NO_RULE

    def _reaches_into(self, path: str) -> bool:
        return any(rules.reaches_into(path) for rules in self.strong)


class Rules:
    """Reads ignore files below one root and makes the scopes of its folders."""

    def __init__(
        self, root: Path, *, home: Path | None = None, config_home: Path | None = None, exclude: tuple[str, ...] = ()
    ) -> None:
        """``root`` is a real path; ``exclude`` holds patterns from the settings."""
        self.root = root
        self.problems: list[Problem] = []
        self._layout: GitLayout | None = find_git_layout(root)
        self._top = self._layout.top if self._layout else root
        self._global_excludes = global_excludes(self._layout, home=home, config_home=config_home)
        self._exclude = exclude

    def files_in_force(self) -> tuple[Path, ...]:
        """Return the rule files outside the root that count for it, existing or not."""
        outside = [folder / name for folder in self._folders_above() for name in IGNORE_FILES]
        if self._layout:
            outside += [self._layout.common_dir / "info" / "exclude", self._layout.common_dir / "config"]
        if self._global_excludes:
            outside.append(self._global_excludes)
        return tuple(outside)

    def root_scope(self) -> Scope:
        """Return the scope inside the root. The root itself is never judged: it was named."""
        weak = [self._built_in()]
        if self._global_excludes:
            weak[:0] = self._read(self._global_excludes, "")
        if self._layout:
            weak[:0] = self._read(self._layout.common_dir / "info" / "exclude", "")
        settings = parse_patterns("\n".join(self._exclude).encode())
        strong = [RuleList(settings, base=self._base(self.root), source=SETTINGS_SOURCE)] if settings else []
        scope = Scope("", tuple(strong), tuple(weak))
        for folder in self._folders_above():
            scope = self._with_files_of(scope, folder, IGNORE_FILES)
        return self._with_files_of(scope, self.root, IGNORE_FILES)

    def scope_inside(self, parent: Scope, folder: Path, verdict: Verdict, present: Iterable[str]) -> Scope:
        """Return the scope inside a sub-folder, given the names in it."""
        names = [name for name in IGNORE_FILES if name in present]
        if verdict.ignored:  # git does not read ignore files in ignored folders, nor is it done here
            return Scope(as_bytes_text(self._base(folder)), parent.strong, parent.weak, verdict.rule)
        return self._with_files_of(parent, folder, names)

    def _with_files_of(self, scope: Scope, folder: Path, names: Iterable[str]) -> Scope:
        base = self._base(folder)
        strong, weak = scope.strong, scope.weak
        for name in names:
            found = self._read(folder / name, base)
            if name == OWN_IGNORE_FILE:
                strong = (*found, *strong)
            else:
                weak = (*found, *weak)
        return Scope(as_bytes_text(base), strong, weak)

    def _folders_above(self) -> Iterator[Path]:
        """Yield the folders from the git work tree's root down to the parent of the root."""
        above = [folder for folder in self.root.parents if folder.is_relative_to(self._top)]
        yield from reversed(above)

    def _base(self, folder: Path) -> str:
        relative = folder.relative_to(self._top).as_posix()
        return "" if relative == "." else relative + "/"

    def _built_in(self) -> RuleList:
        patterns = parse_patterns("\n".join(BUILT_IN).encode())
        return RuleList(patterns, base=self._base(self.root), source=BUILT_IN_SOURCE)

    def _read(self, path: Path, base: str) -> list[RuleList]:
        """Return the file's rules in a list, empty when it has none or cannot be read."""
        shown = self._shown(path)
        # A FIFO must not block, and git does not follow a link named .gitignore either.
        flags = os.O_RDONLY | os.O_NONBLOCK | (os.O_NOFOLLOW if path.name in IGNORE_FILES else 0)
        try:
            descriptor = os.open(path, flags)
        except OSError as error:
            if error.errno not in _NO_FILE:
                self.problems.append(Problem(shown, f"its rules are not applied: {error.strerror}"))
            return []
        try:
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                return []  # a folder of that name holds files, not rules
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                content = file.read(MAX_IGNORE_FILE_BYTES + 1)
        except OSError as error:
            self.problems.append(Problem(shown, f"its rules are not applied: {error.strerror}"))
            return []
        finally:
            os.close(descriptor)
        if len(content) > MAX_IGNORE_FILE_BYTES:
            self.problems.append(Problem(shown, f"its rules are not applied: over {MAX_IGNORE_FILE_BYTES:,} bytes"))
            return []
        patterns = parse_patterns(content)
        return [RuleList(patterns, base=base, source=shown)] if patterns else []

    def _shown(self, path: Path) -> str:
        if path.is_relative_to(self.root) or path.is_relative_to(self._top):
            return Path(os.path.relpath(path, self.root)).as_posix()
        return str(path)
