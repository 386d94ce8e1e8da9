"""What a steward asks to publish."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from django.db import models
from django.db.models.functions import Now

from stewardapp.access.facts import Person
from stewardapp.access.roles import Permission
from stewardapp.access.workflow import TERMINAL, Audience, State
from stewardapp.models.base import Record, both_or_neither, implies, one_of
from stewardapp.models.membership import Membership, seen_through
from stewardapp.models.sealed import SealedField, SealedRow, opened
from stewardapp.models.user import AnyUser

if TYPE_CHECKING:
    from stewardapp.models.policy import Policy

RELIED_UPON = (State.IN_REVIEW, State.APPROVED, State.PUBLISHED)
WITH_CANDIDATE = (State.IN_REVIEW, State.APPROVED, State.PUBLISHED, State.REVOKED, State.REJECTED)


class ReleaseQuerySet(models.QuerySet["Release"]):
    """Questions about releases."""

    def visible_to(self, user: AnyUser) -> ReleaseQuerySet:
        """Releases whose working pages this person sees: the team and the admins."""
        return seen_through(self, user, "project", Permission.VIEW_RELEASE, admins=True)

    def live(self) -> ReleaseQuerySet:
        """Releases that other people have."""
        return self.filter(state=State.PUBLISHED)

    def relied_upon(self) -> ReleaseQuerySet:
        """Releases whose candidate others judge, approved or have."""
        return self.filter(state__in=RELIED_UPON)

    def unfinished(self) -> ReleaseQuerySet:
        """Releases somebody still works on."""
        return self.exclude(state__in=[*TERMINAL, State.PUBLISHED])

    def awaiting_review(self) -> ReleaseQuerySet:
        """Releases in review, the longest waiting first."""
        return self.filter(state=State.IN_REVIEW).order_by("submitted_at")

    def reviewable_by(self, user: AnyUser) -> ReleaseQuerySet:
        """Releases in review in projects where this person reviews."""
        return seen_through(self.awaiting_review(), user, "project", Permission.REVIEW, admins=False)

    def in_catalogue_for(self, user: AnyUser) -> ReleaseQuerySet:
        """Published releases this person may download now: audience and embargo."""
        if not user.is_authenticated or not user.is_active:
            return self.none()
        mine = Membership.objects.filter(user=user).values("project_id")
        named = Release.named.through.objects.filter(user=user).values("release_id")
        audience = (
            models.Q(audience=Audience.SIGNED_IN)
            | models.Q(audience=Audience.PUBLIC_LINK)
            | models.Q(audience=Audience.PROJECT, project__in=mine)
            | models.Q(audience=Audience.NAMED, pk__in=named)
        )
        free = models.Q(embargo_until__isnull=True) | models.Q(embargo_until__lte=Now())
        return self.live().filter(audience & free)


class Release(SealedRow, Record):
    """Purpose, audience, recipe, runs, review, outcome."""

    project = models.ForeignKey("stewardapp.Project", on_delete=models.PROTECT, related_name="releases")
    version = models.ForeignKey("stewardapp.Version", on_delete=models.PROTECT, related_name="releases")
    title = models.CharField(max_length=200)
    purpose = models.TextField(blank=True, default="")
    context = models.TextField(blank=True, default="")
    # Why rows that the columns which leave single out may be released all the same.
    reason_for_unique = models.TextField(blank=True, default="")
    audience = models.CharField(max_length=16, default=Audience.PROJECT)
    named = models.ManyToManyField("stewardapp.User", blank=True, related_name="named_in_releases")
    state = models.CharField(max_length=32, default=State.DRAFT)
    revision = models.PositiveIntegerField(default=1)
    sealed_recipe = SealedField()
    recipe = opened("sealed_recipe")
    author = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="releases")
    candidate = models.ForeignKey(
        "stewardapp.Run", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    candidate_sha256 = models.CharField(max_length=64, blank=True, default="")
    submission = models.PositiveIntegerField(default=0)
    policy = models.ForeignKey(
        "stewardapp.Policy", on_delete=models.PROTECT, null=True, blank=True, related_name="releases"
    )
    submitted_at = models.DateTimeField(null=True, blank=True)
    submitted_by = models.ForeignKey(
        "stewardapp.User", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    published_by = models.ForeignKey(
        "stewardapp.User", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_by = models.ForeignKey(
        "stewardapp.User", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    revocation_notice = models.TextField(blank=True, default="")
    embargo_until = models.DateTimeField(null=True, blank=True)
    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)

    objects = ReleaseQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)
        constraints = [
            one_of("release_state_known", "state", State),
            one_of("release_audience_known", "audience", Audience),
            models.CheckConstraint(condition=~models.Q(title=""), name="release_has_a_title"),
            both_or_neither("release_submitted_by_somebody", "submitted_at", "submitted_by"),
            both_or_neither("release_published_by_somebody", "published_at", "published_by"),
            both_or_neither("release_revoked_by_somebody", "revoked_at", "revoked_by"),
            models.CheckConstraint(
                condition=models.Q(candidate__isnull=True, candidate_sha256="")
                | models.Q(candidate__isnull=False, candidate_sha256__regex=r"^[0-9a-f]{64}$"),
                name="release_candidate_with_hash",
            ),
            implies(
                "release_reviewed_bytes_known",
                models.Q(state__in=[str(state) for state in WITH_CANDIDATE]),
                models.Q(candidate__isnull=False, policy__isnull=False, submitted_at__isnull=False),
            ),
            implies(
                "release_decided_has_time",
                models.Q(state__in=[State.APPROVED.value, State.REJECTED.value, State.PUBLISHED.value]),
                models.Q(decided_at__isnull=False),
            ),
            implies(
                "release_published_has_who",
                models.Q(state__in=[State.PUBLISHED.value, State.REVOKED.value]),
                models.Q(published_at__isnull=False),
            ),
            implies(
                "release_revoked_has_who", models.Q(state=State.REVOKED), models.Q(revoked_at__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def sealing_key(self) -> uuid.UUID:
        """The key of the version."""
        return self.version.key_id

    @property
    def judged_by(self) -> Policy:
        """The policy in force for it: fixed at submission, the project's current one before."""
        return self.policy or self.project.policy

    def person(self, user: AnyUser) -> Person:
        """This user seen from the release's project."""
        return self.project.person(user)
