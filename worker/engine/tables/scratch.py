"""Room for what does not fit into memory: a nameless file that holds nothing readable.

Every piece is sealed with a key that lives only in this process, and the file has no name: when the process
ends, however it ends, both are gone.
"""

from __future__ import annotations

import os
import tempfile
from threading import Lock
from typing import NamedTuple

NONCE_BYTES, TAG_BYTES = 12, 16


class Place(NamedTuple):
    """Where a piece lies."""

    offset: int
    length: int


class Scratch:
    """Pieces of bytes, written once and read again and again."""

    def __init__(self, folder: str | None = None) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 - lives as long as this object
        self._cipher = AESGCM(AESGCM.generate_key(bit_length=128))
        self._lock = Lock()
        self._end = 0

    def __del__(self) -> None:
        self._file.close()

    def put(self, piece: memoryview | bytes) -> Place:
        """Keep a piece."""
        nonce, length = os.urandom(NONCE_BYTES), NONCE_BYTES + len(piece) + TAG_BYTES
        with self._lock:
            place = Place(self._end, length)
            self._end += length
        self._write(nonce + self._cipher.encrypt(nonce, piece, self._bound(place.offset)), place.offset)
        return place

    def get(self, place: Place) -> bytes:
        """A piece as it was."""
        stored = os.pread(self._file.fileno(), place.length, place.offset)
        while len(stored) < place.length:
            stored += os.pread(self._file.fileno(), place.length - len(stored), place.offset + len(stored))
        view = memoryview(stored)
        return self._cipher.decrypt(view[:NONCE_BYTES], view[NONCE_BYTES:], self._bound(place.offset))

    def _write(self, stored: bytes, offset: int) -> None:
        view = memoryview(stored)
        while view:
            written = os.pwrite(self._file.fileno(), view, offset)
            offset += written
            view = view[written:]

    def _bound(self, offset: int) -> bytes:
        """A piece opens only where it was put."""
        return offset.to_bytes(8, "big")


class Shelf:
    """Pieces in memory as long as they fit into the room given, then in a scratch file."""

    def __init__(self, room: int | None, folder: str | None = None) -> None:
        self._room = room
        self._folder = folder
        self.held = 0
        """Bytes in memory."""
        self._lock = Lock()
        self._scratch: Scratch | None = None

    @property
    def spilled(self) -> bool:
        """Whether anything lies outside memory."""
        return self._scratch is not None

    def put(self, piece: bytes) -> bytes | Place:
        """Keep a piece; `get` takes what this gives."""
        with self._lock:
            if self._room is None or self.held + len(piece) <= self._room:
                self.held += len(piece)
                return piece
            if self._scratch is None:
                self._scratch = Scratch(self._folder)
        return self._scratch.put(piece)

    def get(self, kept: bytes | Place) -> bytes:
        """A piece as it was."""
        if isinstance(kept, bytes):
            return kept
        assert self._scratch is not None
        return self._scratch.get(kept)
