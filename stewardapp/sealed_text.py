"""Short texts that the database keeps only sealed: whoever reads the database, or a copy of it, reads none.

A sealed text says so, and in which way it was sealed, so that another way can follow:
`sealed:` and, in base64, a byte for the version, the nonce, the ciphertext. Each purpose has its own key.
"""

from __future__ import annotations

import os
from base64 import urlsafe_b64decode, urlsafe_b64encode

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from stewardapp import keyring

MARK = "sealed:"
VERSION = b"\x01"
_NONCE_BYTES = 12


class NotSealed(ValueError):
    """This text was not sealed here, or not for this purpose."""


def is_sealed(text: str) -> bool:
    """Whether the text says that it is sealed."""
    return text.startswith(MARK)


def sealed(text: str, purpose: str) -> str:
    """The text as it may be kept; sealing the same text again gives another one."""
    nonce = os.urandom(_NONCE_BYTES)
    body = VERSION + nonce + _cipher(purpose).encrypt(nonce, text.encode(), VERSION)
    return MARK + urlsafe_b64encode(body).decode()


def unsealed(text: str, purpose: str) -> str:
    """The text itself."""
    body = urlsafe_b64decode(text.removeprefix(MARK)) if is_sealed(text) else b""
    version, nonce, ciphertext = body[:1], body[1 : 1 + _NONCE_BYTES], body[1 + _NONCE_BYTES :]
    if version != VERSION:
        raise NotSealed
    try:
        return _cipher(purpose).decrypt(nonce, ciphertext, VERSION).decode()
    except (InvalidTag, ValueError):
        raise NotSealed from None


def _cipher(purpose: str) -> AESGCM:
    return AESGCM(keyring.seal_of(purpose))
