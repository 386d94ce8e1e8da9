"""One's own notifications."""

from __future__ import annotations

from django.utils import timezone

from stewardapp.models import Notification, User


def mark_read(*, by: User, notification: Notification | None = None) -> int:
    """Mark one of one's own notifications as read, or all of them; nobody else's business, so no audit."""
    mine = Notification.objects.visible_to(by).unread()
    if notification is not None:
        mine = mine.filter(pk=notification.pk)
    return mine.update(read_at=timezone.now())
