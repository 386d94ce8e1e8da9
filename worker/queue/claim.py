"""A worker's hold on one job: taken once, renewed by a thread, checked with every progress.

All of it is the model's conditional moves. A claim that was lost – to a cancel, to a takeover after a
pause longer than the lease – learns so from a move that changed no row, and writes nothing afterwards.
"""

import logging
import math
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self
from uuid import UUID

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from stewardapp.models.job import JobQuerySet
from worker.process.parent import Progress
from worker.queue.app import is_stopping
from worker.queue.stopwatch import Stopwatch

WRITE_SECONDS = 0.1
"""Between two writes of progress: short runs would spend more on telling than on doing."""
AWAY = (OperationalError, InterfaceError)

log = logging.getLogger(__name__)


class Claim:
    """One claim of one job."""

    def __init__(self, kind: str, rows: JobQuerySet[Any], id: UUID, fence: int) -> None:
        self.kind, self._rows, self.id, self.fence = kind, rows, id, fence
        self.lost = threading.Event()
        self._span = (0.0, 1.0)
        self._watch, self._written = Stopwatch(), -math.inf

    @property
    def jobs(self) -> JobQuerySet[Any]:
        """The rows of this kind of job."""
        return self._rows.all()

    @classmethod
    def take(cls, kind: str, rows: JobQuerySet[Any], id: UUID) -> Self | None:
        """The claim, or None when the job is not waiting: a second message, a cancel, another worker."""
        fence = rows.claim(id, worker_name(), settings.STEWARD_LEASE)
        return None if fence is None else cls(kind, rows, id, fence)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Renew the lease in the background while the block runs."""
        done = threading.Event()
        thread = threading.Thread(target=self._renew, args=(done,), name=f"lease of {self.id}", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join(settings.STEWARD_LEASE)  # a beat that a silent database holds up is too late by then

    def _renew(self, done: threading.Event) -> None:
        try:
            while not done.wait(settings.STEWARD_LEASE / 4) and not self.lost.is_set():
                self._beat()
        finally:
            connection.close()

    def _beat(self) -> None:
        try:
            if not self.jobs.heartbeat(self.id, self.fence, settings.STEWARD_LEASE):
                self.lost.set()
        except AWAY as error:
            self._bear(error)

    @contextmanager
    def part(self, low: float, high: float) -> Iterator[None]:
        """What the block reports as 0 … 1 is this part of the whole."""
        before, self._span = self._span, (low, high)
        try:
            yield
        finally:
            self._span = before

    def watch(self, progress: Progress) -> bool:
        """Write progress; False means stop: cancelled, taken over, or this worker is ending."""
        if self.lost.is_set() or is_stopping():
            return False
        self._watch.stage(progress.stage)
        if time.monotonic() - self._written < WRITE_SECONDS:
            return True
        self._written = time.monotonic()
        try:
            return self._write(progress)
        except AWAY as error:  # the work goes on: the lease decides whose it is
            self._bear(error)
            return True

    def _write(self, progress: Progress) -> bool:
        low, high = self._span
        percent = int(100 * (low + progress.fraction * (high - low)))
        return self.jobs.progress(
            self.id,
            self.fence,
            percent=min(percent, 99),
            stage=progress.stage,
            seconds_left=progress.seconds_left,
        )

    def tell_time(self) -> None:
        """One line in the log, and on the row for the page: how long each stage took."""
        stages = self._watch.laps()
        seconds = round(sum(lap for _, lap in stages), 3)
        facts = {"kind": self.kind, "job": str(self.id), "seconds": seconds, "stages": dict(stages)}
        log.info("job.ended", extra=facts)
        try:
            self.jobs.timed(self.id, self.fence, stages)
        except AWAY as error:
            self._bear(error)

    def let_go(self) -> None:
        """End the lease now, so that the reaper need not wait for it."""
        try:
            self.jobs.heartbeat(self.id, self.fence, 0)
        except AWAY as error:
            self._bear(error)

    def _bear(self, error: Exception) -> None:
        """Begin again with a fresh connection: the database was away, the lease bears some misses."""
        log.warning("database.away", extra={"job": str(self.id), "type": type(error).__name__})
        connection.close()


def worker_name() -> str:
    """Which process of which machine."""
    return f"{socket.gethostname()}:{os.getpid()}"
