"""Who may ask, and how much he may send: Host, Origin, token, body size and type.

A page in a browser can send requests to a local port. It cannot forge the Host header (so a
rebound name is seen), nor leave out Origin on a request whose answer it could read, nor know
the token. Nothing here is told to browsers by CORS headers, so no answer is readable there.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gortex_py.errors import UsageError
from gortex_py.surfaces.http.problems import problem

MAX_BODY_BYTES = 1024 * 1024
MAX_CATALOGUE_BYTES = 32 * 1024 * 1024  # ten thousand tools with long schemas
MAX_CALL_BYTES = 4 * 1024 * 1024  # what is passed on to a tool may hold a file
CATALOGUE_PATHS = "/v1/tools/catalogues/"
MAX_TARGET_BYTES = 64 * 1024  # path and query string as sent
MAX_HEADER_BYTES = 64 * 1024  # of all headers together
LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
FREE_PATHS = frozenset({"/healthz"})  # answered without a token: a supervisor's probe has none
ENDLESS_PATHS = frozenset({"/v1/events", "/mcp"})  # HEAD would wait for the end of what has none
_HOST = re.compile(r"(?:\[(?P<v6>[0-9a-f:.]*:[0-9a-f:.]*)\]|(?P<name>[^\[\]:@/\\\s]+))(?::[0-9]*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GuardOptions:
    """What the daemon is bound to and what it asks for."""

    host: str = "127.0.0.1"
    token: Callable[[], str | None] = lambda: None  # asked at each request, so that it can be renewed

    @property
    def is_local(self) -> bool:
        """Say whether only this machine can connect."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Say whether a host to bind to is this machine's own.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_bind(options: GuardOptions) -> None:
    """Refuse to serve other machines without a token.

    :raises UsageError: when the host is reachable from outside and there is no token.
    """
    if not options.is_local and not options.token():
        raise UsageError(
            f"listening on {options.host} lets other machines in and needs a token: "
            "set GORTEX_DAEMON_HTTP_TOKEN, or listen on 127.0.0.1",
            code="token-required",
        )


class Guard:
    """ASGI middleware that lets through what is allowed and small enough."""

    def __init__(self, app: ASGIApp, options: GuardOptions) -> None:
        self._app = app
        self._options = options
        self._hosts = LOOPBACK_HOSTS | {options.host.lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is not allowed; pass on the rest with its body read."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        body = b""
        if refusal is None:
            limit = _body_limit(scope)
            read = await _read_body(receive, limit)
            if read is None:
                refusal = problem(413, "body-too-large", f"a body has at most {limit} bytes")
            else:
                body = read
                refusal = _check_type(headers, body)
        if refusal is not None:
            await refusal(scope, receive, _hardened(send))
            return
        is_endless = scope["path"] in ENDLESS_PATHS or scope["path"].endswith("/events")
        if scope["method"] == "HEAD" and not is_endless:
            scope = {**scope, "method": "GET"}  # the server leaves out the body
        await self._app(scope, _replaying(body, receive), _hardened(send))

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        # Latin-1 headers can hold any byte; comparing bytes in constant time takes them all.
        scheme, _, sent = headers.get("authorization", "").encode("latin-1", "replace").partition(b" ")
        token = self._options.token()
        is_bearer = scheme.lower() == b"bearer"  # the case of a scheme means nothing
        has_token = token is not None and hmac.compare_digest(sent, token.encode()) and is_bearer
        is_free = scope["path"] in FREE_PATHS
        if not (self._is_known_host(headers) or has_token or (is_free and not self._options.is_local)):
            return problem(
                403, "host-not-allowed", f"the Host {headers.get('host', '')[:200]!r} is not one of this daemon's names"
            )
        if not has_token and _is_foreign_page(headers):
            return problem(403, "origin-not-allowed", "requests from pages of other origins are not answered")
        if token is not None and not has_token and not is_free:
            return problem(
                401,
                "token-required",
                "this daemon needs a token: send it as Authorization: Bearer",
                {"WWW-Authenticate": "Bearer"},
            )
        if sum(len(name) + len(value) for name, value in headers.raw) > MAX_HEADER_BYTES:
            return problem(431, "headers-too-large", f"headers have at most {MAX_HEADER_BYTES} bytes")
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MAX_TARGET_BYTES:
            return problem(413, "query-too-long", f"a request line has at most {MAX_TARGET_BYTES} bytes; use POST")
        declared = headers.get("content-length", "0")
        limit = _body_limit(scope)
        if declared.isdecimal() and int(declared[:20]) > limit:
            return problem(413, "body-too-large", f"a body has at most {limit} bytes")
        return None

    def _is_known_host(self, headers: Headers) -> bool:
        hosts = headers.getlist("host")
        return len(hosts) == 1 and host_name(hosts[0]) in self._hosts


def host_name(host: str) -> str:
    """Return the name in a Host header, lower case, without its port; nothing for what is not host and port.

    >>> host_name("[::1]:7411"), host_name("LOCALHOST:80"), host_name("127.0.0.1")
    ('::1', 'localhost', '127.0.0.1')
    >>> host_name("[::1]evil.example"), host_name("localhost:x@evil.example")
    ('', '')
    """
    parts = _HOST.fullmatch(host)
    return (parts["v6"] or parts["name"]).lower() if parts else ""


def _is_foreign_page(headers: Headers) -> bool:
    origins = headers.getlist("origin")
    if origins:
        own = f"http://{headers.get('host', '')}".lower()
        return any(origin.lower() != own for origin in origins)
    return any(site not in ("none", "same-origin") for site in headers.getlist("sec-fetch-site"))


def _check_type(headers: Headers, body: bytes) -> Response | None:
    if not body:
        return None
    encodings = [encoding.strip().lower() for encoding in headers.getlist("content-encoding")]
    if any(encoding not in ("", "identity") for encoding in encodings):
        return problem(
            415, "unsupported-media-type", f"a body must be sent as it is, not encoded with {encodings[0][:100]!r}"
        )
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    kind, _, subtype = media_type.partition("/")
    if kind == "application" and (subtype == "json" or subtype.endswith("+json")):
        return None
    return problem(415, "unsupported-media-type", f"a body must be application/json, not {media_type[:100]!r}")


def _body_limit(scope: Scope) -> int:
    if scope["path"].startswith(CATALOGUE_PATHS):
        return MAX_CATALOGUE_BYTES
    return MAX_CALL_BYTES if scope["path"] == "/mcp" or scope["path"].endswith("/call") else MAX_BODY_BYTES


async def _read_body(receive: Receive, limit: int) -> bytes | None:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b""  # the client has gone
        part = message.get("body", b"")
        size += len(part)
        if size > limit:
            return None
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


def _replaying(body: bytes, receive: Receive) -> Receive:
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay


def _hardened(send: Send) -> Send:
    async def send_hardened(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), (b"x-content-type-options", b"nosniff")]
        await send(message)

    return send_hardened
