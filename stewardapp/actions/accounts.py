"""Accounts are made by administrators; the first, and one in place of the last, from the shell."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from stewardapp.access.rules import may_manage_people
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.domain.text import limited, required
from stewardapp.models import User
from stewardapp.models.membership import person_of
from stewardapp.notifications import notify

OWN_CHANGES = ("factor-added", "factor-removed", "recovery-code-used", "recovery-codes-shown")
LINKS = PasswordResetTokenGenerator()  # a link holds for this password, or for this lack of one
ENDS_OTHER_SESSIONS = frozenset({"factor-added"})  # they began without it


@action
def create(
    *,
    username: str,
    password: str | None = None,
    email: str = "",
    first_name: str = "",
    last_name: str = "",
    is_admin: bool = False,
    by: User,
) -> User:
    """Make an account for a person; without a password its owner chooses one by a link."""
    require(may_manage_people(person_of(by)))
    user = User(
        username=required(username, "username", 150),
        email=limited(email, "email", 254),
        first_name=limited(first_name, "first_name", 150),
        last_name=limited(last_name, "last_name", 150),
        is_staff=is_admin,
        handed_over_at=timezone.now(),
    )
    if password is None:
        user.set_unusable_password()
    else:
        _set_password(user, password)
    _save(user)
    audit.record("account.created", user, by=by, details={"is_admin": is_admin})
    return user


@action
def create_first_admin(*, username: str, password: str) -> User:
    """Make the first administrator of an empty installation; there is nobody yet to do it.

    Whoever does the same at the same moment waits, and finds that there is one.
    """
    audit.hold()
    if User.objects.filter(is_staff=True).exists():
        raise Conflict("not-first", "This installation already has an administrator.")
    user = User(username=required(username, "username", 150), is_staff=True)
    _set_password(user, password)
    _save(user)
    audit.record("account.created", user, by=None, details={"is_admin": True})
    return user


@action
def recover(*, username: str, password: str) -> User:
    """Make somebody an administrator from the shell, because the last one is lost. Everybody is told.

    The account may be there or not; what it had to sign in with is replaced.
    """
    name = required(username, "username", 150)
    found = User.objects.select_for_update(no_key=True).filter(username=name).first()
    user = found or User(username=name)
    user.is_staff = user.is_active = True
    user.session_epoch += 1
    user.handed_over_at = timezone.now()
    _set_password(user, password)
    _save(user)
    factors, _ = Authenticator.objects.filter(user=user).delete()
    audit.record("account.recovered", user, by=None, details={"is_admin": True, "factors_removed": factors})
    text = f"{user.display_name} was made an administrator from the server's shell, with a new password."
    notify(User.objects.all(), text)
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
    """Shut somebody out, for good from where they are signed in; what they did stays on record."""
    require(may_manage_people(person_of(by)))
    _not_oneself(user, by, losing=True)
    ended = {"is_active": False, "session_epoch": F("session_epoch") + 1}
    if User.objects.filter(pk=user.pk, is_active=True).update(**ended) != 1:
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
def reset_password(*, user: User, by: User) -> User:
    """Take somebody's password away, for a link to choose another by; they and the administrators are told.

    The link may let `by` in too: what was begun before is no longer for this account to judge.
    """
    require(may_manage_people(person_of(by)))
    _not_oneself(user, by, losing=True)
    user = locked(user)
    user.set_unusable_password()
    user.handed_over_at = timezone.now()
    user.save(update_fields=["password", "handed_over_at"])
    audit.record("account.password-reset", user, by=by)
    _tell_of_reset(user, by, "password")
    return user


@action
def choose_password(*, password: str, by: User) -> User:
    """Take the password that somebody chose by a link; a link serves once, whoever opens it first."""
    seen = by.password
    user = locked(by)
    if not user.is_active or user.password != seen:
        raise Conflict("link-used", "This link was used before, or another one has taken its place.")
    _set_password(user, password)
    user.save(update_fields=["password"])
    audit.record("account.password-chosen", user, by=user)
    return user


@action
def remove_factors(*, user: User, by: User) -> User:
    """Take away a second factor that was lost; they and the other administrators are told."""
    require(may_manage_people(person_of(by)))
    _not_oneself(user, by, losing=True)
    user = locked(user)
    removed, _ = Authenticator.objects.filter(user=user).delete()
    if not removed:
        raise Conflict("no-factor", "This account has no second factor.")
    user.session_epoch += 1
    user.handed_over_at = timezone.now()
    user.save(update_fields=["session_epoch", "handed_over_at"])
    audit.record("account.factors-removed", user, by=by)
    _tell_of_reset(user, by, "second factor")
    return user


@action
def change_own_password(*, password: str, by: User) -> None:
    """Replace one's own password; the page has asked for the old one."""
    _set_password(by, password)
    by.save(update_fields=["password"])
    audit.record("account.password-changed", by, by=by)


@action
def note_own_change(*, change: str, factor: str, by: User) -> None:
    """Write down what somebody did to their own second factor, in the transaction that does it."""
    if change not in OWN_CHANGES:
        raise Invalid("unknown-change", f"A change of one's own factor is one of {', '.join(OWN_CHANGES)}.")
    if change in ENDS_OTHER_SESSIONS:
        User.objects.filter(pk=by.pk).update(session_epoch=F("session_epoch") + 1)
    audit.record(f"account.{change}", by, by=by, details={"factor": factor})


def _tell_of_reset(user: User, by: User, what: str) -> None:
    """Whoever replaces what somebody signs in with could sign in as them: nobody does so in silence."""
    told = [user, *User.objects.filter(is_staff=True)]
    text = f"{by.display_name} reset the {what} of {user.display_name}."
    notify(told, f"{text} What was begun before is now for others to review and agree to.")


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
