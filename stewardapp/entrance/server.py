"""uvicorn, with the deadlines it lacks: for the head of a request, and for who stops reading."""

from __future__ import annotations

import asyncio
import ctypes
import resource
import socket
from typing import ClassVar

import uvicorn
from django.conf import settings
from uvicorn.protocols.http.h11_impl import H11Protocol

from stewardapp.entrance.bridge import Entrance

KEEP_ALIVE = 130  # longer than proxies keep their connections, so that it is they who end them
STALLED = 60.0  # seconds in which somebody must read the next 64 kB
GRACE = 10
MOST_WAITING = 2000  # connections without a request; one more, and the oldest goes
M_MMAP_THRESHOLD = -3
LARGEST_HEAD = 64 * 1024


class Protocol(H11Protocol):
    """One connection. It waits for a request's head only so long, and for its reader only so long."""

    waiting: ClassVar[dict[Protocol, asyncio.TimerHandle]] = {}
    stalled: asyncio.TimerHandle | None = None
    quiet = False  # between two requests, with nothing of the next

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head(settings.STEWARD_PATIENCE)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._under_way():
            self._stop_expecting()
        elif self.quiet or self not in self.waiting:
            self.quiet = False
            self._expect_head(settings.STEWARD_PATIENCE)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_expecting()
        self.resume_writing()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for the next request; what is closed politely, to somebody who reads no more, is ended too."""
        super().on_response_complete()
        if self.transport.is_closing():
            self.loop.call_later(STALLED, self.transport.abort)
        elif not self._under_way():
            self.quiet = True
            self._expect_head(KEEP_ALIVE)

    def _under_way(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _expect_head(self, seconds: float) -> None:
        """A request must have begun by then; where too many wait, the one that waited longest goes."""
        self._stop_expecting()
        if len(self.waiting) >= MOST_WAITING:
            oldest = next(iter(self.waiting))
            oldest._stop_expecting()
            oldest.transport.abort()
        if not self.transport.is_closing():
            self.waiting[self] = self.loop.call_later(seconds, self.transport.abort)

    def _stop_expecting(self) -> None:
        if timer := self.waiting.pop(self, None):
            timer.cancel()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.stalled = self.loop.call_later(STALLED, self.transport.abort)

    def resume_writing(self) -> None:
        if self.stalled is not None:
            self.stalled.cancel()
            self.stalled = None
        super().resume_writing()


class Server(uvicorn.Server):
    """It waits for answers that end by themselves, and ends those that do not."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Hang up on who listens, then wait for the others."""
        if isinstance(self.config.app, Entrance):
            self.config.app.end_streams()
        await super().shutdown(sockets)


def serve(entrance: Entrance, bind: str) -> None:
    """Answer until SIGTERM; what is being answered then has a moment to end."""
    _allow_sockets()
    _return_memory()
    host, _, port = bind.rpartition(":")
    server(entrance, host.strip("[]") or "0.0.0.0", int(port)).run()  # noqa: S104 (as asked)


def server(entrance: Entrance, host: str, port: int) -> uvicorn.Server:
    """uvicorn without what a proxy does, and without what would write somewhere."""
    config = uvicorn.Config(
        entrance,
        host=host,
        port=port,
        http=Protocol,
        ws="none",
        loop="asyncio",
        lifespan="off",
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_config=None,
        log_level="error",
        timeout_keep_alive=2 * KEEP_ALIVE,
        timeout_graceful_shutdown=GRACE,
        h11_max_incomplete_event_size=LARGEST_HEAD,
    )
    return Server(config)


def _return_memory() -> None:
    """Have the C library give back what a large piece took, in whichever thread: it would keep it."""
    if mallopt := getattr(ctypes.CDLL(None), "mallopt", None):
        mallopt(M_MMAP_THRESHOLD, 256 * 1024)


def _allow_sockets() -> None:
    """As many open files as we may have: each connection is one."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
