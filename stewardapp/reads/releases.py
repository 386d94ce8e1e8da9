"""What the pages about releases ask of the database."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from functools import cached_property

from django.db.models import Exists, OuterRef, Q

from stewardapp.access.facts import Person, PriceFacts, ReleaseFacts
from stewardapp.access.workflow import EDITABLE
from stewardapp.domain.averaging import OutBeside
from stewardapp.domain.facts import release_facts
from stewardapp.domain.pricing import price_of
from stewardapp.models import Comment, Membership, Policy, Release, Review, Run, User
from stewardapp.models.release import ReleaseQuerySet
from stewardapp.models.review import ReviewQuerySet
from stewardapp.models.user import AnyUser


class Seen:
    """A release before somebody: what its page needs of the rules is asked once, whatever prints it."""

    def __init__(self, release: Release, user: AnyUser) -> None:
        self.release, self.user = release, user

    @cached_property
    def person(self) -> Person:
        """Who looks, seen from the release's project."""
        return self.release.person(self.user)

    @cached_property
    def facts(self) -> ReleaseFacts:
        """What the rules need to know about the release."""
        return release_facts(self.release)

    @cached_property
    def policy(self) -> Policy:
        """What it is judged by."""
        return self.release.judged_by

    @cached_property
    def price(self) -> PriceFacts:
        """What a run of the recipe takes, also while none can be started."""
        return self.facts.price if self.facts.state in EDITABLE else price_of(self.release)

    @cached_property
    def out(self) -> OutBeside:
        """What is out about the same people."""
        return OutBeside(self.release)


def reviews_waiting(user: User) -> ReleaseQuerySet:
    """Releases this person may judge and has not: neither a contributor nor one whose vote counts.

    While a release is in review, nobody contributes but those whom it notes.
    """
    waiting = Release.objects.reviewable_by(user).exclude(author=user).exclude(contributions__user=user)
    return waiting.exclude(Exists(_votes_of(user)))


def _votes_of(user: User) -> ReviewQuerySet:
    """The votes of a person that count for the release around them."""
    entitled = Membership.objects.reviewers().filter(
        Q(later_only=False) | Q(created_at__lte=OuterRef("release__created_at")),
        project=OuterRef("release__project"),
        user=user,
    )
    return Review.objects.filter(
        Exists(entitled),
        release=OuterRef("pk"),
        run=OuterRef("candidate"),
        submission=OuterRef("submission"),
        manifest_sha256=OuterRef("candidate_sha256"),
        reviewer=user,
    )


def runs_of(release: Release) -> list[Run]:
    """All its runs, the newest first, each knowing it already."""
    runs = list(release.runs.select_related("started_by"))
    for run in runs:
        run.release = release
    return runs


def has_runs(release: Release) -> bool:
    """Whether there was any."""
    return release.runs.exists()


def votes_seen(release: Release, user: AnyUser) -> list[Review]:
    """The votes this person may read."""
    return list(release.reviews.visible_to(user).select_related("reviewer"))


def comments_seen(release: Release, user: AnyUser) -> list[Comment]:
    """The remarks of which this person may know."""
    return list(release.comments.visible_to(user).select_related("author", "resolved_by"))


def named_people(release: Release) -> list[User]:
    """Those whom it is for by name."""
    return list(release.named.all())


def seen_among(releases: Iterable[Release], user: AnyUser) -> frozenset[uuid.UUID]:
    """Which of these releases this person sees."""
    wanted = [release.pk for release in releases]
    seen = Release.objects.visible_to(user).filter(pk__in=wanted) if wanted else Release.objects.none()
    return frozenset(seen.order_by().values_list("pk", flat=True))
