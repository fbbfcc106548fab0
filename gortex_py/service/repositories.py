"""The registry of tracked repositories: one JSON file, one owner (the daemon).

Each repository has a data folder ``<data>/repos/<name>-<8 hex>`` with a marker that names what it
belongs to. The marker also holds what must survive a restart: whether a whole pass ever finished,
and which device the root was on. A registry that cannot be read is rebuilt from the markers.
"""

from __future__ import annotations

import json
import logging
import re
import shutil
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path

from gortex_py.errors import Conflict, NotFound, StoreFailed, UsageError
from gortex_py.service.address import write_private

logger = logging.getLogger(__name__)

REGISTRY_NAME = "repositories.json"
MARKER_NAME = "repository.json"
KERNEL_FOLDERS = ("/proc", "/sys")  # reading there can block, change things, and never ends the same
MAX_NAME_CHARS = 100
_FORMAT = 1
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Repository:
    """A tracked repository."""

    name: str  # unique among the tracked ones
    path: str  # absolute, links resolved
    added: float  # seconds since the epoch

    @property
    def root(self) -> Path:
        """Return the folder that is indexed."""
        return Path(self.path)


@dataclass(frozen=True, slots=True)
class Marker:
    """What is remembered about a repository's index from one run to the next."""

    name: str
    path: str
    added: float
    complete: bool = False  # a whole pass has finished at least once
    finished_at: float = 0.0  # seconds since the epoch; end of the last pass
    device: int = 0  # st_dev and st_ino of the root at that time
    inode: int = 0


