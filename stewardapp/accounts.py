"""How people get in, and how nothing about them changes without a line in the audit log.

Accounts are made by an administrator; nobody signs up. What people change about their own accounts is done by
the sign-in library's pages: whatever those write is noted here, in the transaction that writes it.
"""

from __future__ import annotations

import secrets
from base64 import b32encode
from typing import Any

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.contrib.auth import update_session_auth_hash
from django.db.models import Model
from django.db.models.signals import m2m_changed, post_delete, post_save, pre_delete, pre_save
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.crypto import constant_time_compare

from stewardapp import sealed_text
from stewardapp.actions import accounts
from stewardapp.actions.action import AuditMissing, is_running
from stewardapp.models import Membership, User

FACTORS = "second factors"
PROVEN = "password proven"
SIGNED_IN = {"last_login"}
USED = {"last_used_at"}

log = structlog.get_logger(__name__)


class ClosedDoorAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Allauth's account rules with the sign-up page shut."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002
        """Refuse: an administrator creates accounts."""
        return False

    def set_password(self, user: User, password: str) -> None:
        """Somebody's own new password, through the action."""
        accounts.change_own_password(password=password, by=user)

    def pre_login(self, request: HttpRequest, user: User, **said: Any) -> HttpResponse | None:
        """Remember for which state of the account the password was given: a code may follow minutes later."""
        request.session[PROVEN] = user.get_session_auth_hash()
        answer: HttpResponse | None = super().pre_login(request, user, **said)
        return answer

    def login(self, request: HttpRequest, user: User) -> None:
        """Let somebody in, unless the account was shut or its password replaced since it was given."""
        proven = request.session.pop(PROVEN, "")
        user.refresh_from_db()
        if not (user.is_active and constant_time_compare(proven, user.get_session_auth_hash())):
            request.session.flush()
            raise ImmediateHttpResponse(redirect("account_login"))
        super().login(request, user)


class SealedFactors(DefaultMFAAdapter):  # type: ignore[misc]
    """Allauth's second factors with their secrets sealed."""

    def encrypt(self, text: str) -> str:
        """What the database keeps."""
        return sealed_text.sealed(text, FACTORS)

    def decrypt(self, encrypted_text: str) -> str:
        """The secret; for one not sealed here another that nobody knows, so that no code is right."""
        try:
            return sealed_text.unsealed(encrypted_text, FACTORS)
        except sealed_text.NotSealed:
            log.error("a second factor was not sealed with the key of this site")
            return b32encode(secrets.token_bytes(20)).decode()


def listen() -> None:
    """Have every change of a person refused that no action makes, and those of one's own factors noted."""
    groups = (User.groups.through, User.user_permissions.through)
    for signal, receiver, senders in (
        (pre_save, _person_saved, (User,)),
        (pre_save, _changed, (Membership,)),
        (pre_delete, _changed, (User, Membership)),
        (m2m_changed, _changed, groups),
        (post_save, _factor_saved, (Authenticator,)),
        (post_delete, _factor_removed, (Authenticator,)),
    ):
        for sender in senders:
            signal.connect(receiver, sender=sender, dispatch_uid=f"{receiver.__name__} {sender.__name__}")


def _changed(*, sender: type[Model], **_: Any) -> None:
    if not is_running():
        raise AuditMissing(f"{sender.__name__} is changed by actions only: this would leave no audit event")


def _person_saved(*, sender: type[Model], instance: User, update_fields: Any = None, **_: Any) -> None:
    """Signing in leaves its time, and a password known to be right may be hashed anew in the way of today."""
    hashed_anew = set(update_fields or ()) == {"password"} and getattr(instance, "_password", None) is None
    if not (update_fields and set(update_fields) <= SIGNED_IN) and not hashed_anew:
        _changed(sender=sender)


def _factor_saved(*, instance: Authenticator, created: bool, update_fields: Any = None, **_: Any) -> None:
    if created:
        _note("factor-added", instance)
    elif update_fields is None:
        _note("recovery-code-used", instance)
    elif not set(update_fields) <= USED:
        _note("recovery-codes-shown", instance)


def _factor_removed(*, instance: Authenticator, **_: Any) -> None:
    _note("factor-removed", instance)


def _note(change: str, factor: Authenticator) -> None:
    if is_running():
        return  # the action that does it has its own event
    accounts.note_own_change(change=change, factor=factor.type, by=factor.user)
    if change in accounts.ENDS_OTHER_SESSIONS:
        _stay_signed_in(factor.user)


def _stay_signed_in(user: User) -> None:
    """The session in which somebody ended the others goes on."""
    request = context.request
    if request is not None and request.user.pk == user.pk:
        request.user.refresh_from_db(fields=["session_epoch"])
        update_session_auth_hash(request, request.user)
