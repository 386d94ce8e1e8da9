"""The entrance with real sockets, in this process, around pages that a test invents."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

from django.test import override_settings
from uvicorn import Server

from stewardapp.entrance.bridge import Entrance
from stewardapp.entrance.server import server
from tests.site import until

Pages = Callable[[dict[str, Any], Any], Any]


class Open:
    """An entrance that is open, and where."""

    def __init__(self, entrance: Entrance, serving: Server) -> None:
        self.entrance, self._serving = entrance, serving
        self.port = serving.servers[0].sockets[0].getsockname()[1]

    @property
    def connections(self) -> int:
        """How many there are."""
        return len(self._serving.server_state.connections)

    def connect(self, sent: bytes = b"", patience: float = 10, buffer: int = 0) -> socket.socket:
        """A connection on which this has been sent."""
        line = socket.socket()
        if buffer:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        line.settimeout(patience)
        line.connect(("127.0.0.1", self.port))
        line.sendall(sent)
        return line

    def ask(self, sent: bytes) -> bytes:
        """The whole answer; the request has to ask for the end of the connection."""
        with self.connect(sent) as line:
            return heard(line)


def heard(line: socket.socket) -> bytes:
    """All that comes until the other side hangs up."""
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := line.recv(65536):
            parts.append(part)
    return b"".join(parts)


@contextlib.contextmanager
def opened(pages: Pages, threads: int = 2, patience: float = 5.0) -> Iterator[Open]:
    """Serve these pages."""
    with override_settings(STEWARD_PATIENCE=patience):
        entrance = Entrance(pages, threads)  # type: ignore[arg-type]
        serving = server(entrance, "127.0.0.1", 0)
        thread = threading.Thread(target=serving.run)
        thread.start()
        try:
            until(lambda: serving.started, 10, "it listens")
            yield Open(entrance, serving)
        finally:
            serving.should_exit = True
            thread.join(20)
            entrance.pool.shutdown()
            entrance.sealing.shutdown()
            assert not thread.is_alive()
