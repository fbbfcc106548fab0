"""Refuse clients that ask too often."""

import time


class TokenBucket:
    """Holds up to ``capacity`` tokens and regains ``refill_per_second`` of them."""

    def __init__(self, capacity, refill_per_second, clock=time.monotonic):
        self._capacity = capacity
        self._refill = refill_per_second
        self._clock = clock
        self._tokens = float(capacity)
        self._updated = clock()

    def take(self):
        """Take one token; False when the bucket is empty."""
        now = self._clock()
        self._tokens = min(self._capacity, self._tokens + (now - self._updated) * self._refill)
        self._updated = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def seconds_until_next(self):
        """Tell how long to wait for the next token."""
        return max(0.0, (1 - self._tokens) / self._refill)


class RateLimitMiddleware:
    """Keeps one bucket a client address and answers 429 when it is empty."""

    def __init__(self, app, limits):
        self._app = app
        self._limits = limits
        self._buckets = {}

    def __call__(self, request):
        bucket = self._buckets.setdefault(
            request.client, TokenBucket(self._limits.capacity, self._limits.refill_per_second)
        )
        if not bucket.take():
            return {"status": 429, "headers": {"Retry-After": str(int(bucket.seconds_until_next()) + 1)}}
        return self._app(request)
