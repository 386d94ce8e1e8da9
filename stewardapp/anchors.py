"""Anchors: once a day the end of the audit log, signed, for people who keep it where nobody of us can reach.

<data>/anchors/<day>.json. Whoever has an anchor and the public key can tell for ever whether the log still
contains all it contained on that day. The signing key is derived from the key outside the database.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, TypeGuard

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from stewardapp import keyring, storage
from stewardapp.canonical import canonical
from stewardapp.secrets_file import keep_first
from worker.engine.io.strict_json import BadJson, Limits, loads

FOLDER, PURPOSE = "anchors", "audit anchors"
LIMITS = Limits(length=4096, values=20, depth=2)
SHAPE = {"version": int, "installation": str, "day": str, "count": int, "hash": str, "signature": str}
WRONG = "is not an anchor, or was damaged"


class Unusable(ValueError):
    """A file that is no anchor, or not one of whom it should be of; says which and why."""


@dataclass(frozen=True)
class Signed:
    """The log on a day: how many events, the hash of the last; which log is told by the hash of its first."""

    installation: str
    day: str
    count: int
    hash: str
    version: int = 1
    signature: str = ""

    @property
    def content(self) -> bytes:
        """What is signed."""
        fields = asdict(self)
        del fields["signature"]
        return canonical(fields).encode()

    def is_signed_with(self, public: str) -> bool:
        """Whether the holder of that key signed it."""
        try:
            key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
            key.verify(bytes.fromhex(self.signature), self.content)
        except (ValueError, InvalidSignature):
            return False
        return True

    @property
    def text(self) -> str:
        """As it stands in a file."""
        return json.dumps(asdict(self), indent=1) + "\n"


def public_key() -> str:
    """By which everybody can check an anchor, in hexadecimal digits."""
    return _key().public_key().public_bytes_raw().hex()


def _key() -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(keyring.seal_of(PURPOSE))


def signed(day: date, count: int, hash: str, installation: str) -> Signed:
    """An anchor by our key."""
    plain = Signed(installation, day.isoformat(), count, hash)
    return replace(plain, signature=_key().sign(plain.content).hex())


def read(path: Path) -> Signed:
    """The anchor in a file of whatever origin; not checked yet."""
    try:
        content = path.read_bytes()
        found = loads(content, LIMITS)
    except OSError:
        raise Unusable(f"{path} cannot be read") from None
    except BadJson:
        raise Unusable(f"{path} {WRONG}") from None
    if not _is_anchor(found):
        raise Unusable(f"{path} {WRONG}")
    return Signed(**found)


def _is_anchor(found: Any) -> TypeGuard[dict[str, Any]]:
    return (
        isinstance(found, dict)
        and found.keys() == SHAPE.keys()
        and all(type(found[name]) is kind for name, kind in SHAPE.items())
    )


def keep(anchor: Signed) -> Signed:
    """Store an anchor as the one of its day; the one that is there stays, and is what is returned."""
    path = _folder() / f"{anchor.day}.json"
    return anchor if keep_first(path, anchor.text) else _ours(path)


def _ours(path: Path) -> Signed:
    found = read(path)
    if not found.is_signed_with(public_key()) or found.day != path.stem:
        raise Unusable(f"{path} is not signed by this installation")
    return found


def of_day(day: date) -> Signed:
    """The stored anchor of a day."""
    return _ours(_folder() / f"{day.isoformat()}.json")


def kept() -> Iterator[Signed]:
    """Every stored anchor, by day; a file that is none of ours is `Unusable`."""
    for path in sorted(_folder().glob("*.json")):
        yield _ours(path)


def _folder() -> Path:
    return storage.root() / FOLDER
