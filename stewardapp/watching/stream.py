"""One open line to a page. It says that something has changed, never what it is now: pages ask for that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable

from stewardapp.reads.changes import Standing, Standings, Topic
from stewardapp.watching.sitting import Sitting

ALIVE_EVERY = 15.0
"""Seconds after which a silent line says that it is there: proxies and pages give up on others."""
PROGRESS_EVERY = 1.0
"""Seconds between two words about progress; a change of state is told at once."""


class Stream:
    """Made on the event loop that sends it; told by the thread that watches."""

    def __init__(self, sitting: Sitting, topics: Iterable[Topic]) -> None:
        self.sitting, self.topics = sitting, frozenset(topics)
        self._told: Standings | None = None
        self._progress_at = 0.0
        self._loop, self._news = asyncio.get_running_loop(), asyncio.Event()
        self._changed: set[Topic] = set()
        self._begun = self._ended = False

    # From the thread that watches

    def tell(self, found: Standings, now: float) -> None:
        """Say what stands otherwise than it was told; the first time only that the line is open."""
        if self._told is None:
            self._told = {topic: found.get(topic, Standing()) for topic in self.topics}
            self._say(set(), begun=True)
            return
        ripe = now - self._progress_at >= PROGRESS_EVERY
        differing = {
            topic
            for topic, told in self._told.items()
            if (stands := found.get(topic, Standing())) != told and (ripe or stands.state != told.state)
        }
        if differing:
            self._progress_at = now
            self._told |= {topic: found.get(topic, Standing()) for topic in differing}
            self._say(differing)

    def end(self) -> None:
        """Hang up."""
        self._say(set(), ended=True)

    def _say(self, changed: set[Topic], *, begun: bool = False, ended: bool = False) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._take, changed, begun, ended)

    # On the event loop

    def _take(self, changed: set[Topic], begun: bool, ended: bool) -> None:
        self._changed |= changed
        self._begun, self._ended = self._begun or begun, self._ended or ended
        self._news.set()

    async def events(self) -> AsyncIterator[bytes]:
        """What is sent, until somebody hangs up."""
        while not self._ended:
            try:
                await asyncio.wait_for(self._news.wait(), ALIVE_EVERY)
            except TimeoutError:
                yield event("alive")
            self._news.clear()
            if self._begun:
                self._begun = False
                yield event("begun")
            if self._changed:
                changed, self._changed = self._changed, set()
                yield event("changed", ",".join(map(str, sorted(changed))))


def event(name: str, data: str = "") -> bytes:
    """As browsers read it. A broken line is opened again after two seconds."""
    return f"retry: 2000\nevent: {name}\ndata: {data}\n\n".encode()
