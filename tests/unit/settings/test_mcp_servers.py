from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gortex_py.settings.mcp_servers import ServerConfig, ServerList, read_servers

ENVIRON = {"PATH": "/bin", "KEY": "k", "SECRET": "s"}


def read(tmp_path: Path, text: str) -> ServerList:
    path = tmp_path / "mcp.json"
    path.write_text(text)
    return read_servers(path, ENVIRON)


def one(tmp_path: Path, entry: str) -> ServerConfig:
    found = read(tmp_path, f'{{"mcpServers": {{"one": {entry}}}}}')
    assert found.problems == ()
    (server,) = found.servers
    return server


def test_no_file_means_no_servers(tmp_path: Path) -> None:
    assert read_servers(tmp_path / "absent.json", {}) == ServerList()


def test_references_are_filled_in_and_little_is_inherited(tmp_path: Path) -> None:
    server = one(
        tmp_path,
        '{"command": "npx", "args": ["-y", "${env:KEY}", "${NONE:-d}", "$5"], "cwd": "/x",'
        ' "env": {"A": "${KEY}-${KEY}"}}',
    )
    assert server.command == ("npx", "-y", "k", "d", "$5")
    assert server.env == {"PATH": "/bin", "A": "k-k"}
    assert (server.kind, server.where, server.cwd, server.problem) == ("stdio", "npx", "/x", None)


def test_an_address_is_shown_without_what_may_be_secret(tmp_path: Path) -> None:
    server = one(tmp_path, '{"url": "https://me:${KEY}@host:8443/mcp?token=${KEY}", "headers": {"X": "${KEY}"}}')
    assert (server.kind, server.where) == ("http", "https://host:8443/mcp")
    assert "X" not in repr(server).replace("headers", "")


def test_what_only_we_know_is_read(tmp_path: Path) -> None:
    server = one(
        tmp_path,
        '{"command": "x", "allow": ["a"], "block": ["b"], "readOnly": true, "default": true, "essential": ["c"],'
        ' "timeoutS": 5}',
    )
    assert (server.allow, server.block, server.read_only) == (("a",), ("b",), True)
    assert (server.default, server.essential, server.timeout_s) == (True, ("c",), 5.0)


def test_a_variable_that_is_not_there_is_a_problem_of_its_server_alone(tmp_path: Path) -> None:
    found = read(tmp_path, '{"mcpServers": {"a": {"command": "x", "args": ["${NONE}"]}, "b": {"command": "y"}}}')
    assert [server.problem for server in found.servers] == ["the environment has no variable NONE", None]


def test_comments_and_trailing_commas_are_overlooked(tmp_path: Path) -> None:
    text = '// mine\n{"mcpServers": {"one": {"url": "http://h/a//b", /* c, */ }, }, }'
    assert read(tmp_path, text).servers[0].url == "http://h/a//b"


def test_disabled_servers_are_left_out(tmp_path: Path) -> None:
    assert read(tmp_path, '{"mcpServers": {"one": {"command": "x", "disabled": true}}}') == ServerList()


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ("7", "one: expected an object"),
        ("{}", "one: expected either a command or a url"),
        ('{"command": "x", "url": "http://h"}', "one: expected either a command or a url"),
        ('{"url": "file:///etc/passwd"}', "one: url must begin with http:// or https://"),
        ('{"command": ["x"]}', "one: command must be text"),
        ('{"command": "x\\u0000"}', "one: command must be text"),
        ('{"command": "x", "args": "a"}', "one: args must be a list of texts"),
        ('{"command": "x", "env": {"A": 1}}', "one: env must be an object of texts"),
        ('{"command": "x", "default": "yes"}', "one: default must be true or false"),
        ('{"command": "x", "timeoutS": 0}', "one: timeoutS must be a number of seconds above 0, 86400 at most"),
        ('{"command": "x", "timeoutS": true}', "one: timeoutS must be a number of seconds above 0, 86400 at most"),
    ],
)
def test_a_bad_entry_is_named_and_the_others_count(tmp_path: Path, entry: str, says: str) -> None:
    found = read(tmp_path, f'{{"mcpServers": {{"one": {entry}, "two": {{"command": "x"}}}}}}')
    assert [problem.what for problem in found.problems] == [says]
    assert [server.name for server in found.servers] == ["two"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not valid JSON at line 1, column 2"),
        ("[1]", "holds no object 'mcpServers'"),
        ('{"mcpServers": []}', "holds no object 'mcpServers'"),
        ('{"mcpServers": {"a b": {"command": "x"}}}', "a b: a name has 1 to 64"),
        ("[" * 100_000, "nests too deep"),
    ],
)
def test_a_bad_file_is_a_problem(tmp_path: Path, text: str, says: str) -> None:
    found = read(tmp_path, text)
    assert found.servers == ()
    assert found.problems[0].what.startswith(says)


def test_the_digest_tells_ways_apart_and_nothing_else() -> None:
    def digest(**how: Any) -> str:
        return ServerConfig("a", command=("x",), **how).digest

    assert digest() == digest(block=("b",)) == digest(default=True)
    assert len({digest(), digest(env={"A": "1"}), digest(env={"A": "2"}), digest(cwd="/")}) == 4
