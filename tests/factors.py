"""Second factors for tests: enrolled as the page does it, and the code an authenticator shows."""

from __future__ import annotations

import hashlib
import hmac
import time
from base64 import b32decode

from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret

from stewardapp.models import User


def give(person: User) -> str:
    """Enrol an authenticator; its secret."""
    secret: str = generate_totp_secret()
    TOTP.activate(person, secret)
    person.refresh_from_db()
    return secret


def code(secret: str) -> str:
    """The six digits an authenticator shows now (RFC 6238)."""
    digest = hmac.digest(b32decode(secret), int(time.time() // 30).to_bytes(8), hashlib.sha1)
    start = digest[-1] & 15
    return f"{(int.from_bytes(digest[start : start + 4]) & 0x7FFFFFFF) % 1_000_000:06d}"
