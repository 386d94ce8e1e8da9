"""What waits for somebody, and what happened last."""

from datetime import datetime, timedelta
from typing import NamedTuple

from django.urls import reverse
from django.utils import timezone

from stewardapp.access.workflow import State
from stewardapp.models import JobState, Notification, Release, Run, User, Version

SOON = timedelta(days=14)
LATELY = timedelta(days=7)
MOST = 12


class Line(NamedTuple):
    """One thing that needs attention."""

    title: str
    detail: str
    url: str
    state: str
    word: str
    at: datetime | None


class Published(NamedTuple):
    """A file in the catalogue."""

    title: str
    project: str
    at: datetime | None
    url: str


def in_catalogue(user: User) -> list[Published]:
    """What this person may download and has not yet, the newest first."""
    found = Release.objects.in_catalogue_for(user).exclude(downloads__user=user)
    return [
        Published(
            release.title,
            release.project.name,
            release.published_at,
            reverse("catalogue-detail", args=[release.public_id]),
        )
        for release in found.select_related("project").order_by("-published_at")[:MOST]
    ]


class ReleaseLine(NamedTuple):
    """A release in a short list."""

    title: str
    project: str
    state: str
    at: datetime
    url: str


def release_line(release: Release) -> ReleaseLine:
    """A release with the moment of its last turn."""
    moments = (release.revoked_at, release.published_at, release.decided_at, release.submitted_at)
    latest = next((moment for moment in moments if moment), release.created_at)
    url = reverse("release-detail", args=[release.pk])
    return ReleaseLine(release.title, release.project.name, release.state, latest, url)


def attention(user: User) -> list[Line]:
    """Everything that waits for this person, the most pressing first."""
    lines = [*_reviews(user), *_returned(user), *_runs(user), *_untagged(user), *_retention(user)]
    return lines[:MOST]


def reviews_waiting(user: User) -> list[Release]:
    """Releases this person may judge and has not: neither a contributor nor one who voted."""
    open_ = Release.objects.reviewable_by(user).select_related("project", "version")
    mine = [release for release in open_[:MOST] if user.pk not in release.contributor_ids]
    return [
        release for release in mine if not release.reviews.counted(release).filter(reviewer=user).exists()
    ]


def _reviews(user: User) -> list[Line]:
    return [
        Line(
            release.title,
            f"{release.project.name} · waits for a review",
            reverse("review-detail", args=[release.pk]),
            "in-review",
            "Review",
            release.submitted_at,
        )
        for release in reviews_waiting(user)
    ]


def _returned(user: User) -> list[Line]:
    words = {
        State.CHANGES_REQUESTED: "reviewers ask for changes",
        State.APPROVED: "approved: it can be published",
        State.REJECTED: "was rejected",
    }
    recent = timezone.now() - LATELY
    mine = Release.objects.visible_to(user).filter(author=user, state__in=list(words))
    mine = mine.exclude(state=State.REJECTED, decided_at__lt=recent).select_related("project")
    return [
        Line(
            release.title,
            f"{release.project.name} · {words[State(release.state)]}",
            reverse("release-detail", args=[release.pk]),
            release.state,
            "",
            release.decided_at,
        )
        for release in mine[:MOST]
    ]


def _runs(user: User) -> list[Line]:
    """Runs that ended and were not looked at yet."""
    ended = (JobState.SUCCEEDED, JobState.FAILED)
    runs = Run.objects.visible_to(user).filter(
        started_by=user,
        state__in=ended,
        finished_at__gte=timezone.now() - LATELY,
        release__state__in=(State.DRAFT, State.CHANGES_REQUESTED),
    )
    news = set(Notification.objects.visible_to(user).unread().values_list("url", flat=True))
    unseen = [
        run
        for run in runs.select_related("release").order_by("-finished_at")[:MOST]
        if reverse("run-detail", args=[run.pk]) in news
    ]
    return [
        Line(
            f"{run.release.title}, run {run.number}",
            "look at risk and utility" if run.state == JobState.SUCCEEDED else "see what went wrong",
            reverse("run-detail", args=[run.pk]),
            run.state,
            "",
            run.finished_at,
        )
        for run in unseen
    ]


def _untagged(user: User) -> list[Line]:
    mine = Version.objects.visible_to(user).ready().filter(uploaded_by=user, releases__isnull=True)
    return [
        Line(
            str(version),
            "some columns are untagged",
            reverse("version-columns", args=[version.pk]),
            "draft",
            "Tag",
            version.created_at,
        )
        for version in mine.filter(columns__role="").distinct().select_related("dataset")[:5]
    ]


def _retention(user: User) -> list[Line]:
    near = Version.objects.visible_to(user).live().filter(retention_until__lte=timezone.now() + SOON)
    return [
        Line(
            str(version),
            "the raw data are destroyed on their date",
            reverse("version-detail", args=[version.pk]),
            "destroyed",
            "Soon",
            version.retention_until,
        )
        for version in near.select_related("dataset").order_by("retention_until")[:5]
    ]
