"""Read one file: safely from the disk, and from bytes to text.

A path can change between the walk and the read. So each folder on the way is opened without
following links, and nothing but a regular file is ever opened: no FIFO can block the reader and
no link can lead it out of the root.
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from gortex_py.source.categories import category_of
from gortex_py.source.decode import SNIFF_BYTES, decode, why_binary
from gortex_py.source.languages import HEAD_CHARS, language_of
from gortex_py.source.walk import MAX_FILE_BYTES, kind_of, too_large
from gortex_py.types import FileStat, Skipped, SkipReason, SourceFile

_LINK_ERRNOS = (errno.ELOOP, errno.EMLINK)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    max_file_bytes: int = MAX_FILE_BYTES


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file that was read."""

    file: SourceFile  # size, time and digest are of the bytes that were read
    text: str  # newlines as \\n, no byte order mark
    encoding: str  # "utf-8", "utf-16-le", …; "latin-1" or "utf-8 with replacements" when it was a guess

    @property
    def is_guess(self) -> bool:
        """Tell whether the bytes were in no Unicode encoding, so that letters may be wrong."""
        return self.encoding in ("latin-1", "utf-8 with replacements")


def read_file(root: Path, found: FileStat, options: ReadOptions | None = None) -> ReadFile | Skipped:
    """Read a file the walk found; never raises for what the disk holds.

    ``root`` is the walked root; a relative path that leaves it is refused.
    """
    path = found.path
    cap_bytes = (options or ReadOptions()).max_file_bytes
    try:
        descriptor = _open_below(root, path)
    except OSError as error:
        return _not_opened(path, error)
    if isinstance(descriptor, Skipped):
        return descriptor
    try:
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return Skipped(path, SkipReason.NOT_REGULAR, kind_of(status.st_mode))
            head = file.read(SNIFF_BYTES)
            reason = why_binary(head)
            if reason:
                return Skipped(path, SkipReason.BINARY, reason)
            data = head + file.read(cap_bytes + 1 - len(head)) if len(head) <= cap_bytes else head
    except OSError as error:
        return _not_opened(path, error)
    if len(data) > cap_bytes:
        return too_large(path, max(status.st_size, len(data)), cap_bytes)
    return _from_bytes(path, data, status.st_mtime_ns)


def _from_bytes(path: str, data: bytes, mtime_ns: int) -> ReadFile | Skipped:
    text, encoding = decode(data)
    if not text:
        return Skipped(path, SkipReason.EMPTY, "the file has no text")
    head = text[:HEAD_CHARS]
    language = language_of(path, head)
    digest = blake2b(data, digest_size=16).hexdigest()
    file = SourceFile(path, language, category_of(path, language, head), len(data), mtime_ns, digest)
    return ReadFile(file, text, encoding)


def _open_below(root: Path, path: str) -> int | Skipped:
    """Open a regular file below the root, folder by folder, following no link.

    :raises OSError: when a part of the path is missing, unreadable or a link.
    """
    parts = path.split("/")
    if not path or any(part in ("", ".", "..") for part in parts):
        return Skipped(path, SkipReason.LINK_OUTSIDE, "the path leaves the root")
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        mode = os.stat(parts[-1], dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            return Skipped(path, SkipReason.LINK_OUTSIDE, "it has become a link, and links are not followed")
        if not stat.S_ISREG(mode):
            return Skipped(path, SkipReason.NOT_REGULAR, kind_of(mode))
        return os.open(parts[-1], os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW, dir_fd=folder)
    finally:
        os.close(folder)


def _not_opened(path: str, error: OSError) -> Skipped:
    if error.errno in _LINK_ERRNOS:
        return Skipped(path, SkipReason.LINK_OUTSIDE, "it has become a link, and links are not followed")
    if error.errno == errno.ENXIO:
        return Skipped(path, SkipReason.NOT_REGULAR, "not a regular file")
    return Skipped(path, SkipReason.UNREADABLE, (error.strerror or type(error).__name__).lower())
