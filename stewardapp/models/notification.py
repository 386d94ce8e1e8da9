"""A line that waits for somebody."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from django.db import models

from stewardapp.models.base import Record
from stewardapp.models.user import AnyUser, User


class NotificationQuerySet(models.QuerySet["Notification"]):
    """Questions about notifications."""

    def visible_to(self, user: AnyUser) -> NotificationQuerySet:
        """One's own notifications."""
        if not user.is_authenticated or not user.is_active:
            return self.none()
        return self.filter(user=user)

    def unread(self) -> NotificationQuerySet:
        """Notifications not yet opened."""
        return self.filter(read_at__isnull=True)

    def leave(self, people: Iterable[uuid.UUID], text: str, url: str) -> None:
        """A line for each of these people who can still sign in."""
        reached = User.objects.filter(pk__in=people, is_active=True)
        self.bulk_create(Notification(user=user, text=text, url=url) for user in reached)


class Notification(Record):
    """One sentence and where it leads; without data values."""

    user = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="notifications")
    text = models.TextField()
    url = models.CharField(max_length=200, blank=True, default="")
    read_at = models.DateTimeField(null=True, blank=True)

    objects = NotificationQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return self.text
