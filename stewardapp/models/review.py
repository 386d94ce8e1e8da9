"""One reviewer's decision on one candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

from stewardapp.access.roles import Permission
from stewardapp.access.workflow import Decision, State
from stewardapp.models.base import Record, one_of
from stewardapp.models.membership import Membership, seen_through
from stewardapp.models.user import AnyUser, User

if TYPE_CHECKING:
    from stewardapp.models.release import Release


class ReviewQuerySet(models.QuerySet["Review"]):
    """Questions about votes."""

    def counted(self, release: Release) -> ReviewQuerySet:
        """Votes on exactly this submission of exactly these bytes, of people who may still vote on it.

        All older ones have dropped out, and those of people who were shut out or are no longer reviewers.
        """
        return self.filter(
            release=release,
            run=release.candidate_id,
            submission=release.submission,
            manifest_sha256=release.candidate_sha256,
            reviewer__in=Membership.objects.entitled(release).values("user"),
        )

    def counting(self) -> ReviewQuerySet:
        """The votes that count, of whichever releases: of each those that `counted` names."""
        entitled = Membership.objects.reviewers().filter(
            models.Q(later_only=False) | models.Q(created_at__lte=models.OuterRef("release__created_at")),
            project=models.OuterRef("release__project"),
            user=models.OuterRef("reviewer"),
            user__is_active=True,
        )
        return self.filter(
            models.Exists(entitled),
            run=models.F("release__candidate"),
            submission=models.F("release__submission"),
            manifest_sha256=models.F("release__candidate_sha256"),
        )

    def hold_owners(self, release: Release) -> None:
        """Lock who voted and their roles until the transaction ends: what is counted now counts that long."""
        people = list(self.filter(release=release).values_list("reviewer", flat=True))
        for rows in (User.objects.filter(pk__in=people), release.project.memberships.filter(user__in=people)):
            list(rows.select_for_update(no_key=True).order_by("pk"))

    def visible_to(self, user: AnyUser) -> ReviewQuerySet:
        """Votes in projects this person sees; while a review is open, only one's own: votes are blind."""
        seen = seen_through(self, user, "release__project", Permission.VIEW_RELEASE, admins=True)
        open_ = models.Q(release__state=State.IN_REVIEW, submission=models.F("release__submission"))
        return seen.filter(~open_ | models.Q(reviewer_id=user.pk))


class Review(Record):
    """A vote carries the hash of what was looked at; it counts for nothing else."""

    release = models.ForeignKey("stewardapp.Release", on_delete=models.PROTECT, related_name="reviews")
    run = models.ForeignKey("stewardapp.Run", on_delete=models.PROTECT, related_name="reviews")
    submission = models.PositiveIntegerField()
    manifest_sha256 = models.CharField(max_length=64)
    reviewer = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="reviews")
    decision = models.CharField(max_length=16)
    reason = models.TextField()

    objects = ReviewQuerySet.as_manager()

    class Meta:
        ordering = ("created_at",)
        constraints = [
            models.UniqueConstraint(
                fields=("release", "submission", "manifest_sha256", "reviewer"), name="review_one_vote_each"
            ),
            one_of("review_decision_known", "decision", Decision),
            models.CheckConstraint(condition=~models.Q(reason=""), name="review_has_a_reason"),
            models.CheckConstraint(
                condition=models.Q(manifest_sha256__regex=r"^[0-9a-f]{64}$"), name="review_names_the_bytes"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.reviewer} · {self.decision}"
