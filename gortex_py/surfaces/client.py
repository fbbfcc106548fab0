"""Talk to a running daemon over HTTP; never start one.

Standard library only, so that a command starts fast. The daemon may be of another version: a
field that is missing or unknown is never an error here.
"""

from __future__ import annotations

import json
import select
import socket
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode

from gortex_py.errors import Conflict, GortexError, NotFound, NotReady, UpstreamFailed, UpstreamTimeout, UsageError

Json: TypeAlias = dict[str, Any]

CONNECT_TIMEOUT_S = 2.0  # loopback answers in under a millisecond; more means nobody accepts
REQUEST_TIMEOUT_S = 30.0  # a search waits behind nothing, but a laptop may be swapping
PROBE_TIMEOUT_S = 2.0  # liveness must be told apart from a hang while a user waits
MAX_ANSWER_BYTES = 64 * 1024 * 1024
MAX_EVENT_LINE_BYTES = 1024 * 1024
SERVICE_NAME = "gortex"  # what /healthz must say, so that a stranger on the port is recognised


class Unreachable(NotReady):
    """Nothing accepts connections at the daemon's address, or it did not answer in time."""

    code = "daemon-unreachable"
    was_refused = False  # whether nothing was sent


class ForeignListener(Conflict):
    """Something that is not a gortex daemon answers at the address."""

    code = "foreign-listener"


class BadAnswer(GortexError):
    """The daemon answered something that cannot be read, for example after an upgrade."""

    code = "bad-answer"


@dataclass(frozen=True, slots=True)
class Event:
    """One server-sent event."""

    name: str  # "message" when the stream names none
    data: Json  # empty when the data is not a JSON object


@dataclass(frozen=True, slots=True)
class DaemonClient:
    """Requests to one address. Each request opens its own connection."""

    host: str
    port: int
    timeout_s: float = REQUEST_TIMEOUT_S
    token: str | None = None  # sent with every request when there is one

    @property
    def url(self) -> str:
        """Return the address as a URL without a trailing slash."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    # --- what a caller asks -----------------------------------------------------------

    def health(self) -> Json:
        """Return what /healthz says, after making sure that a gortex daemon said it.

        :raises Unreachable: when nothing answers.
        :raises ForeignListener: when something else answers.
        """
        try:
            answer = self.request("GET", "/healthz", timeout_s=PROBE_TIMEOUT_S)
        except Unreachable:
            raise
        except GortexError as error:
            raise self._foreign() from error
        if answer.get("service", answer.get("name")) != SERVICE_NAME:
            raise self._foreign()
        return answer

    def search(self, parameters: Mapping[str, object]) -> Json:
        """Return the answer of ``GET /v1/search``; parameters that are None or empty are left out."""
        return self.request("GET", "/v1/search", parameters=parameters)

    def repos(self) -> list[Json]:
        """Return one row a tracked repository."""
        return rows_of(self.request("GET", "/v1/repos"))

    def track(self, path: str, name: str | None = None) -> Json:
        """Track a folder; returns its row while indexing goes on behind."""
        body = {"path": path} if name is None else {"path": path, "name": name}
        return self.request("POST", "/v1/repos", body=body)

    def untrack(self, name: str) -> Json:
        """Forget a repository and delete its index."""
        return self.request("DELETE", f"/v1/repos/{quote(name, safe='')}")

    def reindex(self, name: str) -> Json:
        """Start a pass over a repository; returns at once."""
        return self.request("POST", f"/v1/repos/{quote(name, safe='')}/reindex")

    def status(self) -> Json:
        """Return the daemon's own account of itself."""
        return self.request("GET", "/v1/status")

    def memory(self, parameters: Mapping[str, object]) -> Json:
        """Return what was learned, as ``GET /v1/memory`` does."""
        return self.request("GET", "/v1/memory", parameters=parameters)

    def forget(self, parameters: Mapping[str, object]) -> Json:
        """Delete what was learned of a repository or a query, or all."""
        return self.request("DELETE", "/v1/memory", parameters=parameters)

    def status_rows(self) -> list[Json]:
        """Return one row a tracked repository, with what only its index can tell."""
        return rows_of(self.status())

    def shutdown(self) -> Json:
        """Ask the daemon to finish what it is writing and exit."""
        return self.request("POST", "/v1/shutdown", timeout_s=PROBE_TIMEOUT_S)

    def events(self, *, silence_s: float = 1.0) -> Iterator[Event | None]:
        """Yield server-sent events as they come, and None after each silence of ``silence_s``.

        Ends when the daemon closes the stream. The first thing yielded is always None, once
        the stream is open, so that a caller can look at the state without missing a change.
        """
        with closing(self._connect()) as connection:
            channel = connection.sock  # http.client forgets it when the answer has no stated length
            response = self._exchange(connection, "GET", "/v1/events", None, self.timeout_s)
            with closing(response):
                if response.status != 200:
                    raise self._refused(response.status, self._read(response))
                yield None
                yield from _events_of(_Lines(response, channel, silence_s))

    # --- how it is asked --------------------------------------------------------------

    def request(
        self,
        method: str,
        path: str,
        *,
        parameters: Mapping[str, object] | None = None,
        body: Json | None = None,
        timeout_s: float | None = None,
    ) -> Json:
        """Return the JSON object a route answers.

        :raises Unreachable: when the daemon cannot be reached or stays silent.
        :raises BadAnswer: when the answer is not a JSON object.
        :raises GortexError: the class that fits the refusal, with the daemon's code.
        """
        target = path + _query_string(parameters or {})
        with closing(self._connect()) as connection:
            response = self._exchange(connection, method, target, body, timeout_s or self.timeout_s)
            content = self._read(response)
        if response.status >= 400:
            raise self._refused(response.status, content)
        answer = _json_object(content)
        if answer is None:
            raise BadAnswer(
                f"{self.url}{path} answered something that is not a JSON object; "
                "if gortex was upgraded, run: gortex daemon restart"
            )
        return answer

    def _connect(self) -> HTTPConnection:
        connection = HTTPConnection(self.host, self.port, timeout=CONNECT_TIMEOUT_S)
        try:
            connection.connect()
        except OSError as error:
            connection.close()
            unreachable = Unreachable(f"no daemon answers at {self.url} ({_reason(error)})")
            unreachable.was_refused = True
            raise unreachable from error
        return connection

    def _exchange(
        self, connection: HTTPConnection, method: str, target: str, body: Json | None, timeout_s: float
    ) -> HTTPResponse:
        headers = {"Accept": "application/json"}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        content = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            content = json.dumps(body).encode()
        connection.sock.settimeout(timeout_s)
        try:
            connection.request(method, target, body=content, headers=headers)
            return connection.getresponse()
        except OSError as error:
            raise Unreachable(f"the daemon at {self.url} did not answer ({_reason(error)})") from error
        except (HTTPException, ValueError) as error:
            # ValueError: http.client reads the status line of a server that does not speak HTTP.
            raise BadAnswer(f"{self.url} answered something that is not HTTP") from error

    def _read(self, response: HTTPResponse) -> bytes:
        try:
            return response.read(MAX_ANSWER_BYTES)
        except (OSError, HTTPException) as error:
            raise Unreachable(f"the daemon at {self.url} broke off its answer ({_reason(error)})") from error

    def _refused(self, status: int, content: bytes) -> GortexError:
        problem = _json_object(content) or {}
        code = problem.get("code")
        message = problem.get("detail") or problem.get("title") or f"{self.url} refused the request (HTTP {status})"
        kind = _REFUSALS.get(status, GortexError)
        return kind(str(message), code=code if isinstance(code, str) else None)

    def _foreign(self) -> ForeignListener:
        return ForeignListener(
            f"something that is not a gortex daemon answers at {self.url}; "
            "stop it, or start the daemon elsewhere: gortex daemon start --port N"
        )


