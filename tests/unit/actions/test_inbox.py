"""One's own notifications are marked as read, and nobody else's."""

from __future__ import annotations

import pytest

from stewardapp.actions import inbox
from stewardapp.models import Notification, User
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> tuple[User, User]:
    """Two with two lines each."""
    one, other = factories.make_user(), factories.make_user()
    for url in ("/runs/1/", "/runs/2/"):
        Notification.objects.leave([one.pk, other.pk], "A run ended.", url)
    return one, other


def unread(user: User) -> list[str]:
    """Where what somebody has not read leads to."""
    return sorted(Notification.objects.visible_to(user).unread().values_list("url", flat=True))


def test_all_of_ones_own(people: tuple[User, User]) -> None:
    one, other = people
    assert inbox.mark_read(by=one) == 2
    assert inbox.mark_read(by=one) == 0
    assert (unread(one), len(unread(other))) == ([], 2)


def test_whoever_looks_at_a_page_has_read_what_leads_to_it(people: tuple[User, User]) -> None:
    one, other = people
    inbox.seen(url="/runs/1/", by=one)
    inbox.seen(url="/runs/3/", by=one)
    assert (unread(one), len(unread(other))) == (["/runs/2/"], 2)
