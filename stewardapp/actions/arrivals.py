"""A new version of a dataset: from an upload, or from the answers of a survey. Called inside actions."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.db.models import Max
from django.utils import timezone

from stewardapp.actions.action import locked
from stewardapp.models import Blob, Dataset, Reading, User, Version

if TYPE_CHECKING:
    from worker.engine.io.dialect import DialectJson


def arrive(*, dataset: Dataset, filename: str, raw: Blob, dialect: DialectJson, by: User) -> Version:
    """Number the version, set its date of destruction, ask a worker to read it."""
    dataset = locked(dataset)
    version = Version.objects.create(
        dataset=dataset,
        number=(dataset.versions.aggregate(last=Max("number"))["last"] or 0) + 1,
        filename=filename,
        sha256=raw.sha256,
        size=raw.size,
        raw=raw,
        key=raw.key,
        uploaded_by=by,
        retention_until=timezone.now() + timedelta(days=dataset.project.policy.retention_days),
    )
    Reading.objects.create(version=version, dialect=dialect, requested_by=by)
    return version
