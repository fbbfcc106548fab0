"""Connections to the database."""

import queue
from contextlib import contextmanager


class PoolExhausted(Exception):
    """No connection became free in time."""


class ConnectionPool:
    """Lends a bounded number of connections and takes them back."""

    def __init__(self, url, size, connect=None, timeout_s=5.0):
        self._url = url
        self._connect = connect
        self._timeout_s = timeout_s
        self._idle = queue.LifoQueue()
        for _ in range(size):
            self._idle.put(None)

    @contextmanager
    def connection(self):
        """Borrow a connection for a block; commit at its end, roll back when it fails."""
        try:
            connection = self._idle.get(timeout=self._timeout_s)
        except queue.Empty:
            raise PoolExhausted(f"no free connection after {self._timeout_s} s") from None
        connection = connection or self._connect(self._url)
        try:
            yield connection
            connection.commit()
        except BaseException:
            connection.rollback()
            raise
        finally:
            self._idle.put(connection)
