"""One's own notifications; whether somebody read them is nobody else's business, so there is no audit."""

from __future__ import annotations

import uuid

from django.db.models import QuerySet
from django.utils import timezone

from stewardapp.models import Notification, User
from stewardapp.models.prepared import prepared


def mark_read(*, by: User) -> int:
    """Mark all of one's own notifications as read."""
    return Notification.objects.visible_to(by).unread().update(read_at=timezone.now())


def seen(*, url: str, by: User) -> None:
    """Mark what leads to a page as read; asked first, because most pages have no news and need no lock."""
    if found := _news(by, url):
        Notification.objects.filter(pk__in=found).update(read_at=timezone.now())


@prepared
def _news(user: User, url: str) -> QuerySet[Notification, uuid.UUID]:
    return (
        Notification.objects.visible_to(user).unread().filter(url=url).order_by().values_list("pk", flat=True)
    )
