"""The files of other clients, as far as their forms are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gortex_py.errors import UsageError
from gortex_py.settings.mcp_import import Imported, add_servers, read_client_file

STDIO = {"command": "npx", "args": ["-y", "a-server"], "env": {"KEY": "v"}}


def imported(tmp_path: Path, content: Any, name: str = "mcp.json") -> Imported:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return read_client_file(path)


@pytest.mark.parametrize(
    ("document", "entry"),
    [
        ({"mcpServers": {"a": STDIO}}, STDIO),
        ({"servers": {"a": {"type": "stdio", **STDIO}}, "inputs": []}, STDIO),
        ({"editor.x": 1, "mcp": {"servers": {"a": STDIO}}}, STDIO),
        ({"context_servers": {"a": {"source": "custom", **STDIO}}}, STDIO),
        (
            {"context_servers": {"a": {"command": {"path": "npx", "args": ["-y", "a-server"], "env": {"KEY": "v"}}}}},
            STDIO,
        ),
        (
            {"mcp": {"a": {"type": "local", "command": ["npx", "-y", "a-server"], "environment": {"KEY": "v"}}}},
            STDIO,
        ),
        ({"amp.mcpServers": {"a": STDIO}}, STDIO),
        ({"projects": {"/p": {"mcpServers": {"a": STDIO}}, "/q": {}}}, STDIO),
        ({"mcpServers": {"a": {"serverUrl": "https://h/mcp"}}}, {"url": "https://h/mcp"}),
        (
            {"mcpServers": {"a": {"httpUrl": "https://h/mcp", "timeout": 30000}}},
            {"url": "https://h/mcp", "timeoutS": 30},
        ),
        (
            {"mcp": {"a": {"type": "remote", "url": "https://h", "headers": {"X": "y"}, "enabled": False}}},
            {"url": "https://h", "headers": {"X": "y"}, "disabled": True},
        ),
        (
            {"mcpServers": {"a": {**STDIO, "includeTools": ["x"], "excludeTools": ["y"], "trust": True}}},
            {**STDIO, "allow": ["x"], "block": ["y"]},
        ),
        (
            {"mcpServers": {"a": {"command": "x", "env": {"PORT": 80, "ON": True, "NONE": None}}}},
            {"command": "x", "env": {"PORT": "80", "ON": "true"}},
        ),
    ],
)
def test_json_of_any_client_is_read(tmp_path: Path, document: Any, entry: dict[str, Any]) -> None:
    assert imported(tmp_path, document).servers == {"a": entry}


def test_toml_is_read(tmp_path: Path) -> None:
    text = """
    model = "x"
    [mcp_servers.docs]
    command = "npx"
    args = ["-y", "docs"]
    tool_timeout_sec = 90
    [mcp_servers.web]
    url = "https://h/mcp"
    bearer_token_env_var = "TOKEN"
    env_http_headers = { X-Org = "ORG" }
    """
    assert imported(tmp_path, text, "config.toml").servers == {
        "docs": {"command": "npx", "args": ["-y", "docs"], "timeoutS": 90},
        "web": {"url": "https://h/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Org": "${ORG}"}},
    }


def test_yaml_is_read(tmp_path: Path) -> None:
    text = """
    extensions:
      developer: {type: builtin, enabled: true}
      docs: {type: stdio, cmd: npx, args: [-y, docs], envs: {A: b}, enabled: true}
    """
    found = imported(tmp_path, text, "config.yaml")
    assert found.servers == {"docs": {"command": "npx", "args": ["-y", "docs"], "env": {"A": "b"}}}
    assert found.notes == ()
    listed = "mcpServers:\n  - name: docs\n    command: npx\n"
    assert imported(tmp_path, listed, "other.yaml").servers == {"docs": {"command": "npx"}}


def test_inputs_become_variables_and_folders_are_filled_in(tmp_path: Path) -> None:
    entry = {"command": "${workspaceFolder}/run", "env": {"K": "${input:api-key}", "H": "${env:HOME}"}}
    found = imported(tmp_path, {"servers": {"a": entry}}, ".vscode/mcp.json")
    assert found.servers["a"] == {
        "command": f"{tmp_path.resolve()}/run",
        "env": {"K": "${API_KEY}", "H": "${env:HOME}"},
    }
    assert found.notes == ("a: set API_KEY in the environment of the daemon",)


def test_what_is_odd_is_said(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        {
            "mcpServers": {
                "my server": {"command": "x", "envFile": ".env"},
                "my-server": {"command": "y"},
                "none": {"note": "empty"},
                "old": {"type": "sse", "url": "https://h/sse"},
                "wrong": {"command": "x", "args": "text"},
            }
        },
    )
    assert set(found.servers) == {"my-server", "old"}
    assert [note.split(";")[0] for note in found.notes] == [
        "my server: envFile is not read",
        "my-server: another server is called my-server already",
        "none: neither a command nor a url",
        "old: set up for the older SSE transport",
        "wrong: args must be a list of texts",
    ]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.json", "{}", "holds no MCP servers"),
        ("a.json", "{nothing", "is not valid JSON at line 1"),
        ("a.toml", "= x", "is not valid TOML"),
        ("a.yaml", "a: [", "is not valid YAML"),
        ("a.json", "\x00\x01", "is not valid JSON"),
    ],
)
def test_a_file_without_servers_is_refused(tmp_path: Path, name: str, text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        imported(tmp_path, text, name)


def test_an_absent_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_client_file(tmp_path / "absent.json")


def test_servers_are_added_to_the_users_file_and_only_he_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "mcp.json"
    assert add_servers(path, {"a": STDIO}) == (["a"], [])
    assert add_servers(path, {"a": STDIO, "b": {"url": "http://h"}}) == (["b"], [])
    assert add_servers(path, {"a": {"command": "z"}}) == ([], ["a"])
    assert json.loads(path.read_text()) == {"mcpServers": {"a": {"command": "z"}, "b": {"url": "http://h"}}}
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in path.parent.iterdir()] == ["mcp.json"]


def test_a_broken_file_of_the_user_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text("{ my notes")
    with pytest.raises(UsageError, match="put it right or move it away first"):
        add_servers(path, {"a": STDIO})
    assert path.read_text() == "{ my notes"
