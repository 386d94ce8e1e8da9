"""A worker's hold on one job: taken once, renewed by a thread, checked with every progress.

All of it is the model's conditional moves. A claim that was lost – to a cancel, to a takeover after a
pause longer than the lease – learns so from a move that changed no row, and writes nothing afterwards.
"""

import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self
from uuid import UUID

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from stewardapp.actions import audit
from stewardapp.models import Preview, Query, Reading, Replay, Run, User
from stewardapp.models.job import JobQuerySet
from stewardapp.notifications import notify
from worker.app import is_stopping
from worker.process import Progress
from worker.stopwatch import Stopwatch

AWAY = (OperationalError, InterfaceError)
AnyJob = Run | Reading | Preview | Query | Replay
KINDS: dict[str, type[Run] | type[Reading] | type[Preview] | type[Query] | type[Replay]] = {
    "run": Run,
    "reading": Reading,
    "preview": Preview,
    "query": Query,
    "replay": Replay,
}


def jobs(kind: str) -> JobQuerySet[Any]:
    """The rows of one kind of job."""
    return KINDS[kind].objects.all()


log = logging.getLogger(__name__)


def note(kind: str, id: UUID, outcome: str, details: dict[str, object]) -> None:
    """Tell the audit log and who asked what became of a job, in the transaction that made it so."""
    job = KINDS[kind].objects.get(pk=id)
    if isinstance(job, Query):
        # Whoever asked is told at the next tick, and only that there is no answer.
        told = {"message": job.error_message, "reference": job.error_reference}
        details = details | {name: words for name, words in told.items() if words}
    audit.record(f"{kind}.{outcome}", job, by=None, project=job.project, details=details)
    if outcome == "failed":
        asked, page = waiting_for(job)
        notify(asked, f"{job}: {job.error_message}", page)


def waiting_for(job: AnyJob) -> tuple[list[User], str]:
    """Who has to be told of a job, and the page that shows it; who wants a preview or replay looks at it.

    A question's end is shown at the next tick, to whoever looks.
    """
    if isinstance(job, Run):
        return [job.started_by], f"/runs/{job.pk}/"
    if isinstance(job, Reading):
        return [job.requested_by], f"/versions/{job.version_id}/"
    return [], ""


class Claim:
    """One claim of one job."""

    def __init__(self, kind: str, id: UUID, fence: int) -> None:
        self.kind, self.id, self.fence = kind, id, fence
        self.lost = threading.Event()
        self._span = (0.0, 1.0)
        self._watch = Stopwatch()

    @property
    def jobs(self) -> JobQuerySet[Any]:
        """The rows of this kind of job."""
        return jobs(self.kind)

    @classmethod
    def take(cls, kind: str, id: UUID) -> Self | None:
        """The claim, or None when the job is not waiting: a second message, a cancel, another worker."""
        fence = jobs(kind).claim(id, worker_name(), settings.STEWARD_LEASE)
        return None if fence is None else cls(kind, id, fence)

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
            thread.join()

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
        try:
            return self._write(progress)
        except AWAY as error:  # the work goes on: the lease decides whose it is
            self._bear(error)
            return True

    def _write(self, progress: Progress) -> bool:
        self._watch.stage(progress.stage)
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
