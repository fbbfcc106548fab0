"""The gateway as clients meet it: the official client library, over stdio and over HTTP, in both eras."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import ToolListChangedNotification

from tests.surfaces.mcp.conftest import Setup

META = ["search_tool_bm25", "describe_tool", "call_tool"]
WAYS = ("stdio", "http")
# Each start of a program takes a second; what differs between the ways is seen by one test of both.
MOSTLY_HTTP = (pytest.param("stdio", marks=pytest.mark.soak), "http")
LIMIT_S = 20.0


class Heard:
    """A message handler that counts the changes of the list."""

    def __init__(self) -> None:
        self.changes = 0
        self.changed = asyncio.Event()

    async def __call__(self, message: Any) -> None:
        if isinstance(message, ToolListChangedNotification):
            self.changes += 1
            self.changed.set()


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(2 * LIMIT_S):
            await test()

    asyncio.run(bounded())


async def names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools]


def texts(result: Any) -> list[str]:
    return [part.text for part in result.content]


@pytest.mark.parametrize("way", WAYS)
def test_what_a_search_finds_is_listed_and_called_in_its_own_session(setup: Setup, way: str) -> None:
    async def test() -> None:
        heard, others = Heard(), Heard()
        target = setup.ways()[way]
        async with (
            Client(target, mode="legacy", message_handler=heard) as client,
            Client(setup.ways()[way], mode="legacy", message_handler=others) as other,
        ):
            assert client.server_capabilities.tools is not None
            assert client.server_capabilities.tools.list_changed is True
            assert await names(client) == await names(other) == META
            found = await client.call_tool("search_tool_bm25", {"query": "capitals", "limit": 1})
            assert texts(found)[0] == (
                '{"query":"capitals","activated_tools":["mcp__small_shout"],"match_count":1,"total_tools":48}'
            )
            assert [each["name"] for each in found.structured_content["tools"]] == ["mcp__small_shout"]
            await asyncio.wait_for(heard.changed.wait(), LIMIT_S)
            # New ones come last, so that what a model has cached of the list stays valid.
            assert await names(client) == [*META, "mcp__small_shout"]
            (tool,) = [each for each in (await client.list_tools()).tools if each.name == "mcp__small_shout"]
            assert tool.output_schema is not None
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is True
            said = await client.call_tool("mcp__small_shout", {"text": "hello"})
            assert (texts(said), said.structured_content, said.is_error) == (["HELLO"], {"said": "HELLO"}, False)
            assert await names(other) == META
            assert others.changes == 0

    run(test)


@pytest.mark.parametrize("way", MOSTLY_HTTP)
def test_a_hidden_tool_can_be_called_by_name_and_described(setup: Setup, way: str) -> None:
    async def test() -> None:
        async with Client(setup.ways()[way], mode="legacy") as client:
            await client.list_tools()
            direct = await client.call_tool("mcp__small_extra_1", {"text": "a"})
            assert texts(direct) == ["a"]
            assert await names(client) == [*META, "mcp__small_extra_1"]
            definition = json.loads(texts(await client.call_tool("describe_tool", {"name": "mcp__small_extra_2"}))[0])
            assert definition["inputSchema"]["required"] == ["text"]
            through = await client.call_tool("call_tool", {"name": "mcp__small_refuse", "arguments": {"text": "b"}})
            assert (texts(through), through.is_error) == (["I refuse b"], True)

    run(test)


@pytest.mark.parametrize("way", MOSTLY_HTTP)
def test_in_the_modern_era_the_list_stays_and_a_handle_stands_for_the_session(setup: Setup, way: str) -> None:
    async def test() -> None:
        async with Client(setup.ways()[way], mode="auto") as client:
            assert client.protocol_version == "2026-07-28"
            before = await client.list_tools(cache_mode="bypass")
            assert [tool.name for tool in before.tools] == META
            first = await client.call_tool("search_tool_bm25", {"query": "extra thing", "limit": 2})
            content, more = (json.loads(text) for text in texts(first))
            assert content["match_count"] == 2
            assert more["tools"] == [f"{name}(text)" for name in content["activated_tools"]]
            handle = more["discovery_session"]
            assert first.structured_content["discovery_session"] == handle
            again = await client.call_tool(
                "search_tool_bm25", {"query": "extra thing", "limit": 2, "discovery_session": handle}
            )
            assert not set(json.loads(texts(again)[0])["activated_tools"]) & set(content["activated_tools"])
            called = await client.call_tool(
                "call_tool",
                {"name": content["activated_tools"][0], "arguments": {"text": "c"}, "discovery_session": handle},
            )
            assert texts(called) == ["c"]
            assert texts(await client.call_tool("mcp__small_shout", {"text": "d"})) == ["D"]
            assert (await client.list_tools(cache_mode="bypass")).tools == before.tools

    run(test)


def test_a_true_change_is_told_to_modern_clients_that_listen(setup: Setup) -> None:
    async def test() -> None:
        ways = setup.ways()
        async with Client(f"{ways['http']}?mode=off", mode="auto") as client:
            before = await names(client)
            async with client.listen(tools_list_changed=True) as subscription:
                await client.call_tool("mcp__small_grow", {"text": ""})
                async with asyncio.timeout(LIMIT_S):
                    await anext(subscription)
            assert set(await names(client)) - set(before) == {"mcp__small_grown_0"}

    run(test)


BAD_CALLS: list[tuple[str, Any, str]] = [
    ("search_tool_bm25", {"query": " "}, "Query is required and must not be empty."),
    ("search_tool_bm25", {}, "Query is required and must not be empty."),
    ("search_tool_bm25", {"query": "!!!"}, "Query must contain at least one letter or number."),
    *(
        ("search_tool_bm25", {"query": "x", "limit": limit}, "Limit must be a positive integer.")
        for limit in (0, -1, 1.5, True, "3")
    ),
    ("describe_tool", {"name": "nothing"}, "the session has no tool 'nothing'"),
    ("describe_tool", {}, "name is missing: which tool is meant?"),
    ("call_tool", {"name": "mcp__small_shout", "arguments": 7}, "arguments must be an object"),
    ("nothing", {}, "the session has no tool 'nothing'"),
    ("search_tool_bm25", {"query": "x", "discovery_session": "gone"}, "no tool session 'gone'"),
]


def test_bad_calls_are_told_in_the_result(setup: Setup) -> None:
    async def test() -> None:
        async with Client(setup.url, mode="legacy") as client:
            results = [await client.call_tool(tool, arguments) for tool, arguments, _ in BAD_CALLS]
            assert [texts(each) for each in results] == [[says] for _, _, says in BAD_CALLS]
            assert all(each.is_error for each in results)

    run(test)


def test_a_failed_server_is_named_beside_what_the_others_have(setup: Setup) -> None:
    async def test() -> None:
        async with Client(setup.url, mode="legacy") as client:
            found = await client.call_tool("search_tool_bm25", {"query": "capitals", "limit": 1})
            assert json.loads(texts(found)[1]) == {
                "servers": [
                    {
                        "name": "bad",
                        "state": "failed",
                        "error": "'/nowhere/at-all' cannot be started: no such file or directory",
                    }
                ]
            }

    run(test)


def test_a_session_ends_with_its_client(setup: Setup) -> None:
    def open_sessions() -> list[str]:
        return [line.split()[0] for line in setup.gortex("tools", "sessions").stdout.splitlines()]

    async def test() -> None:
        before = await asyncio.to_thread(open_sessions)
        async with Client(setup.url, mode="legacy") as client:
            await client.list_tools()
            assert len(await asyncio.to_thread(open_sessions)) == len(before) + 1
        assert await asyncio.to_thread(open_sessions) == before

    run(test)


def test_strangers_are_kept_out_as_from_every_route(setup: Setup) -> None:
    import httpx2

    with httpx2.Client() as client:
        for headers, status in (
            ({"Host": "evil.example"}, 403),
            ({"Origin": "https://evil.example"}, 403),
            ({"Content-Type": "text/plain"}, 415),
        ):
            answer = client.post(setup.url, content=b"{}", headers={"Content-Type": "application/json", **headers})
            assert answer.status_code == status, headers


def test_an_unknown_session_of_the_transport_is_refused(setup: Setup) -> None:
    import httpx2

    with httpx2.Client() as client:
        answer = client.post(setup.url, json={}, headers={"Mcp-Session-Id": "gone", "Accept": "application/json"})
        assert answer.status_code == 404


def test_what_is_no_request_is_refused_by_the_protocol(setup: Setup) -> None:
    async def test() -> None:
        async with Client(setup.url, mode="legacy") as client:
            with pytest.raises(MCPError):
                await client.get_prompt("none")

    run(test)
