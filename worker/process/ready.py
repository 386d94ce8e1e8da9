"""Engines that need not load anything: split off from a template that this process keeps beside itself.

Whatever happens to the template, a job does not depend on it: it starts a process of its own then.
"""

import json
import logging
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock

from worker.process.starting import Engine, Started, kill_group
from worker.process.template import LOADED, WAIT

log = logging.getLogger("worker.process")

PATIENCE = 2.0
"""Seconds that a template may take to answer, and what it split off to be gone."""
LAST_WORDS = 64
LOADING_SECONDS = 600.0
PAUSE = 10.0
"""Seconds between two starts: a template that cannot load is not tried all the time."""


class SplitOff(Engine):
    """An engine that a template made."""

    def status(self) -> int:
        return -signal.SIGKILL if self.ended is None else self.ended

    def end(self) -> None:
        """Have the template end it; do it ourselves where the template does not say that it has."""
        if self.ended is None and b'"ended"' not in self._last_words():
            kill_group(self.pid)
        self.talk.close()

    def _last_words(self) -> bytes:
        words = b""
        with suppress(OSError):
            self.talk.settimeout(PATIENCE)
            self.talk.shutdown(socket.SHUT_WR)
            while said := self.talk.recv(1 << 16):
                words = (words + said)[-LAST_WORDS:]
        return words


class Template:
    """A process to split engines off; it is not used before it has loaded what they need."""

    def __init__(self) -> None:
        self._busy = Lock()
        self._started = time.monotonic()
        self._process = Started()
        self._process.tell({"job": WAIT})
        self._loaded = self._ended = False

    def engine(self) -> SplitOff | None:
        """An engine; None when the template cannot be used now."""
        with self._busy:
            if self._ended or not self.is_loaded():
                return None
            try:
                return self._split_off()
            except (OSError, EOFError) as error:
                log.warning("engine.template-silent", extra={"type": type(error).__name__})
                self.end()
                return None

    def is_loaded(self) -> bool:
        """Whether it can split off engines; does not wait for it."""
        if not self._loaded:
            with suppress(BlockingIOError):
                self._process.talk.setblocking(False)
                self._loaded = self._process.talk.recv(1) == LOADED
        return self._loaded

    def is_over(self) -> bool:
        """Whether another one should be started in its place."""
        age = time.monotonic() - self._started
        if self._ended or not self._process.is_alive():
            return age > PAUSE
        return not self._loaded and age > LOADING_SECONDS

    def _split_off(self) -> SplitOff:
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self._process.talk.settimeout(PATIENCE)
                socket.send_fds(self._process.talk, [b"e"], [theirs.fileno()])
            ours.settimeout(PATIENCE)
            return SplitOff(ours, json.loads(_line(ours))["pid"], self._process.pid)
        except BaseException:
            ours.close()
            raise

    def end(self) -> None:
        """End it, and with it all that it split off."""
        if not self._ended:
            self._process.end()
        self._ended = True


def _line(talk: socket.socket) -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        said = talk.recv(1)
        if not said:
            raise EOFError
        line += said
    return line


_kept: list[Template] = []


def keep() -> None:
    """Keep a template beside this process from now on."""
    forget()
    _kept.append(Template())


def forget() -> None:
    """Keep none any more."""
    while _kept:
        _kept.pop().end()


def is_loaded() -> bool:
    """Whether the next engine need not load anything."""
    return any(template.is_loaded() for template in _kept)


@contextmanager
def engine() -> Iterator[Engine]:
    """An engine's process for one job, gone with all it started when the block is left."""
    made = _split_off() or Started()
    try:
        yield made
    finally:
        made.end()


def _split_off() -> Engine | None:
    for template in _kept:
        if template.is_over():
            keep()
            return None
        return template.engine()
    return None
