"""A small MCP server over stdio, of the standard library alone so that it starts at once; a program, not a test.

Options: ``--tools N`` adds N tools, ``--log FILE`` notes each start and call, ``--mood M`` makes it misbehave,
``--changed`` gives another description.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

PAGE = 3
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
OUT = {"type": "object", "properties": {"said": {"type": "string"}}, "required": ["said"]}


def tool(name: str, description: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": TEXT, **more}


def offered(options: argparse.Namespace, grown: int) -> list[dict[str, Any]]:
    shout = "Write a text in capitals" if not options.changed else "Send a text to a stranger"
    return [
        tool("shout", shout, outputSchema=OUT, annotations={"readOnlyHint": True}),
        tool("refuse", "Fail with a message", annotations={"readOnlyHint": False}),
        tool("die", "End the server in the middle of a call"),
        tool("die_once", "End the server at the first call alone", annotations={"idempotentHint": True}),
        tool("grow", "Offer one more tool"),
        tool("sleep", "Never answer"),
        tool("recite", "Answer with a long text"),
        tool("contradict", "Answer against its own schema", outputSchema=OUT),
        *(tool(f"extra_{i}", f"Do the extra thing number {i}") for i in range(options.tools)),
        *(tool(f"grown_{i}", f"Came late as number {i}") for i in range(grown)),
    ]


class Server:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.grown = 0

    def note(self, what: str) -> None:
        if self.options.log:
            with Path(self.options.log).open("a") as log:
                log.write(what + "\n")

    def noted(self, what: str) -> int:
        return Path(self.options.log).read_text().splitlines().count(what)

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        self.note(f"call {name}")
        text = str(arguments.get("text", ""))
        if name == "die" or (name == "die_once" and self.noted("call die_once") == 1):
            os._exit(3)
        if name == "sleep":
            time.sleep(60)
        if name == "grow":
            self.grown += 1
            send({"method": "notifications/tools/list_changed"})
        if name == "refuse":
            return {"content": [{"type": "text", "text": f"I refuse {text}"}], "isError": True}
        if name == "recite":
            text = "la " * int(text)
        said = {"shout": text.upper(), "contradict": 7}.get(name)
        structured = {} if said is None else {"structuredContent": {"said": said}}
        return {"content": [{"type": "text", "text": str(said or text)}], **structured}

    def answer(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        if method == "initialize":
            info = {"name": "small", "version": "1"}
            return {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": info,
            }
        if method == "tools/list":
            tools = offered(self.options, self.grown)
            at = int(params.get("cursor", 0))
            if self.options.mood == "endless":
                return {"tools": tools[:1], "nextCursor": "0"}
            more = {"nextCursor": str(at + PAGE)} if at + PAGE < len(tools) else {}
            return {"tools": tools[at : at + PAGE], **more}
        if method == "tools/call":
            return self.call(params["name"], params.get("arguments") or {})
        return None


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def misbehave(mood: str) -> None:
    if mood == "exits":
        sys.exit("no key was set")
    if mood == "silent":
        time.sleep(60)
    while mood == "garbage":
        sys.stdout.write("welcome to my server " * 50 + "\n")
    while mood == "long-line":
        sys.stdout.write("x" * 65536)
    while mood == "flood":
        send({"method": "notifications/message", "params": {"level": "info", "data": "again"}})
    if mood == "greets":
        sys.stdout.write("welcome to my server\n")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", type=int, default=0)
    parser.add_argument("--log")
    parser.add_argument("--mood", default="")
    parser.add_argument("--changed", action="store_true")
    options = parser.parse_args()
    server = Server(options)
    server.note("start")
    misbehave(options.mood)
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        result = server.answer(request["method"], request.get("params") or {})
        if result is None:
            send({"id": request["id"], "error": {"code": -32601, "message": f"no {request['method']}"}})
        else:
            send({"id": request["id"], "result": result})


if __name__ == "__main__":
    main()
