"""The exception tree.

GortexError
├── UsageError            the caller can fix it: bad query, bad limit, unknown name
├── NotFound              the thing named is not known here
├── Conflict              the request clashes with what is there already
├── NotReady              ask again: warming up, or the index is being rebuilt
├── IncompatibleIndex     the index must be rebuilt: format or embedder differs
├── EmbeddingFailed       the embedder failed; search goes on without it
├── UpstreamFailed        another program that a call was passed on to failed
│   └── UpstreamTimeout   it did not answer in time
└── StoreFailed           the disk or the database failed

A class carries a stable ``code`` (a slug callers may branch on) and a message that says what
was given, what was expected and what to do. It knows no HTTP status and no exit code: each
surface owns its own table from class to those.
"""

from __future__ import annotations


class GortexError(Exception):
    """Base of everything this package raises on purpose."""

    code = "gortex-error"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code


class UsageError(GortexError):
    """The request itself is wrong and can be corrected by the caller."""

    code = "bad-request"


class NotFound(GortexError):
    """The named repository, symbol or file is not known."""

    code = "not-found"


class Conflict(GortexError):
    """The request clashes with existing state (a taken name, a second daemon)."""

    code = "conflict"


class NotReady(GortexError):
    """The answer is not available yet; asking again later is right."""

    code = "not-ready"


class IncompatibleIndex(GortexError):
    """The index on disk was written by another format or embedder."""

    code = "incompatible-index"


class EmbeddingFailed(GortexError):
    """The embedder could not turn texts into vectors."""

    code = "embedding-failed"


class UpstreamFailed(GortexError):
    """An MCP server that a call was passed on to cannot be reached, or broke off."""

    code = "upstream-failed"


class UpstreamTimeout(UpstreamFailed):
    """An MCP server that a call was passed on to did not answer in time."""

    code = "upstream-timeout"


class StoreFailed(GortexError):
    """The disk or the database refused an operation; the message names the path."""

    code = "store-failed"
