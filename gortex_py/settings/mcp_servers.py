"""The MCP servers that the user has set up: one JSON file, beside the settings.

``{"mcpServers": {NAME: {...}}}`` as the common clients have it. A server is started by ``command``,
``args``, ``env`` and ``cwd``, or reached at ``url`` with ``headers``. What only gortex knows:
``allow`` and ``block`` (names of tools), ``readOnly``, ``default`` (never hidden), ``essential`` (names
of tools that are never hidden), ``timeoutS``, ``disabled``.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gortex_py.settings.jsonc import read_json_file
from gortex_py.types import Problem

ROOT_KEY = "mcpServers"
MAX_SERVERS = 200
MAX_TIMEOUT_S = 86_400.0
# What a started server gets of the environment: where things are, and nothing that may be secret.
INHERITED = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER")
SERVER_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}")
_REFERENCE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_TEXT_LISTS = ("args", "allow", "block", "essential")
_TEXT_MAPS = ("env", "headers")
_FLAGS = ("readOnly", "default", "disabled")
_TEXTS = ("command", "cwd", "url")
KEYS = frozenset({*_TEXT_LISTS, *_TEXT_MAPS, *_FLAGS, *_TEXTS, "timeoutS"})


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """One MCP server as set up, references to the environment filled in."""

    name: str
    command: tuple[str, ...] = ()  # program and arguments; empty for one reached at a URL
    env: Mapping[str, str] = field(default_factory=dict, repr=False)  # all that the program gets
    cwd: str | None = None
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    allow: tuple[str, ...] | None = None  # its only tools, where set
    block: tuple[str, ...] = ()
    read_only: bool = False  # only tools that say of themselves that they change nothing
    default: bool = False  # its tools are never hidden
    essential: tuple[str, ...] = ()  # tools that are never hidden
    timeout_s: float | None = None
    problem: str | None = None  # why it cannot be started

    @property
    def kind(self) -> str:
        """How it is reached: "stdio" or "http"."""
        return "http" if self.url else "stdio"

    @property
    def digest(self) -> str:
        """A text that differs when the way to reach it does."""
        parts = [self.command, sorted(self.env.items()), self.cwd, self.url, sorted(self.headers.items())]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def where(self) -> str:
        """Where it is, for people; without arguments and credentials, which may be secret."""
        if not self.url:
            return self.command[0] if self.command else ""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}"


@dataclass(frozen=True, slots=True)
class ServerList:
    """The servers by name, and what of the file could not be used."""

    servers: tuple[ServerConfig, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_servers(path: Path, environ: Mapping[str, str]) -> ServerList:
    """Read the user's servers; nothing in it is fatal. No file means none."""
    document, trouble = read_json_file(path)
    if trouble is not None:
        return ServerList(problems=(Problem(str(path), trouble),))
    if document is None:
        return ServerList()
    listed = document.get(ROOT_KEY) if isinstance(document, dict) else None
    if not isinstance(listed, dict):
        return ServerList(problems=(Problem(str(path), f"holds no object {ROOT_KEY!r}"),))
    servers, problems = [], []
    for name, entry in list(listed.items())[:MAX_SERVERS]:
        trouble = check_entry(name, entry)
        if trouble is not None:
            problems.append(Problem(str(path), f"{name[:80]}: {trouble}"))
        elif not entry.get("disabled", False):
            servers.append(_server(name, entry, environ))
    if len(listed) > MAX_SERVERS:
        problems.append(Problem(str(path), f"has {len(listed)} servers; the first {MAX_SERVERS} count"))
    return ServerList(tuple(sorted(servers, key=lambda server: server.name)), tuple(problems))


def check_entry(name: str, entry: object) -> str | None:
    """Say what is wrong with one server's entry, None when nothing is."""
    if not SERVER_NAME.fullmatch(name):
        return "a name has 1 to 64 of the characters A-Z a-z 0-9 _ . -"
    if not isinstance(entry, dict):
        return "expected an object"
    for keys, is_right, expected in _CHECKS:
        for key in keys:
            if key in entry and not is_right(entry[key]):
                return f"{key} must be {expected}"
    return _check_way(entry)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value


def _is_timeout(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= MAX_TIMEOUT_S


_CHECKS: tuple[tuple[tuple[str, ...], Callable[[Any], bool], str], ...] = (
    (_TEXT_LISTS, lambda value: isinstance(value, list) and all(map(_is_text, value)), "a list of texts"),
    (_TEXT_MAPS, lambda value: isinstance(value, dict) and all(map(_is_text, value.values())), "an object of texts"),
    (_FLAGS, lambda value: isinstance(value, bool), "true or false"),
    (_TEXTS, _is_text, "text"),
    (("timeoutS",), _is_timeout, f"a number of seconds above 0, {MAX_TIMEOUT_S:g} at most"),
)


def _check_way(entry: Mapping[str, Any]) -> str | None:
    if bool(entry.get("command")) == bool(entry.get("url")):
        return "expected either a command or a url"
    url = entry.get("url")
    # A reference may hold the whole address; it is looked at again when it is filled in.
    if url and "${" not in url and urlsplit(url).scheme not in ("http", "https"):
        return "url must begin with http:// or https://"
    return None


def _server(name: str, entry: Mapping[str, Any], environ: Mapping[str, str]) -> ServerConfig:
    missing: list[str] = []

    def fill(text: str) -> str:
        def value(match: re.Match[str]) -> str:
            variable, default = match.groups()
            found = environ.get(variable) or default
            if found is None:
                missing.append(variable)
            return found or ""

        return _REFERENCE.sub(value, text)

    command = (entry.get("command", ""), *entry.get("args", ())) if entry.get("command") else ()
    inherited = {key: environ[key] for key in INHERITED if key in environ}
    server = ServerConfig(
        name=name,
        command=tuple(map(fill, command)),
        env={**inherited, **{key: fill(value) for key, value in entry.get("env", {}).items()}},
        cwd=fill(entry["cwd"]) if entry.get("cwd") else None,
        url=fill(entry["url"]) if entry.get("url") else None,
        headers={key: fill(value) for key, value in entry.get("headers", {}).items()},
        allow=tuple(entry["allow"]) if "allow" in entry else None,
        block=tuple(entry.get("block", ())),
        read_only=entry.get("readOnly", False),
        default=entry.get("default", False),
        essential=tuple(entry.get("essential", ())),
        timeout_s=float(entry["timeoutS"]) if "timeoutS" in entry else None,
    )
    if missing:
        return replace(server, problem=f"the environment has no variable {', '.join(dict.fromkeys(missing))}")
    if server.url and urlsplit(server.url).scheme not in ("http", "https"):
        return replace(server, problem="its url does not begin with http:// or https://")
    return server
