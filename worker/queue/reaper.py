"""Takes over what a lost worker left: its jobs after their lease, its files after their lock.

Every worker runs this; two at once are harmless, because each move changes one row or none.
"""

import logging
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from stewardapp import storage
from stewardapp.access.verdict import Conflict
from stewardapp.actions import surveys, uploads, versions
from stewardapp.models import Guesses, Survey, Upload, Version, WorkerSign
from stewardapp.sessions import SessionStore
from worker import locks
from worker.process import answers
from worker.process.engines import scratch_root
from worker.queue import spool
from worker.queue.app import app
from worker.queue.kinds import Kind, kinds

SETTLED_SECONDS = 60.0  # a folder is locked just after it is made
LOST = "The worker stopped. Nothing was released. Start or ask it again; if it stops again, ask for help."

log = logging.getLogger(__name__)


def reap() -> int:
    """Move on every job whose lease has ended; how many were moved."""
    return sum(
        take_over(kind, id, fence)
        for kind in kinds().values()
        for id, fence in kind.jobs.expired().values_list("pk", "fence")
    )


def take_over(kind: Kind[Any], id: UUID, fence: int) -> bool:
    """Cancel it if that was asked, else queue it again, else give it up after its last attempt."""
    rows = kind.jobs
    with transaction.atomic():
        # An answer that was paid for and lies there only has to be stored: that is worth one more attempt.
        if rows.requeue(id, fence, further=answers.is_left(id)):
            outcome = "requeued"
        elif rows.fail_lost(id, fence, code="worker-lost", message=LOST):
            outcome = "failed"
        elif rows.expired().filter(pk=id).exists() and rows.cancelled(id, fence):
            outcome = "cancelled"
        else:
            return False
        kind.note(id, outcome, {"reason": "worker-lost"})
    log.warning("job.taken-over", extra={"job": str(id), "outcome": outcome})
    return True


def expire() -> None:
    """Destroy the data whose date has come, and what nobody sends any more."""
    for version in Version.objects.due_for_destruction():
        try:
            versions.expire(version=version)
        except Conflict:  # another worker was faster
            continue
    for survey in Survey.objects.due_for_erasure():
        with suppress(Conflict):
            surveys.expire(survey=survey)
    for upload in Upload.objects.old():
        with suppress(Conflict):
            uploads.expire(upload=upload)


def sweep() -> None:
    """Remove files that nobody holds any more."""
    for folder in scratch_root().iterdir():
        settled = time.time() - folder.stat().st_ctime > SETTLED_SECONDS
        if settled and locks.is_free(folder):
            shutil.rmtree(folder, ignore_errors=True)
    storage.sweep()
    forget()
    options = app.conf.broker_transport_options
    if "data_folder_in" in options:
        spool.sweep(Path(options["data_folder_in"]))


def forget() -> None:
    """Remove rows that count no longer: sessions that ended, guesses, workers of days ago."""
    SessionStore.clear_expired()
    Guesses.objects.forgotten(timezone.now()).delete()
    WorkerSign.objects.forgotten().delete()
