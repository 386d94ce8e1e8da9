"""What the first page asks of the database about one person."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils import timezone

from stewardapp.access.workflow import State
from stewardapp.models import JobState, Notification, Release, Run, User, Version
from stewardapp.models.prepared import prepared
from stewardapp.models.release import ReleaseQuerySet
from stewardapp.models.run import RunQuerySet
from stewardapp.models.version import VersionQuerySet
from stewardapp.reads.releases import reviews_waiting

SOON = timedelta(days=14)
LATELY = timedelta(days=7)
MOST, FEW = 12, 5
RETURNED = (State.CHANGES_REQUESTED, State.APPROVED, State.REJECTED)


@prepared
def in_catalogue(user: User) -> ReleaseQuerySet:
    """What this person may download and has not yet, the newest first."""
    found = Release.objects.in_catalogue_for(user).exclude(downloads__user=user)
    return found.select_related("project").order_by("-published_at")[:MOST]


@prepared
def reviews(user: User) -> ReleaseQuerySet:
    """What waits for their review."""
    return reviews_waiting(user).select_related("project")[:MOST]


def returned(user: User) -> list[Release]:
    """Their own releases about which somebody decided; refusals for a while only."""
    return _returned(user, timezone.now() - LATELY)


@prepared
def _returned(user: User, past: datetime) -> ReleaseQuerySet:
    mine = Release.objects.visible_to(user).filter(author=user, state__in=RETURNED)
    return mine.exclude(state=State.REJECTED, decided_at__lt=past).select_related("project")[:MOST]


def ended_runs(user: User) -> list[Run]:
    """Runs of theirs that ended lately and can become a candidate, or told why not."""
    return _ended_runs(user, timezone.now() - LATELY)


@prepared
def _ended_runs(user: User, past: datetime) -> RunQuerySet:
    found = Run.objects.visible_to(user).filter(
        started_by=user,
        state__in=(JobState.SUCCEEDED, JobState.FAILED),
        finished_at__gte=past,
        release__state__in=(State.DRAFT, State.CHANGES_REQUESTED),
    )
    return found.select_related("release").order_by("-finished_at")[:MOST]


def unread_addresses(user: User) -> set[str]:
    """The pages that messages nobody read yet lead to."""
    return set(_unread_addresses(user))


@prepared
def _unread_addresses(user: User) -> QuerySet[Notification, str]:
    return Notification.objects.visible_to(user).unread().order_by().values_list("url", flat=True)


@prepared
def untagged(user: User) -> VersionQuerySet:
    """Versions they uploaded, some of whose columns have no role yet."""
    mine = Version.objects.visible_to(user).ready().filter(uploaded_by=user, releases__isnull=True)
    return mine.filter(columns__role="").distinct().select_related("dataset")[:FEW]


def ending(user: User) -> list[Version]:
    """Versions whose raw data are destroyed soon."""
    return _ending(user, timezone.now() + SOON)


@prepared
def _ending(user: User, soon: datetime) -> VersionQuerySet:
    near = Version.objects.visible_to(user).live().filter(retention_until__lte=soon)
    return near.select_related("dataset").order_by("retention_until")[:FEW]
