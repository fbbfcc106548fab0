"""Find the files that an import names, by what the source spells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

# The file that speaks for its directory, by its stem.
SPEAKERS = frozenset({"__init__", "index", "mod", "lib", "init", "package"})
MAX_TARGETS = 32  # files of an imported directory; what stands for more says nothing of each
_HERE = frozenset({"crate", "self"})  # Rust: from this package, from this module
_SEPARATORS = str.maketrans({"\\": "/", ".": "/"})


class Modules:
    """The files of a repository by their place, for looking up what is imported."""

    def __init__(self, paths: Sequence[str], families: Sequence[str]) -> None:
        """Take aligned paths and language families; only files of one family import each other."""
        self._families = families
        self._parts: list[tuple[str, ...]] = []  # of each file: directories and stem, or only directories for a speaker
        self._by_last: dict[tuple[str, str], list[int]] = {}  # (family, last part) -> rows
        self._by_place: dict[tuple[str, tuple[str, ...]], list[int]] = {}
        self._by_dir: dict[tuple[str, str], dict[tuple[str, ...], list[int]]] = {}
        self.speaks: list[bool] = []
        for row, (path, family) in enumerate(zip(paths, families, strict=True)):
            *above, name = path.split("/")
            stem = name[:1] + name[1:].partition(".")[0]
            parts = tuple(above if stem in SPEAKERS else [*above, stem])
            self._parts.append(parts)
            self.speaks.append(stem in SPEAKERS)
            self._by_last.setdefault((family, parts[-1] if parts else ""), []).append(row)
            self._by_place.setdefault((family, parts), []).append(row)
            if above:
                self._by_dir.setdefault((family, above[-1]), {}).setdefault(tuple(above), []).append(row)
        self._above = [tuple(path.split("/")[:-1]) for path in paths]

    def named(self, row: int, spelled: str) -> list[int]:
        """Return the rows of the files that an import in a file means; none where it is not of this repository."""
        family, above = self._families[row], self._above[row]
        start, parts = _read(spelled, above)
        if start is not None:
            for place in _shorter((*start, *parts)):
                if found := self._by_place.get((family, place)):
                    return self._others(row, found)
            return []
        if not parts:
            return []
        is_near = spelled[:1] in "\"'<"  # a path, which may be relative to a directory that only the build knows
        if parts[0] in _HERE or parts[0] == "super":
            parts, is_near = tuple(part for part in parts if part not in _HERE and part != "super"), True
        for shorter in _shorter(parts):
            if found := self._ending(family, above, shorter, is_near=is_near or len(shorter) < len(parts)):
                return self._others(row, found)
        return self._others(row, self._directory(family, parts))

    def _others(self, row: int, found: list[int]) -> list[int]:
        return [other for other in found if other != row]

    def _ending(self, family: str, above: tuple[str, ...], parts: tuple[str, ...], *, is_near: bool) -> list[int]:
        """Return the files whose place ends most like the parts; of several, the nearest."""
        best: list[int] = []
        key = (0, 0)
        for row in self._by_last.get((family, parts[-1]), ()):
            place = self._parts[row]
            common = _common(place[::-1], parts[::-1])
            # One name alone means a file beside this one, near the top, or, of a path, anywhere.
            if common < 2 and common < len(place) and not (len(parts) == 1 and (is_near or place[:-1] == above)):
                continue
            rank = (common, _common(place, above))
            if rank > key:
                best, key = [row], rank
            elif rank == key:
                best.append(row)
        return best if len(best) <= MAX_TARGETS else []

    def _directory(self, family: str, parts: tuple[str, ...]) -> list[int]:
        """Return the files of the directory whose path ends most like the parts."""
        found: list[tuple[int, list[int]]] = []
        for place, rows in self._by_dir.get((family, parts[-1]), {}).items():
            common = _common(place[::-1], parts[::-1])
            if common >= min(2, len(place)):
                found.append((common, rows))
        most = max((common for common, _ in found), default=0)
        rows = [row for common, rows in found if common == most for row in rows]
        return rows if len(rows) <= MAX_TARGETS else []


def _read(spelled: str, above: tuple[str, ...]) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Return the directory that an import starts from, None where it does not say, and the parts of its path."""
    path = spelled.strip("\"'`<>")
    if path.startswith(("./", "../")) or path in (".", ".."):  # paths of JavaScript, Ruby, C
        pieces = path.split("/")
        ups = pieces.count("..")
        parts = [piece for piece in pieces if piece not in ("", ".", "..")]
        return above[: len(above) - ups] if ups <= len(above) else None, _without_extension(parts)
    if path.startswith("."):  # Python
        ups = len(path) - len(path.lstrip(".")) - 1
        return above[: len(above) - ups] if ups <= len(above) else None, tuple(path.lstrip(".").split("."))
    if path != spelled:
        return None, _without_extension([piece for piece in path.split("/") if piece])
    return None, tuple(part for part in path.replace("::", "/").translate(_SEPARATORS).split("/") if part)


def _without_extension(parts: list[str]) -> tuple[str, ...]:
    if not parts:
        return ()
    stem = parts[-1][:1] + parts[-1][1:].partition(".")[0]
    return tuple(parts[:-1] if stem in SPEAKERS else [*parts[:-1], stem])


def _shorter(parts: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Give the parts, and without the last one: that may be a name in the module before it."""
    yield parts
    if len(parts) > 1:
        yield parts[:-1]


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many parts two paths begin with alike."""
    for i, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            return i
    return min(len(first), len(second))
