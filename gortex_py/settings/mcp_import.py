"""Read the MCP servers that another client has set up, whatever form its file has.

Recognised by content: ``mcpServers`` (Claude Desktop, Claude Code, Cursor, Windsurf, Cline, Gemini CLI and many more),
``servers`` and ``mcp.servers`` (VS Code), ``context_servers`` (Zed), ``mcp`` (opencode), ``amp.mcpServers``,
``extensions`` (Goose), ``projects.*.mcpServers`` (Claude Code), and ``mcp_servers`` in TOML
(Codex). JSON may have comments.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gortex_py.errors import StoreFailed, UsageError
from gortex_py.settings.jsonc import parse_json, read_json_file
from gortex_py.settings.mcp_servers import KEYS, MAX_SERVERS, ROOT_KEY, check_entry
from gortex_py.settings.parse import YamlFileError, read_document

MAX_BYTES = 16 * 1024 * 1024  # a client that keeps its whole state in one file makes it large
_INPUT = re.compile(r"\$\{input:([^}]+)\}")
_URL_KEYS = ("url", "serverUrl", "httpUrl", "uri")
_ENV_KEYS = ("env", "environment", "envs")
_HEADER_KEYS = ("headers", "http_headers")
_ALLOW_KEYS = ("allow", "includeTools", "enabled_tools")
_BLOCK_KEYS = ("block", "excludeTools", "disabled_tools", "disabledTools")


@dataclass(frozen=True, slots=True)
class Imported:
    """What a client's file holds: entries in our form by name, and what is to be said of them."""

    servers: Mapping[str, Mapping[str, Any]]
    notes: tuple[str, ...]


def read_client_file(path: Path) -> Imported:
    """Return the servers of a client's file.

    :raises UsageError: when it cannot be read or holds none.
    """
    document = _document(path)
    found = list(_tables(document))
    if not found:
        raise UsageError(
            f"{path} holds no MCP servers; looked for mcpServers, servers, mcp, mcp_servers, context_servers and "
            "extensions",
            code="no-servers",
        )
    servers: dict[str, Mapping[str, Any]] = {}
    notes: list[str] = []
    for table in found:
        for name, raw in table.items():
            entry = _entry(str(name), raw, path, notes)
            slug = re.sub(r"[^A-Za-z0-9_.-]+", "-", str(name)).strip("-.")[:64] or "server"
            if slug in servers:
                notes.append(f"{name}: another server is called {slug} already; left out")
            elif entry is not None:
                trouble = check_entry(slug, entry)
                if trouble is None:
                    servers[slug] = entry
                else:
                    notes.append(f"{name}: {trouble}; left out")
    return Imported(servers, tuple(notes))


def add_servers(path: Path, servers: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """Put servers into the user's own file, which only the user can read; returns (new, replaced) names.

    :raises UsageError: when the file is there and cannot be read; it stays as it is then.
    :raises StoreFailed: when it cannot be written.
    """
    document, trouble = read_json_file(path)
    if trouble is None and document is not None and not isinstance(document, dict):
        trouble = "holds no JSON object"
    if trouble is not None:
        raise UsageError(f"{path} {trouble}; put it right or move it away first", code="bad-servers-file")
    whole = dict(document) if isinstance(document, dict) else {}
    listed = whole.get(ROOT_KEY)
    before: dict[str, Any] = dict(listed) if isinstance(listed, dict) else {}
    if len(before.keys() | servers.keys()) > MAX_SERVERS:
        raise UsageError(f"that would be more than {MAX_SERVERS} servers", code="too-many-servers")
    whole[ROOT_KEY] = {**before, **servers}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.new")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as stream:
            stream.write(json.dumps(whole, indent=2, ensure_ascii=False) + "\n")
        fresh.replace(path)
    except OSError as error:
        raise StoreFailed(f"{path} cannot be written: {error.strerror or error}") from error
    new = [name for name in servers if name not in before]
    return new, [name for name in servers if name in before and before[name] != servers[name]]


def _document(path: Path) -> object:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"{path} is larger than {MAX_BYTES} bytes", code="bad-servers-file")
        raw = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}", code="bad-servers-file") from error
    trouble: str | None = None
    document: object = None
    if path.suffix == ".toml":
        try:
            document = tomllib.loads(raw.decode("utf-8"))
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            trouble = f"is not valid TOML: {error}"
    elif path.suffix in (".yaml", ".yml"):
        try:
            document = read_document(raw).value
        except YamlFileError as error:
            trouble = error.what
    else:
        document, trouble = parse_json(raw)
    if trouble is not None:
        raise UsageError(f"{path} {trouble}", code="bad-servers-file")
    return document


def _tables(document: object) -> Iterator[Mapping[str, Any]]:
    """Yield every table of servers by name."""
    if not isinstance(document, dict):
        return
    nested = document.get("mcp")
    places = [
        *(document.get(key) for key in (ROOT_KEY, "servers", "context_servers", "mcp_servers", "extensions")),
        document.get("amp.mcpServers"),
        nested.get("servers", nested) if isinstance(nested, dict) else None,
    ]
    projects = document.get("projects")
    for project in projects.values() if isinstance(projects, dict) else ():
        places.append(project.get(ROOT_KEY) if isinstance(project, dict) else None)
    for place in places:
        table = _by_name(place) if isinstance(place, list) else place
        if isinstance(table, dict) and table and all(isinstance(each, dict) for each in table.values()):
            yield table


