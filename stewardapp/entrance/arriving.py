"""The body of a request as it arrives: counted, timed, and never on a disk unsealed."""

from __future__ import annotations

import asyncio
import io
from contextlib import ExitStack
from typing import TypeAlias

from uvicorn._types import ASGIReceiveCallable, ASGIReceiveEvent

from stewardapp import storage
from worker.sealed import SealedReader, SealedWriter, new_key

SLOWEST = 500.0  # bytes in a second: what arrives more slowly is not waited for
Body: TypeAlias = io.BytesIO | SealedReader


class Refusal(Exception):
    """The entrance answers for itself, in words."""

    status, words = 400, ""


class TooSlow(Refusal):
    """What was announced does not come."""

    status, words = 408, "The request arrived too slowly. Please send it again."


class Gone(Refusal):
    """The line broke: nobody will read this."""

    status, words = 499, "Nobody is there any more."


class Arriving:
    """One body. Every byte that comes buys a little more time; who sends nothing runs out of it."""

    def __init__(self, receive: ASGIReceiveCallable, patience: float) -> None:
        self._receive, self._patience, self._credit = receive, patience, patience
        self._pending: asyncio.Task[ASGIReceiveEvent] | None = None
        self._held = bytearray()
        self.complete = self.broken = False

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return (self.complete or self.broken) and not self._held

    async def read(self, most: int, seconds: float = float("inf")) -> bytes:
        """So many bytes, or what has come after this time; fewer at the end."""
        until = asyncio.get_running_loop().time() + seconds
        while len(self._held) < most and not self.complete and not self.broken:
            if not await self._more(until):
                break
        taken = bytes(self._held[:most])
        del self._held[:most]
        return taken

    async def _more(self, until: float) -> bool:
        """Wait for the next bytes; false when the time is over."""
        clock = asyncio.get_running_loop().time
        began = clock()
        task = self._pending = self._pending or asyncio.ensure_future(self._receive())
        await asyncio.wait({task}, timeout=max(0.0, min(self._credit, until - began)))
        self._credit -= clock() - began
        if task.done():
            self._pending = None
            self._take(task.result())
        elif self._credit <= 0:
            raise TooSlow
        return task.done() or clock() < until

    def _take(self, message: ASGIReceiveEvent) -> None:
        if message["type"] != "http.request":
            self.broken = True
            return
        piece = message.get("body", b"")
        self._held += piece
        self._credit = min(self._patience, self._credit + len(piece) / SLOWEST)
        self.complete = not message.get("more_body", False)

    async def gone(self) -> None:
        """Return when whoever sent this has hung up. To be asked once the body is complete."""
        while not self.broken:
            self._pending = self._pending or asyncio.ensure_future(self._receive())
            message, self._pending = await self._pending, None
            self.broken = message["type"] == "http.disconnect"

    def close(self) -> None:
        """Nobody reads on."""
        if self._pending is not None:
            self._pending.cancel()


class SealedBody:
    """A large body in a sealed temporary file, under a key that exists in memory only."""

    def __init__(self) -> None:
        self._stack, self._key = ExitStack(), new_key()
        self._temporary = self._stack.enter_context(storage.temporary())
        self._writer = SealedWriter(self._temporary.file, self._key)

    def write(self, piece: bytes) -> None:
        """Seal the next bytes."""
        self._writer.write(piece)

    def finished(self) -> SealedReader:
        """All of it, decrypted as it is read."""
        self._writer.close()
        return SealedReader(self._temporary.file, self._key)

    def close(self) -> None:
        """Remove it."""
        self._stack.close()
