"""Git repositories made for a test, of commits that are only named and what they touch."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

CLEAN = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "PATH": os.defpath, "LC_ALL": "C"}
Path_ = str | bytes


def _quoted(path: Path_) -> bytes:
    raw = path if isinstance(path, bytes) else path.encode()
    return b'"' + b"".join(b"\\%03o" % byte if byte < 33 or byte in b'"\\' else bytes([byte]) for byte in raw) + b'"'


@dataclass
class GitWork:
    """A work tree with a branch ``main``."""

    root: Path
    _clock: int = 1_700_000_000
    _marks: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q")

    def git(self, *words: str, stdin: bytes = b"", at: Path | None = None) -> str:
        """Run git in the work tree."""
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
        done = subprocess.run(
            ("git", *identity, *words), cwd=at or self.root, env=CLEAN, check=True, capture_output=True, input=stdin
        )
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def commit(self, subject: str | bytes, *touched: Path_, moved: Mapping[str, str] | None = None) -> None:
        """Add one commit; files of it are not put into the work tree."""
        self.commits([(subject, touched)], moved=moved)

    def commits(
        self, commits: Iterable[tuple[str | bytes, Iterable[Path_]]], *, moved: Mapping[str, str] | None = None
    ) -> None:
        """Add commits, each with files that get new content."""
        stream: list[bytes] = []
        has_parent = bool(self._marks)
        for subject, touched in commits:
            self._clock += 1
            said = subject if isinstance(subject, bytes) else subject.encode()
            stream.append(b"commit refs/heads/main\ncommitter a <a@example.org> %d +0000\n" % self._clock)
            stream.append(b"data %d\n%s\n" % (len(said), said))
            if has_parent:
                stream.append(b"from refs/heads/main^0\n")
                has_parent = False
            stream += [b"R %s %s\n" % (_quoted(old), _quoted(new)) for old, new in (moved or {}).items()]
            for path in touched:
                content = b"%d %s" % (self._clock, _quoted(path))
                stream.append(b"M 100644 inline %s\ndata %d\n%s\n" % (_quoted(path), len(content), content))
            self._marks.append("")
        self.git("fast-import", "--quiet", "--force", "--date-format=raw-permissive", stdin=b"".join(stream))

    @property
    def head(self) -> str:
        """Return the newest commit's id."""
        return self.git("rev-parse", "HEAD")