def _by_name(entries: list[Any]) -> dict[str, Any]:
    named = [each for each in entries if isinstance(each, dict) and isinstance(each.get("name"), str)]
    return {each["name"]: each for each in named}


def _entry(name: str, raw: Mapping[str, Any], path: Path, notes: list[str]) -> dict[str, Any] | None:
    """Return a server's entry in our form; None for what is no server that can be reached."""
    entry = {key: value for key, value in raw.items() if key in KEYS}
    entry.update(_command(raw))
    for key, names in (("url", _URL_KEYS), ("env", _ENV_KEYS), ("headers", _HEADER_KEYS)):
        _take(entry, key, raw, names)
    for key, names in (("allow", _ALLOW_KEYS), ("block", _BLOCK_KEYS)):
        _take(entry, key, raw, names)
    _add_credentials(entry, raw)
    _add_timeout(entry, raw)
    if raw.get("enabled") is False or raw.get("disabled") is True:
        entry["disabled"] = True
    if not entry.get("command") and not entry.get("url"):
        if raw.get("type") not in ("builtin", "platform", "frontend"):
            notes.append(f"{name}: neither a command nor a url; left out")
        return None
    if entry.get("command"):
        entry.pop("url", None)
        entry.pop("headers", None)
    elif raw.get("type") == "sse" or raw.get("transport") == "sse":
        notes.append(f"{name}: set up for the older SSE transport; gortex asks it by streamable HTTP")
    if "envFile" in raw:
        notes.append(f"{name}: envFile is not read; put what it holds into env")
    return _with_references(name, entry, path, notes)


def _command(raw: Mapping[str, Any]) -> dict[str, Any]:
    given = raw.get("command", raw.get("cmd"))
    if isinstance(given, dict):  # path, args and env in one
        return {"command": given.get("path"), **{key: given[key] for key in ("args", "env") if key in given}}
    if isinstance(given, list) and given:
        return {"command": given[0], "args": [*given[1:], *raw.get("args", ())]}
    return {"command": given} if given else {}


def _take(entry: dict[str, Any], key: str, raw: Mapping[str, Any], names: tuple[str, ...]) -> None:
    value = next((raw[name] for name in names if raw.get(name)), None)
    if value is None:
        entry.pop(key, None) if not entry.get(key) else None
        return
    if isinstance(value, dict):
        value = {str(each): _text(text) for each, text in value.items() if text is not None}
    entry.setdefault(key, value)
    if isinstance(value, dict):
        entry[key] = {**value, **{k: _text(v) for k, v in entry[key].items() if v is not None}}


def _text(value: object) -> object:
    """Return a number or a switch as the text that an environment holds."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else value


def _add_credentials(entry: dict[str, Any], raw: Mapping[str, Any]) -> None:
    headers = dict(entry.get("headers") or {})
    variable = raw.get("bearer_token_env_var")
    if isinstance(variable, str):
        headers.setdefault("Authorization", f"Bearer ${{{variable}}}")
    from_env = raw.get("env_http_headers")
    for name, each in from_env.items() if isinstance(from_env, dict) else ():
        headers.setdefault(str(name), f"${{{each}}}")
    if headers:
        entry["headers"] = headers


def _add_timeout(entry: dict[str, Any], raw: Mapping[str, Any]) -> None:
    seconds = raw.get("tool_timeout_sec", raw.get("timeout"))
    if "timeoutS" in entry or isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds <= 0:
        return
    # Some clients count in milliseconds; nobody waits a thousand seconds.
    entry["timeoutS"] = seconds / 1000 if seconds >= 1000 else seconds


def _with_references(name: str, entry: dict[str, Any], path: Path, notes: list[str]) -> dict[str, Any]:
    """Return an entry whose references are to the environment alone."""
    folder = path.resolve().parent
    project = folder.parent if folder.name.startswith(".") else folder
    wanted: list[str] = []

    def rewritten(text: str) -> str:
        def variable(match: re.Match[str]) -> str:
            wanted.append(re.sub(r"[^A-Za-z0-9]+", "_", match[1]).strip("_").upper() or "INPUT")
            return f"${{{wanted[-1]}}}"

        text = text.replace("${workspaceFolder}", str(project)).replace("${userHome}", "${HOME}")
        return _INPUT.sub(variable, text)

    def walk(value: Any) -> Any:
        if isinstance(value, str):
            return rewritten(value)
        if isinstance(value, list):
            return [walk(each) for each in value]
        return {key: walk(each) for key, each in value.items()} if isinstance(value, dict) else value

    made: dict[str, Any] = walk(entry)
    if wanted:
        notes.append(f"{name}: set {', '.join(dict.fromkeys(wanted))} in the environment of the daemon")
    return made
