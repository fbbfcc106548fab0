"""Read one YAML file that anybody may have written: bounded in size, depth and aliases."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path

MAX_BYTES = 256 * 1024  # a settings file is a page; more is another file under this name
MAX_DEPTH = 20
MAX_ALIASES = 16  # each may double what the others mean; so few cannot grow to anything


class YamlFileError(Exception):
    """The file cannot be used; ``what`` says why, without its path. Never leaves this package."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


@dataclass(frozen=True, slots=True)
class Document:
    value: object  # plain Python data; None for an empty file
    notes: tuple[str, ...]  # what is odd but was read


def read_regular_file(path: Path) -> bytes | None:
    """Return a file's bytes, None when there is none.

    :raises YamlFileError: for a directory, a FIFO or a device, a file that is too large or cannot be read.
    """
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise YamlFileError("is a directory, expected a file")
        if not stat.S_ISREG(status.st_mode):
            raise YamlFileError("is not a regular file")
        if status.st_size > MAX_BYTES:
            raise YamlFileError(f"is {status.st_size:,} bytes, expected at most {MAX_BYTES:,}; it is ignored")
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise YamlFileError(f"cannot be read ({error.strerror or error}); it is ignored") from error


def read_document(raw: bytes) -> Document:
    """Return the one document of a YAML file.

    :raises YamlFileError: with line and column where there is one.
    """
    import yaml

    text = _decode(raw)
    try:
        _check_size(text)
        loader = yaml.SafeLoader(text)
        try:
            node = loader.get_single_node()
            notes = tuple(_duplicates(node))
            # The stubs of PyYAML leave the constructor untyped.
            value: object = loader.construct_document(node) if node is not None else None
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise YamlFileError(f"is not valid YAML{where}: {error.problem or error.context}; it is ignored") from error
    # A date with a thirteenth month, or a number of too many digits, is a plain ValueError of Python.
    except (yaml.YAMLError, ValueError) as error:
        first = str(error).splitlines()[0]
        raise YamlFileError(f"is not valid YAML: {first}; it is ignored") from error
    return Document(value, notes)


def _decode(raw: bytes) -> str:
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise YamlFileError(f"is not {encoding.removesuffix('-sig').upper()} at line {line}; it is ignored") from error


def _check_size(text: str) -> None:
    """Refuse what would grow or recurse without bound, before anything is built of it."""
    import yaml

    depth = aliases = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.AliasEvent):
            aliases += 1
        if depth > MAX_DEPTH or aliases > MAX_ALIASES:
            line = event.start_mark.line + 1 if event.start_mark else "?"
            what = f"nests deeper than {MAX_DEPTH} levels" if depth > MAX_DEPTH else f"has over {MAX_ALIASES} aliases"
            raise YamlFileError(f"{what} at line {line}; it is ignored")


def _duplicates(root: object) -> list[str]:
    """Return a note for each key that stands twice in one mapping; YAML forbids it, PyYAML takes the last."""
    import yaml

    notes: list[str] = []
    pending, seen_nodes = [root], set[int]()
    while pending:
        node = pending.pop()
        if not isinstance(node, yaml.CollectionNode) or id(node) in seen_nodes:
            continue
        seen_nodes.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            pending.extend(node.value)
            continue
        keys: set[str] = set()
        for key, value in node.value:
            pending.append(value)
            if isinstance(key, yaml.ScalarNode):
                if key.value in keys:
                    line = key.start_mark.line + 1 if key.start_mark else "?"
                    notes.append(f"has {key.value!r} twice, again at line {line}; the last counts")
                keys.add(key.value)
    return sorted(notes)
