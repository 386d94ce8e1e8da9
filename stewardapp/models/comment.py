"""What is said about a release while it is reviewed."""

from __future__ import annotations

from enum import StrEnum

from django.db import models

from stewardapp.access.facts import CommentFacts
from stewardapp.access.roles import Permission
from stewardapp.models.base import Record, both_or_neither, one_of
from stewardapp.models.membership import seen_through
from stewardapp.models.user import AnyUser


class Visibility(StrEnum):
    """Who reads a comment: everybody on the release, or the reviewers among themselves."""

    PUBLIC = "public"
    PRIVATE = "private"


class CommentQuerySet(models.QuerySet["Comment"]):
    """Questions about comments."""

    def visible_to(self, user: AnyUser) -> CommentQuerySet:
        """Public comments of the team's releases; private ones only where this person reviews."""
        public = seen_through(self, user, "release__project", Permission.COMMENT, admins=False).filter(
            visibility=Visibility.PUBLIC
        )
        return public | seen_through(self, user, "release__project", Permission.REVIEW, admins=False).exclude(
            release__contributions__user=user.pk
        )

    def unresolved(self) -> CommentQuerySet:
        """Comments still to be answered."""
        return self.filter(resolved_at__isnull=True)


class Comment(Record):
    """A remark; a private one is read by reviewers only."""

    release = models.ForeignKey("stewardapp.Release", on_delete=models.PROTECT, related_name="comments")
    author = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="comments")
    text = models.TextField()
    visibility = models.CharField(max_length=16, default=Visibility.PUBLIC)
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey(
        "stewardapp.User", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = CommentQuerySet.as_manager()

    class Meta:
        ordering = ("created_at",)
        constraints = [
            one_of("comment_visibility_known", "visibility", Visibility),
            models.CheckConstraint(condition=~models.Q(text=""), name="comment_says_something"),
            both_or_neither("comment_resolved_by_somebody", "resolved_at", "resolved_by"),
        ]

    def __str__(self) -> str:
        return f"comment {self.pk}"

    def facts(self) -> CommentFacts:
        """What the rules need to know about this comment."""
        return CommentFacts(
            author_id=self.author_id,
            private=self.visibility == Visibility.PRIVATE,
            resolved=self.resolved_at is not None,
        )
