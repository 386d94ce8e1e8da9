"""What the first page asks of the database about one person."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from django.utils import timezone

from stewardapp.access.workflow import State
from stewardapp.models import JobState, Notification, Release, Run, User, Version
from stewardapp.models.release import ReleaseQuerySet
from stewardapp.models.run import RunQuerySet
from stewardapp.models.version import VersionQuerySet
from stewardapp.reads.releases import reviews_waiting

SOON = timedelta(days=14)
LATELY = timedelta(days=7)


def in_catalogue(user: User) -> ReleaseQuerySet:
    """What this person may download and has not yet, the newest first."""
    found = Release.objects.in_catalogue_for(user).exclude(downloads__user=user)
    return found.select_related("project").order_by("-published_at")


def reviews(user: User) -> ReleaseQuerySet:
    """What waits for their review."""
    return reviews_waiting(user).select_related("project")


def returned(user: User, states: Collection[State]) -> ReleaseQuerySet:
    """Their own releases about which somebody decided; refusals for a while only."""
    mine = Release.objects.visible_to(user).filter(author=user, state__in=states)
    past = timezone.now() - LATELY
    return mine.exclude(state=State.REJECTED, decided_at__lt=past).select_related("project")


def ended_runs(user: User) -> RunQuerySet:
    """Runs of theirs that ended lately and can become a candidate, or told why not."""
    found = Run.objects.visible_to(user).filter(
        started_by=user,
        state__in=(JobState.SUCCEEDED, JobState.FAILED),
        finished_at__gte=timezone.now() - LATELY,
        release__state__in=(State.DRAFT, State.CHANGES_REQUESTED),
    )
    return found.select_related("release").order_by("-finished_at")


def unread_addresses(user: User) -> set[str]:
    """The pages that messages nobody read yet lead to."""
    return set(Notification.objects.visible_to(user).unread().values_list("url", flat=True))


def untagged(user: User) -> VersionQuerySet:
    """Versions they uploaded, some of whose columns have no role yet."""
    mine = Version.objects.visible_to(user).ready().filter(uploaded_by=user, releases__isnull=True)
    return mine.filter(columns__role="").distinct().select_related("dataset")


def ending(user: User) -> VersionQuerySet:
    """Versions whose raw data are destroyed soon."""
    near = Version.objects.visible_to(user).live().filter(retention_until__lte=timezone.now() + SOON)
    return near.select_related("dataset").order_by("retention_until")
