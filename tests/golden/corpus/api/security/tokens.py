"""Signed tokens that carry a session."""

import base64
import hashlib
import hmac
import json
import time


class BadToken(Exception):
    """The token was changed, is not ours, or is too old."""


class TokenSigner:
    """Signs and checks tokens with one secret."""

    def __init__(self, secret, clock=time.time):
        self._secret = secret
        self._clock = clock

    def issue(self, claims, lifetime_s):
        """Return a token that holds the claims until the lifetime is over."""
        body = base64.urlsafe_b64encode(json.dumps({**claims, "expires": self._clock() + lifetime_s}).encode())
        return f"{body.decode()}.{self._signature(body)}"

    def check(self, token):
        """Return the claims of a token, or raise BadToken."""
        body, _, signature = token.partition(".")
        if not hmac.compare_digest(self._signature(body.encode()), signature):
            raise BadToken("the signature does not match")
        claims = json.loads(base64.urlsafe_b64decode(body))
        if claims["expires"] < self._clock():
            raise BadToken("the token has expired")
        return claims

    def _signature(self, body):
        return hmac.new(self._secret, body, hashlib.sha256).hexdigest()


def issue_token(claims, lifetime_s, secret=b"development"):
    """Issue a token with the service's own secret."""
    return TokenSigner(secret).issue(claims, lifetime_s)
