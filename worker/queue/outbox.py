"""Rings the bell for queued jobs. The row is the job; a message is a hint that may be lost or repeated.

The request never does this itself: publishing to a broker that does not answer takes seconds. In the web
process a thread does it right after the commit, in every worker the timer does it again.
"""

import logging
import threading
from typing import Any

from django.conf import settings
from django.db import connections, transaction
from django.db.models.signals import post_save

from worker.queue.app import send
from worker.queue.kinds import kinds

BATCH = 100

log = logging.getLogger(__name__)


def send_due() -> int:
    """Ring for every queued job nobody was told about, or not lately; how many were sent.

    The note that it was sent is written afterwards: dying in between repeats a message, which does no harm.
    """
    sent = 0
    for name, kind in kinds().items():
        for id in kind.jobs.undispatched(patience()).values_list("pk", flat=True)[:BATCH]:
            if not sent_one(name, str(id)):
                return sent
            sent += kind.jobs.dispatched(id)
    return sent


def sent_one(kind: str, identity: str) -> bool:
    """Ring once. A broker that is away is tried again at the next tick, not at the next job."""
    try:
        send(kind, identity)
    except Exception as error:  # noqa: BLE001 - every broker has its own exceptions
        log.warning("outbox.silent", extra={"job": identity, "type": type(error).__name__})
        return False
    return True


def patience() -> float:
    """Seconds after which a job that still waits is announced again: the message may be gone."""
    return float(max(settings.STEWARD_LEASE, 5 * settings.STEWARD_TICK))


class Bell(threading.Thread):
    """Sends right after a commit in the web process."""

    def __init__(self) -> None:
        super().__init__(name="outbox", daemon=True)
        self._rung = threading.Event()

    def ring(self) -> None:
        """There is something to send."""
        self._rung.set()

    def run(self) -> None:
        while True:
            self._rung.wait()
            self._rung.clear()
            self.answer()

    def answer(self) -> None:
        """Send what is due; what fails is left to the workers' timers."""
        try:
            send_due()
        except Exception as error:  # noqa: BLE001 - the thread must outlive a database that is away
            log.warning("outbox.failed", extra={"type": type(error).__name__})
        finally:
            connections.close_all()

    def on_saved(self, *, created: bool, **_: Any) -> None:
        """A job was written: ring once it is committed."""
        if created:
            transaction.on_commit(self.ring)


def start() -> Bell:
    """Have jobs announced from this process; called where the web process begins."""
    bell = Bell()
    for kind in kinds().values():
        post_save.connect(bell.on_saved, sender=kind.row, weak=False)
    bell.start()
    return bell