class Registry:
    """The tracked repositories. Every change is on disk before the call returns; any thread may call."""

    def __init__(self, data_dir: Path, *, home: Path | None) -> None:
        self._data_dir = data_dir
        self._home = home
        self._lock = threading.Lock()
        self._known: dict[str, Repository] = {}
        self.problems: list[str] = []  # what went wrong while loading, as sentences
        self._load()

    def __iter__(self) -> Iterator[Repository]:
        with self._lock:
            known = sorted(self._known.values(), key=lambda repository: repository.name)
        return iter(known)

    def get(self, name: str) -> Repository:
        """Return the repository of that name.

        :raises NotFound: when none is tracked under it.
        """
        with self._lock:
            repository = self._known.get(name)
            names = sorted(self._known)
        if repository is None:
            tracked = f"tracked are: {', '.join(names[:20])}" if names else "nothing is tracked yet"
            raise NotFound(f"no repository named {name!r}; {tracked}", code="unknown-repository")
        return repository

    def add(self, path: str, name: str | None = None) -> tuple[Repository, bool]:
        """Track a folder; returns the repository and whether it is new.

        :raises UsageError: when the path is not an absolute path of a folder that may be indexed.
        :raises Conflict: when the name belongs to another folder.
        """
        root = self._checked_root(path)
        if name is not None:
            _check_name(name)
        with self._lock:
            for known in self._known.values():
                if known.path == str(root):
                    return known, False
            if name is not None and name in self._known:
                raise Conflict(
                    f"the name {name!r} belongs to {self._known[name].path}; give another name", code="name-taken"
                )
            repository = Repository(name or self._free_name(root), str(root), time.time())
            self._known[repository.name] = repository
            self._save()
        return repository, True

    def remove(self, name: str) -> Repository:
        """Forget a repository; its data folder is left for ``delete_folder``."""
        repository = self.get(name)
        with self._lock:
            self._known.pop(name, None)
            self._save()
        return repository

    def delete_folder(self, repository: Repository) -> None:
        """Delete a repository's data folder; nothing may have it open any more."""
        folder = self.folder(repository)
        try:
            if folder.exists():
                shutil.rmtree(folder)
        except OSError as error:
            raise StoreFailed(f"the index folder {folder} could not be deleted: {error.strerror}") from error

    def delete_orphans(self) -> list[str]:
        """Delete data folders of repositories that are not tracked any more; returns their names."""
        wanted = {self.folder(repository) for repository in self}
        orphans = [path.parent for path in self._data_dir.glob(f"repos/*/{MARKER_NAME}") if path.parent not in wanted]
        for folder in orphans:
            shutil.rmtree(folder, ignore_errors=True)
        return [folder.name for folder in orphans]

    def folder(self, repository: Repository) -> Path:
        """Return the data folder of a repository; it need not exist yet."""
        digest = blake2b(repository.path.encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
        slug = _UNSAFE.sub("-", repository.name).strip("-.")[:40] or "repository"
        return self._data_dir / "repos" / f"{slug}-{digest}"

    def marker(self, repository: Repository) -> Marker:
        """Return what is remembered of a repository; a fresh marker when nothing is.

        :raises Conflict: when the data folder belongs to another root.
        """
        fresh = Marker(repository.name, repository.path, repository.added)
        stored = _read_marker(self.folder(repository) / MARKER_NAME)
        if stored is None:
            return fresh
        if stored.path != repository.path:
            raise Conflict(
                f"{self.folder(repository)} holds the index of {stored.path}, not of {repository.path}; move it away",
                code="folder-taken",
            )
        return replace(stored, name=repository.name)

    def write_marker(self, repository: Repository, marker: Marker) -> None:
        """Remember something about a repository's index."""
        folder = self.folder(repository)
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_private(folder / MARKER_NAME, _encoded(asdict(marker)))
        except OSError as error:
            raise StoreFailed(f"{folder / MARKER_NAME} cannot be written: {error.strerror}") from error

    def _checked_root(self, path: str) -> Path:
        if "\0" in path:
            raise UsageError("a path cannot hold a NUL character", code="bad-path")
        given = Path(path)
        if not given.is_absolute():
            raise UsageError(f"the path must be absolute, not {path!r}", code="bad-path")
        try:
            root = given.resolve(strict=True)
            is_folder = root.is_dir()
        except FileNotFoundError:
            raise UsageError(f"there is no folder {path}", code="bad-path") from None
        except (OSError, RuntimeError, ValueError) as error:
            raise UsageError(f"the path {path!r} cannot be followed: {error}", code="bad-path") from error
        if not is_folder:
            raise UsageError(f"{path} is not a folder", code="bad-path")
        if root == Path(root.anchor):
            raise UsageError("the whole file system is not a repository; name a project folder", code="bad-path")
        if root == Path("/dev") or any(root.is_relative_to(folder) for folder in KERNEL_FOLDERS):
            raise UsageError(
                f"{root} holds no files of its own but the system's state; it is not indexed", code="bad-path"
            )
        if self._home is not None and self._home.resolve().is_relative_to(root):
            relation = "is" if root == self._home.resolve() else "holds"
            raise UsageError(f"{root} {relation} the home folder; name a project folder in it", code="bad-path")
        if root.is_relative_to(self._data_dir.resolve()):
            raise UsageError(f"{root} is where gortex keeps its indexes; it is not indexed", code="bad-path")
        return root

    def _free_name(self, root: Path) -> str:
        base = _printable(root.name)
        candidates = [base, f"{base}-{_printable(root.parent.name)}" if root.parent.name else base]
        number = 2
        while True:
            for name in candidates:
                if name not in self._known:
                    return name
            candidates = [f"{base}-{number}"]
            number += 1

    def _load(self) -> None:
        path = self._data_dir / REGISTRY_NAME
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            self._recover("was missing")
            return
        except OSError as error:
            raise StoreFailed(f"{path} cannot be read: {error.strerror}") from error
        try:
            rows = json.loads(content)["repositories"]
            entries = [Repository(str(row["name"]), str(row["path"]), float(row.get("added", 0))) for row in rows]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            aside = path.with_name(f"{path.name}.unreadable-{int(time.time())}")
            path.rename(aside)
            self._recover(f"was unreadable and is kept as {aside.name}")
            return
        self._known = {entry.name: entry for entry in entries}

    def _recover(self, trouble: str) -> None:
        for marker_path in sorted(self._data_dir.glob(f"repos/*/{MARKER_NAME}")):
            marker = _read_marker(marker_path)
            if marker is not None:
                self._known[marker.name] = Repository(marker.name, marker.path, marker.added)
        if not self._known and "unreadable" not in trouble:
            return  # a first start
        sentence = f"the list of repositories {trouble}; {len(self._known)} were found again by their indexes"
        logger.warning("%s", sentence)
        self.problems.append(sentence)
        self._save()

    def _save(self) -> None:
        rows = [asdict(repository) for repository in self._known.values()]
        path = self._data_dir / REGISTRY_NAME
        try:
            self._data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_private(path, _encoded({"format": _FORMAT, "repositories": rows}))
        except OSError as error:
            raise StoreFailed(f"{path} cannot be written: {error.strerror}") from error


def _check_name(name: str) -> None:
    if not name or len(name) > MAX_NAME_CHARS or name in {".", ".."} or name != _printable(name):
        raise UsageError(
            f"a repository's name has 1 to {MAX_NAME_CHARS} printable characters without '/', not {name[:120]!r}",
            code="bad-name",
        )


def _printable(name: str) -> str:
    # Bytes of a folder's name that are not UTF-8 arrive as lone surrogates, which JSON cannot carry.
    kept = "".join(char if char.isprintable() and char != "/" else "_" for char in name)
    return kept.strip()[:MAX_NAME_CHARS] or "repository"


def _encoded(value: Mapping[str, object]) -> bytes:
    return json.dumps(value, indent=1).encode("ascii") + b"\n"


def _read_marker(path: Path) -> Marker | None:
    try:
        row = json.loads(path.read_bytes())
        return Marker(
            name=str(row["name"]),
            path=str(row["path"]),
            added=float(row.get("added", 0)),
            complete=bool(row.get("complete", False)),
            finished_at=float(row.get("finished_at", 0)),
            device=int(row.get("device", 0)),
            inode=int(row.get("inode", 0)),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