_REFUSALS: dict[int, type[GortexError]] = {
    400: UsageError,
    404: NotFound,
    409: Conflict,
    413: UsageError,
    422: UsageError,
    502: UpstreamFailed,
    503: NotReady,
    504: UpstreamTimeout,
}


class _Lines:
    """Lines of a stream that may stay silent half-way through one."""

    def __init__(self, response: HTTPResponse, channel: socket.socket, silence_s: float) -> None:
        self._response = response
        self._channel = channel
        self._silence_s = silence_s
        self._pending = b""

    def next_line(self) -> str | None:
        """Return the next line without its end, None at the end of the stream.

        :raises TimeoutError: when nothing came for ``silence_s``; asking again goes on.
        """
        while b"\n" not in self._pending:
            if len(self._pending) > MAX_EVENT_LINE_BYTES or not self._receive():
                return None
        line, _, self._pending = self._pending.partition(b"\n")
        return line.rstrip(b"\r").decode("utf-8", "replace")

    def _receive(self) -> bool:
        # A read that times out spoils the stream for good, so the wait happens before the read.
        try:
            if not self._is_buffered() and not select.select([self._channel], [], [], self._silence_s)[0]:
                raise TimeoutError
            piece = self._response.read1(65536)
        except TimeoutError:
            raise
        except (OSError, HTTPException, ValueError):
            return False
        self._pending += piece
        return bool(piece)

    def _is_buffered(self) -> bool:
        """Say whether http.client has read ahead of what it handed out."""
        stream = getattr(self._response, "fp", None)
        if stream is None:
            return True  # ended: the next read says so without waiting
        timeout_s = self._channel.gettimeout()
        self._channel.settimeout(0)
        try:
            return bool(stream.peek(1))
        finally:
            self._channel.settimeout(timeout_s)


def _events_of(lines: _Lines) -> Iterator[Event | None]:
    name, data = "message", list[str]()
    while True:
        try:
            line = lines.next_line()
        except TimeoutError:
            yield None
            continue
        if line is None:
            return
        if not line:
            if data:
                yield Event(name, _json_object("\n".join(data).encode()) or {})
            name, data = "message", []
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)


def rows_of(answer: Json) -> list[Json]:
    """Return the rows of repositories in an answer; what is no row is left out."""
    rows = answer.get("repos")
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _query_string(parameters: Mapping[str, object]) -> str:
    pairs: list[tuple[str, str]] = []
    for key, value in parameters.items():
        if value is None:
            continue
        if isinstance(value, bool):
            pairs.append((key, "true" if value else "false"))
        elif isinstance(value, (list, tuple)):
            pairs.extend((key, str(item)) for item in value)
        else:
            pairs.append((key, str(value)))
    # A path from the file system may hold bytes that are not UTF-8; they travel as they are.
    return "?" + urlencode(pairs, errors="surrogateescape") if pairs else ""


def _json_object(content: bytes) -> Json | None:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _reason(error: Exception) -> str:
    if isinstance(error, (TimeoutError, socket.timeout)):
        return "timed out"
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    return str(error) or type(error).__name__
