"""Accounts are made by administrators."""

from __future__ import annotations

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from stewardapp.access.rules import may_manage_people
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.actions.text import limited, required
from stewardapp.models import User
from stewardapp.models.membership import person_of

OWN_CHANGES = ("password-changed", "factor-added", "factor-removed", "factor-renewed")


@action
def create(
    *,
    username: str,
    password: str,
    email: str = "",
    first_name: str = "",
    last_name: str = "",
    is_admin: bool = False,
    by: User,
) -> User:
    """Make an account for a person."""
    require(may_manage_people(person_of(by)))
    user = User(
        username=required(username, "username", 150),
        email=limited(email, "email", 254),
        first_name=limited(first_name, "first_name", 150),
        last_name=limited(last_name, "last_name", 150),
        is_staff=is_admin,
    )
    _set_password(user, password)
    _save(user)
    audit.record("account.created", user, by=by, details={"is_admin": is_admin})
    return user


@action
def create_first_admin(*, username: str, password: str) -> User:
    """Make the first administrator of an empty installation; there is nobody yet to do it."""
    if User.objects.filter(is_staff=True).exists():
        raise Conflict("not-first", "This installation already has an administrator.")
    user = User(username=required(username, "username", 150), is_staff=True)
    _set_password(user, password)
    _save(user)
    audit.record("account.created", user, by=None, details={"is_admin": True})
    return user


@action
def change(
    *,
    user: User,
    email: str | None = None,
    first_name: str | None = None,
    last_name: str | None = None,
    is_admin: bool | None = None,
    by: User,
) -> User:
    """Correct what is known about a person; nobody takes the administration from themselves."""
    require(may_manage_people(person_of(by)))
    user = locked(user)
    given = {"email": email, "first_name": first_name, "last_name": last_name}
    for field, text in given.items():
        if text is not None:
            setattr(user, field, limited(text, field, 150))
    if is_admin is not None:
        _not_oneself(user, by, losing=not is_admin)
        user.is_staff = is_admin
    user.save()
    audit.record("account.changed", user, by=by, details={"is_admin": user.is_staff})
    return user


@action
def deactivate(*, user: User, by: User) -> User:
    """Shut somebody out; what they did stays on record."""
    require(may_manage_people(person_of(by)))
    _not_oneself(user, by, losing=True)
    if User.objects.filter(pk=user.pk, is_active=True).update(is_active=False) != 1:
        raise Conflict("inactive", "This account is already deactivated.")
    user.refresh_from_db()
    audit.record("account.deactivated", user, by=by)
    return user


@action
def reactivate(*, user: User, by: User) -> User:
    """Let somebody in again."""
    require(may_manage_people(person_of(by)))
    if User.objects.filter(pk=user.pk, is_active=False).update(is_active=True) != 1:
        raise Conflict("active", "This account is active.")
    user.refresh_from_db()
    audit.record("account.reactivated", user, by=by)
    return user


@action
def reset_password(*, user: User, password: str, by: User) -> User:
    """Give somebody a new password."""
    require(may_manage_people(person_of(by)))
    user = locked(user)
    _set_password(user, password)
    user.save(update_fields=["password"])
    audit.record("account.password-reset", user, by=by)
    return user


@action
def note_own_change(*, change: str, by: User) -> None:
    """Write down that somebody changed their own password or second factor; the sign-in pages did it."""
    if change not in OWN_CHANGES:
        raise Invalid("unknown-change", f"A change of one's own account is one of {', '.join(OWN_CHANGES)}.")
    audit.record(f"account.{change}", by, by=by)


def _not_oneself(user: User, by: User, *, losing: bool) -> None:
    if losing and user.pk == by.pk:
        raise Invalid("oneself", "Ask another administrator: you cannot shut yourself out.", "user")


def _set_password(user: User, password: str) -> None:
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise Invalid("weak-password", " ".join(error.messages), "password") from None
    user.set_password(password)


def _save(user: User) -> None:
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError:
        raise Invalid("name-taken", "Another account has this name; choose another.", "username") from None
