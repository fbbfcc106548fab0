"""Results of tools: passed on as they are, unless they are too long."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

import orjson

from gortex_py.types import JsonObject

T = TypeVar("T")
U = TypeVar("U")


def bounded(result: JsonObject, max_bytes: int) -> JsonObject:
    """Return a result; one that is too long keeps the beginning of its text and says that it was cut."""
    size = len(orjson.dumps(result))
    if size <= max_bytes:
        return result
    room = max_bytes // 2  # the rest is what escapes and the other keys may take
    kept: list[JsonObject] = []
    for part in result.get("content") or ():
        text = part.get("text") if part.get("type") == "text" else None
        if not isinstance(text, str) or room <= 0:
            continue
        kept.append({**part, "text": text.encode()[:room].decode("utf-8", "ignore")})
        room -= len(text.encode())
    note = f"[cut: the result has {size} bytes and at most {max_bytes} are passed on; structured content is left out]"
    rest = {key: value for key, value in result.items() if key not in ("content", "structuredContent")}
    return {**rest, "content": [*kept, {"type": "text", "text": note}]}


def then(first: Future[T], make: Callable[[T], U]) -> Future[U]:
    """Return the future of what is made of another's result."""
    made: Future[U] = Future()

    def finish(done: Future[T]) -> None:
        if not made.set_running_or_notify_cancel():
            return
        error = done.exception()
        if error is not None:
            made.set_exception(error)
            return
        try:
            made.set_result(make(done.result()))
        except Exception as failure:  # noqa: BLE001 (handed on to whoever waits for the future)
            made.set_exception(failure)

    first.add_done_callback(finish)
    return made


def failed_result(message: str) -> dict[str, Any]:
    """Return a result that tells a model what went wrong."""
    return {"content": [{"type": "text", "text": message}], "isError": True}
