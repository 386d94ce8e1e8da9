"""The one way a release changes: a conditional update on what it was when it was looked at."""

from __future__ import annotations

from typing import Any

from django.db.models import F

from stewardapp.access.verdict import Conflict
from stewardapp.access.workflow import EDITABLE, transition
from stewardapp.models import Release

CHANGED = "Somebody else changed this release in the meantime; look at it again."


def check_revision(release: Release, revision: int | None) -> None:
    """Refuse when the page the person looked at shows an older revision."""
    if revision not in (None, release.revision):
        raise Conflict("changed", CHANGED)


def move(release: Release, name: str, **values: Any) -> None:
    """Make the move if state, revision and candidate still are what this row says; else Conflict."""
    change(release, state=transition(name).target, **values)


def change(release: Release, **values: Any) -> None:
    """Update the row under the same conditions, whatever the change; each one counts as a revision."""
    unchanged = Release.objects.filter(
        pk=release.pk,
        state=release.state,
        revision=release.revision,
        candidate_sha256=release.candidate_sha256,
    )
    if unchanged.update(revision=F("revision") + 1, **values) != 1:
        raise Conflict("changed", CHANGED)
    release.refresh_from_db()
    if release.state not in EDITABLE:
        release.previews.all().delete()  # they were for whoever works on the draft
