"""Destroying versions: on request, or because their date has come."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from stewardapp import storage
from stewardapp.access.rules import may_destroy
from stewardapp.access.verdict import Conflict, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.database.forgetting import cut_log
from stewardapp.domain.text import required
from stewardapp.models import Artifact, Blob, DataKey, User, Version
from stewardapp.models.job import kinds_of_jobs
from stewardapp.models.release import RELIED_UPON


@action
def destroy(*, version: Version, reason: str, by: User) -> None:
    """Destroy the data of a version before their date; what others approved or have stays."""
    version = locked(version)
    require(may_destroy(version.project.person(by), version.facts()))
    details = {"reason": required(reason, "reason")}
    _destroy(version, by)
    audit.record("version.destroyed", version, by=by, project=version.project, details=details)


@action
def expire(*, version: Version) -> None:
    """Destroy the data of a version whose date has come; done by the machinery, never while a job runs."""
    version = locked(version)
    due = Version.objects.due_for_destruction().filter(pk=version.pk).exists()
    if not due or version.facts().busy:
        raise Conflict("not-due", "The data of this version are not due for destruction, or are in use.")
    _destroy(version, None)
    audit.record("version.expired", version, by=None, project=version.project)


def _destroy(version: Version, by: User | None) -> None:
    Version.objects.filter(pk=version.pk).update(destroyed_at=Now(), destroyed_by=by)
    for kind in kinds_of_jobs():
        if kind.goes_with:
            kind.jobs().filter(**{kind.goes_with: version}).delete()
    storage.destroy_key(version.key)
    _destroy_results(version)
    transaction.on_commit(cut_log)


def _destroy_results(version: Version) -> None:
    """What lies under the keys of its runs goes too, except files that others approve, approved or have."""
    left = Artifact.objects.filter(run__release__version=version).public()
    needed = left.filter(run=F("run__release__candidate"), run__release__state__in=RELIED_UPON)
    of_runs = Blob.objects.stored().filter(key__runs__release__version=version).distinct()
    for blob in of_runs.exclude(pk__in=needed.values("blob")):
        storage.destroy_blob(blob)
    kept = Blob.objects.stored().values("key")
    for key in DataKey.objects.filter(runs__release__version=version).exclude(pk__in=kept).distinct():
        storage.destroy_key(key)
