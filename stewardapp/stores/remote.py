"""A file far away, read by ranges: what is read on and on streams, a jump costs one request."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from stewardapp.store_away import StoreAway
from stewardapp.stores import trouble
from worker.sealed import FRAME_BYTES

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

FIRST = FRAME_BYTES + 4096
"""What the first request brings and memory keeps: all of a small file, the first frame of a larger one."""
LONGEST = 64 << 20
"""So much is asked for at once of a file that is read on and on."""
GROWTH = 4
TRIES, PAUSE = 3, 0.25
T = TypeVar("T")


@dataclass(frozen=True)
class Answered:
    """A part that is about to come, and how long the whole is."""

    body: Any
    size: int


class Remote(io.RawIOBase):
    """Seekable. A line that breaks is taken up again where it broke; memory holds one frame."""

    def __init__(self, get: Callable[[int, int], Answered]) -> None:
        super().__init__()
        self._get, self._position = get, 0
        self._body: Any = None
        self._at = self._until = self._window = 0
        self._first, self.size = self._begin()

    def _begin(self) -> tuple[bytes, int]:
        def ask() -> tuple[bytes, int]:
            answered = self._get(0, FIRST)
            with answered.body as body:
                return bytes(body.read()), answered.size

        return _tried(ask)

    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Yes."""
        return True

    def tell(self) -> int:
        """Where the next byte comes from."""
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Nothing is asked for before it is read."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self.size}[whence]
        self._position = max(0, base + offset)
        return self._position

    def read(self, size: int | None = -1, /) -> bytes:
        """Some bytes, perhaps fewer than were asked for; without a size, all there are."""
        left = self.size - self._position
        if size is None or size < 0:
            return b"".join(self.pieces(left)) if left > 0 else b""
        wanted = min(size, left)
        if wanted <= 0:
            return b""
        if self._position < len(self._first):
            piece = self._first[self._position : self._position + wanted]
        else:
            piece = _tried(lambda: self._streamed(wanted))
        self._position += len(piece)
        return piece

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """The same, where there is a place for them."""
        target = memoryview(buffer).cast("B")
        piece = self.read(len(target))
        target[: len(piece)] = piece
        return len(piece)

    def pieces(self, length: int) -> Iterator[bytes]:
        """Everything from here on, asked for at once."""
        self._window = self.size
        while piece := self.read(length):
            yield piece

    def _streamed(self, wanted: int) -> bytes:
        if self._body is None or self._at != self._position or self._at == self._until:
            self._open(wanted)
        try:
            piece: bytes = self._body.read(min(wanted, self._until - self._at))
            if not piece:
                raise StoreAway("the answer ended early")
        except BaseException:
            self._leave()
            self._until = self._at  # the next part begins here
            raise
        self._at += len(piece)
        return piece

    def _open(self, wanted: int) -> None:
        """The next part: much longer than the one before where that was read to its end."""
        read_on = self._position in (self._until, len(self._first))
        self._window = max(wanted, min(GROWTH * self._window, LONGEST) if read_on else 0)
        self._leave()
        length = min(self._window, self.size - self._position)
        self._body = self._get(self._position, length).body
        self._at, self._until = self._position, self._position + length

    def _leave(self) -> None:
        if self._body is not None:
            with suppress(Exception):
                self._body.close()
            self._body = None

    def close(self) -> None:
        """Ask for nothing more."""
        self._leave()
        super().close()


def _tried(ask: Callable[[], T]) -> T:
    """What it answers, asked again a few times while the line breaks."""
    for attempt in range(TRIES):
        try:
            with trouble.in_words():
                return ask()
        except StoreAway:
            if attempt == TRIES - 1:
                raise
        time.sleep(PAUSE * 2**attempt)
    raise AssertionError
