"""What the pages about releases ask of the database."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

from django.db.models import Exists, OuterRef, QuerySet

from stewardapp.access.facts import Person, PriceFacts, ReleaseFacts
from stewardapp.access.workflow import EDITABLE
from stewardapp.domain.averaging import OutBeside
from stewardapp.domain.facts import Around, release_facts
from stewardapp.domain.pricing import price_of
from stewardapp.models import Assessment, Comment, Contribution, Policy, Release, Review, Run, User
from stewardapp.models.membership import person_in_each
from stewardapp.models.prepared import HOW_MANY, prepared
from stewardapp.models.release import ReleaseQuerySet
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


def seen_at_once(releases: Sequence[Release], user: User) -> list[Seen]:
    """Releases under review before somebody, each knowing what the rules need: asked once for all of them."""
    people = person_in_each(user, {release.project_id for release in releases})
    around, found = around_each(releases), [Seen(release, user) for release in releases]
    for one in found:
        one.person = people[one.release.project_id]
        one.facts = release_facts(one.release, around[one.release.pk])
    return found


def around_each(releases: Sequence[Release]) -> dict[uuid.UUID, Around]:
    """What others did about each of some releases under review."""
    shaped: defaultdict[uuid.UUID, list[uuid.UUID]] = defaultdict(list)
    votes: defaultdict[uuid.UUID, list[tuple[uuid.UUID, str]]] = defaultdict(list)
    demands: defaultdict[uuid.UUID | None, list[str]] = defaultdict(list)
    for id, user in Contribution.objects.filter(release__in=releases).values_list("release", "user"):
        shaped[id].append(user)
    for vote in Review.objects.filter(release__in=releases).counting():
        votes[vote.release_id].append((vote.reviewer_id, vote.decision))
    runs = [release.candidate_id for release in releases]
    open_ = Assessment.objects.open_demands().filter(run__in=runs).order_by()
    for id, state in open_.values_list("run", "state").distinct():
        demands[id].append(state)
    return {one.pk: Around(shaped[one.pk], votes[one.pk], demands[one.candidate_id]) for one in releases}


def reviews_waiting(user: User) -> ReleaseQuerySet:
    """Releases this person may judge and has not: neither a contributor nor one whose vote counts.

    While a release is in review, nobody contributes but those whom it notes.
    """
    waiting = Release.objects.reviewable_by(user).exclude(author=user).exclude(contributions__user=user)
    return waiting.exclude(Exists(Review.objects.counting().filter(release=OuterRef("pk"), reviewer=user)))


def count_waiting(user: User) -> int:
    """How many wait for this person, for the mark beside the link to them."""
    return _waiting(user)[0] if user.is_active else 0


@prepared
def _waiting(user: User) -> QuerySet[Release, int]:
    return reviews_waiting(user).order_by().values_list(HOW_MANY, flat=True)


def runs_of(release: Release) -> list[Run]:
    """All its runs, the newest first, each knowing it already."""
    runs = _runs(release.pk)
    for run in runs:
        run.release = release
    return runs


@prepared
def _runs(release: uuid.UUID) -> QuerySet[Run]:
    return Run.objects.filter(release=release).select_related("started_by")


def has_runs(release: Release) -> bool:
    """Whether there was any."""
    return release.runs.exists()


def votes_seen(release: Release, user: AnyUser) -> list[Review]:
    """The votes this person may read."""
    return _votes_seen(release.pk, user)


@prepared
def _votes_seen(release: uuid.UUID, user: AnyUser) -> QuerySet[Review]:
    return Review.objects.filter(release=release).visible_to(user).select_related("reviewer")


def comments_seen(release: Release, user: AnyUser) -> list[Comment]:
    """The remarks of which this person may know."""
    return _comments_seen(release.pk, user)


@prepared
def _comments_seen(release: uuid.UUID, user: AnyUser) -> QuerySet[Comment]:
    seen = Comment.objects.filter(release=release).visible_to(user)
    return seen.select_related("author", "resolved_by")


def named_people(release: Release) -> list[User]:
    """Those whom it is for by name."""
    return list(release.named.all())


def seen_among(releases: Iterable[Release], user: AnyUser) -> frozenset[uuid.UUID]:
    """Which of these releases this person sees."""
    wanted = [release.pk for release in releases]
    seen = Release.objects.visible_to(user).filter(pk__in=wanted) if wanted else Release.objects.none()
    return frozenset(seen.order_by().values_list("pk", flat=True))
