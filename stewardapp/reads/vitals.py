"""Looks at every part of the desk: the database, the disk, the keys, what others left."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Max
from django.utils import timezone

from stewardapp import keyring, storage
from stewardapp.domain.vitals import LONGEST_WITHOUT_ANCHOR, Noted, Vitals
from stewardapp.models import Anchor, Artifact, AuditEvent, JobState, WorkerSign
from stewardapp.models.job import kinds_of_jobs
from worker.queue import spool


def vitals() -> Vitals:
    """All of it, now; each part is looked at whatever became of the others."""
    return Vitals(
        now=timezone.now(),
        noted=_noted(),
        storage=_works(storage.check),
        keys=_works(keyring.check),
        free=_free(),
        copied_at=copied_at(),
        dead_letters=dead_letters(),
    )


def _noted() -> Noted | None:
    with suppress(DatabaseError):
        alive = WorkerSign.objects.alive()
        anchored = Anchor.objects.values_list("day", flat=True).first()
        return Noted(
            workers=alive.count(),
            seen_at=WorkerSign.objects.aggregate(last=Max("seen_at"))["last"],
            waiting_since=waiting_since(),
            anchored=anchored,
            has_log=_has_log(anchored),
            damaged=Artifact.objects.damaged().count(),
        )
    return None


def _has_log(anchored: date | None) -> bool:
    """Whether there is what an anchor should have been made of long ago."""
    settled = timezone.now() - LONGEST_WITHOUT_ANCHOR
    return anchored is None and AuditEvent.objects.filter(at__lt=settled).exists()


def waiting_since() -> datetime | None:
    """When the oldest job that waits was asked for, of whichever kind: one question."""
    queued = (kind.jobs().filter(state=JobState.QUEUED) for kind in kinds_of_jobs())
    first, *others = (jobs.order_by().values_list("queued_at") for jobs in queued)
    oldest = first.union(*others, all=True).order_by("queued_at").first()
    return oldest[0] if oldest else None


def copied_at() -> datetime | None:
    """When the last whole copy of this installation was made."""
    with suppress(OSError, ValueError):
        return datetime.fromisoformat((storage.root() / storage.LAST_COPY).read_text(encoding="ascii"))
    return None


def dead_letters() -> int:
    """How many damaged messages were put aside; a broker that is a server keeps its own."""
    parts = urlsplit(settings.STEWARD_BROKER_URL)
    return spool.dead_letters(Path(parts.path)) if parts.scheme == "spool" else 0


def workers() -> list[WorkerSign]:
    """Those that are not forgotten yet, the latest first."""
    return list(WorkerSign.objects.order_by("-seen_at", "name")[:100])


def _free() -> float | None:
    with suppress(OSError):
        return storage.free_share()
    return None


def _works(check: Callable[[], None]) -> bool:
    try:
        check()
    except (OSError, keyring.Unopened):
        return False
    return True
