"""Appointing the data protection officers of the site."""

from __future__ import annotations

from django.db.models import Q

from stewardapp.access.rules import may_manage_people
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action
from stewardapp.models import User
from stewardapp.models.membership import person_of
from stewardapp.notifications import notify


@action
def appoint(*, user: User, by: User) -> User:
    """Let somebody decide about populations beside those who hold their data."""
    require(may_manage_people(person_of(by)))
    if user.pk == by.pk:
        raise Invalid("oneself", "Ask another administrator: nobody appoints themselves.", "user")
    if User.objects.filter(pk=user.pk, is_officer=False, is_active=True).update(is_officer=True) != 1:
        raise Conflict("no-change", "This person is a data protection officer already, or deactivated.")
    return _told(user, by, "appointed", f"{user.display_name} is now a data protection officer of the site.")


@action
def dismiss(*, user: User, by: User) -> User:
    """Take the office back."""
    require(may_manage_people(person_of(by)))
    if User.objects.filter(pk=user.pk, is_officer=True).update(is_officer=False) != 1:
        raise Conflict("no-change", "This person is no data protection officer.")
    return _told(user, by, "dismissed", f"{user.display_name} is no data protection officer any more.")


def _told(user: User, by: User, event: str, text: str) -> User:
    """Everybody who guards the site learns who guards it with them."""
    user.refresh_from_db()
    audit.record(f"officer.{event}", user, by=by)
    others = User.objects.filter(Q(is_staff=True) | Q(is_officer=True) | Q(pk=user.pk)).exclude(pk=by.pk)
    notify(others, text, "/populations/")
    return user
