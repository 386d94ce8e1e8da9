"""Every worker's own clock: gives a sign of life, sends what waits, takes over what was lost, sweeps, seals.

No separate scheduler is needed for correctness: as long as one worker lives, every job comes to an end.
"""

import logging
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from celery import bootsteps
from django.conf import settings
from django.db import connections

from worker.queue import anchoring, outbox, reaper
from worker.queue.app import app
from worker.queue.living import Living

SWEEP_SECONDS = 60.0

log = logging.getLogger(__name__)

# A process forked while another thread is inside the database library may inherit a lock that nobody
# will ever release. The pool forks whenever it replaces a process: never during a tick.
_quiet = threading.Lock()
os.register_at_fork(before=_quiet.acquire, after_in_parent=_quiet.release, after_in_child=_quiet.release)


class Timer(threading.Thread):
    """A thread that ticks until it is stopped."""

    def __init__(self, work: tuple[Callable[[], object], ...], seconds: float) -> None:
        super().__init__(name="timer", daemon=True)
        self._work, self._seconds = work, seconds
        self._stopped = threading.Event()
        self._complaints: dict[str, str] = {}

    def run(self) -> None:
        while not self._stopped.wait(self._seconds):
            with _quiet:
                self.tick()

    def tick(self) -> None:
        """One round. A database that is away now may be back next time."""
        for work in self._work:
            try:
                work()
                self._complaints.pop(work.__name__, None)
            except Exception as error:  # noqa: BLE001 - one failing duty must not end the others
                self._complain(work.__name__, type(error).__name__)
        connections.close_all()

    def _complain(self, duty: str, kind: str) -> None:
        """Once, not at every tick."""
        if self._complaints.get(duty) != kind:
            self._complaints[duty] = kind
            log.warning("timer.failed", extra={"duty": duty, "type": kind})

    def stop(self) -> None:
        """End after the present round."""
        self._stopped.set()


class Sweeping:
    """Runs a slow duty once a minute only."""

    __name__ = "sweep"

    def __init__(self) -> None:
        self._last = 0.0

    def __call__(self) -> None:
        if time.monotonic() - self._last >= SWEEP_SECONDS:
            self._last = time.monotonic()
            reaper.expire()
            reaper.sweep()


class Tending(bootsteps.StartStopStep):
    """Starts the timer with the worker."""

    def __init__(self, worker: Any, **options: Any) -> None:
        super().__init__(worker, **options)
        duties = (Living(), outbox.send_due, reaper.reap, Sweeping())
        audit = (anchoring.seal, anchoring.Anchoring(), anchoring.Sending())
        self._timer = Timer((*duties, *audit), settings.STEWARD_TICK)

    def start(self, _worker: Any) -> None:
        self._timer.start()

    def stop(self, _worker: Any) -> None:
        self._timer.stop()


app.steps["worker"].add(Tending)
