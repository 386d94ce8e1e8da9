"""One's own notifications; whether somebody read them is nobody else's business, so there is no audit."""

from __future__ import annotations

from django.utils import timezone

from stewardapp.models import Notification, User


def mark_read(*, by: User) -> int:
    """Mark all of one's own notifications as read."""
    return Notification.objects.visible_to(by).unread().update(read_at=timezone.now())


def seen(*, url: str, by: User) -> None:
    """Mark what leads to a page as read; asked first, because most pages have no news and need no lock."""
    news = Notification.objects.visible_to(by).unread().filter(url=url)
    if news.exists():
        news.update(read_at=timezone.now())
