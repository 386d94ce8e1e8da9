"""What waits for somebody, and what happened last."""

from datetime import datetime
from typing import NamedTuple

from django.urls import reverse

from stewardapp.access.workflow import State
from stewardapp.models import JobState, Release, User
from stewardapp.reads import home as reads

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
    return [
        Published(
            release.title,
            release.project.name,
            release.published_at,
            reverse("catalogue-detail", args=[release.public_id]),
        )
        for release in reads.in_catalogue(user)
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
        for release in reads.reviews(user)
    ]


RETURNED = {
    State.CHANGES_REQUESTED: "reviewers ask for changes",
    State.APPROVED: "approved: it can be published",
    State.REJECTED: "was rejected",
}


def _returned(user: User) -> list[Line]:
    return [
        Line(
            release.title,
            f"{release.project.name} · {RETURNED[State(release.state)]}",
            reverse("release-detail", args=[release.pk]),
            release.state,
            "",
            release.decided_at,
        )
        for release in reads.returned(user)
    ]


def _runs(user: User) -> list[Line]:
    """Runs that ended and were not looked at yet."""
    news = reads.unread_addresses(user)
    ended = ((run, reverse("run-detail", args=[run.pk])) for run in reads.ended_runs(user))
    return [
        Line(
            f"{run.release.title}, run {run.number}",
            "look at risk and utility" if run.state == JobState.SUCCEEDED else "see what went wrong",
            url,
            run.state,
            "",
            run.finished_at,
        )
        for run, url in ended
        if url in news
    ]


def _untagged(user: User) -> list[Line]:
    return [
        Line(
            str(version),
            "some columns are untagged",
            reverse("version-columns", args=[version.pk]),
            "draft",
            "Tag",
            version.created_at,
        )
        for version in reads.untagged(user)
    ]


def _retention(user: User) -> list[Line]:
    return [
        Line(
            str(version),
            "the raw data are destroyed on their date",
            reverse("version-detail", args=[version.pk]),
            "destroyed",
            "Soon",
            version.retention_until,
        )
        for version in reads.ending(user)
    ]
