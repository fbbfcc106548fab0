"""Store passwords so that they cannot be read back."""

import hashlib
import hmac
import os

ITERATIONS = 200_000


def hash_password(password, salt=None):
    """Derive a key with PBKDF2; the salt and the key are joined by a dollar sign."""
    salt = salt or os.urandom(16)
    key = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, ITERATIONS)
    return f"{salt.hex()}${key.hex()}"


def verify_password(password, stored):
    """Compare in constant time."""
    salt, _, _ = stored.partition("$")
    return hmac.compare_digest(hash_password(password, bytes.fromhex(salt)), stored)
