"""Asks the database how everything stands that somebody watches: one thread, as long as anybody does."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator

from django.db import InterfaceError, OperationalError, connection

from stewardapp.reads.changes import Topic, standings
from stewardapp.watching.sitting import Sitting
from stewardapp.watching.stream import Stream

TICK = 0.1
"""Seconds between two looks."""
ASK_AGAIN = 5.0
"""Seconds after which it is asked again who may watch."""
MOST_EACH, MOST = 12, 2000
"""Open lines of one person, and of all."""
AWAY = (OperationalError, InterfaceError)

log = logging.getLogger(__name__)


class Watcher:
    """All open lines of this process."""

    def __init__(self) -> None:
        self._lock, self._news = threading.Lock(), threading.Event()
        self._streams: set[Stream] = set()
        self._thread: threading.Thread | None = None
        self._asked_at = 0.0

    def has_room_for(self, person: str) -> bool:
        """Whether this person may open one more."""
        with self._lock:
            of_each = Counter(stream.sitting.person for stream in self._streams)
        return of_each.total() < MOST and of_each[person] < MOST_EACH

    async def events(self, sitting: Sitting, topics: frozenset[Topic]) -> AsyncIterator[bytes]:
        """What a page is sent as long as it listens."""
        stream = Stream(sitting, topics)
        self._add(stream)
        try:
            async for one in stream.events():
                yield one
        finally:
            self._drop(stream)

    def _add(self, stream: Stream) -> None:
        with self._lock:
            self._streams.add(stream)
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="watcher", daemon=True)
                self._thread.start()
        self._news.set()

    def _drop(self, stream: Stream) -> None:
        with self._lock:
            self._streams.discard(stream)
        self._news.set()

    def _watch(self) -> None:
        """Look, as long as anybody is to be told. What nobody foresaw ends all lines: pages open new ones."""
        try:
            while streams := self._listening():
                self._look_unless_away(streams)
                self._news.wait(TICK)
                self._news.clear()
        except Exception:
            log.exception("watcher.broke")
            self._hang_up()
        finally:
            connection.close()

    def _listening(self) -> list[Stream]:
        """Everybody; where there is nobody, the thread's time is over."""
        with self._lock:
            if not self._streams:
                self._thread = None
            return list(self._streams)

    def _hang_up(self) -> None:
        with self._lock:
            ended, self._streams, self._thread = self._streams, set(), None
        for stream in ended:
            stream.end()

    def _look_unless_away(self, streams: list[Stream]) -> None:
        """Begin again with a fresh connection when the database was away."""
        try:
            self.look(streams, time.monotonic())
        except AWAY as error:
            log.warning("database.away", extra={"type": type(error).__name__})
            connection.close()

    def look(self, streams: list[Stream], now: float) -> None:
        """Tell each what changed; now and then, who may not watch any more is told nothing else."""
        if now - self._asked_at >= ASK_AGAIN:
            self._asked_at = now
            streams = still_entitled(streams)
        found = standings({topic for stream in streams for topic in stream.topics})
        for stream in streams:
            stream.tell(found, now)


def still_entitled(streams: list[Stream]) -> list[Stream]:
    """End the lines of who left or lost a right; those that stay."""
    watched: dict[tuple[Sitting, frozenset[Topic]], list[Stream]] = defaultdict(list)
    for stream in streams:
        watched[stream.sitting, stream.topics].append(stream)
    staying = []
    for (sitting, topics), alike in watched.items():
        if sitting.may_watch(topics):
            staying += alike
            continue
        for stream in alike:
            stream.end()
    return staying


WATCHER = Watcher()
