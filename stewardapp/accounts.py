"""How people get in: accounts are made by an administrator, nobody signs up."""

from collections.abc import Callable, Mapping
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.signals import password_changed
from allauth.mfa.signals import authenticator_added, authenticator_removed, authenticator_reset
from django.http import HttpRequest

from stewardapp.actions import accounts
from stewardapp.models import User

OWN_CHANGES = {
    "password-changed": password_changed,
    "factor-added": authenticator_added,
    "factor-removed": authenticator_removed,
    "factor-renewed": authenticator_reset,
}


class ClosedDoorAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Allauth's account rules with the sign-up page shut."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002
        """Refuse: an administrator creates accounts."""
        return False


def name_tried(request: HttpRequest, credentials: Mapping[str, Any] | None = None) -> str:
    """Whose password is being tried: what failed attempts are counted under.

    Sign-in, proof of identity and the counting itself each carry the name under another key. A name that
    is not found would put everybody's failures together, and lock nobody out.
    """
    said = credentials or {}
    return str(said.get("username") or said.get("login") or request.POST.get("login", ""))


def listen() -> None:
    """Have what people change about their own accounts written into the audit log."""
    for change, signal in OWN_CHANGES.items():
        signal.connect(_noting(change), weak=False, dispatch_uid=f"note {change}")


def _noting(change: str) -> Callable[..., None]:
    def note(*, user: User, **_: Any) -> None:
        accounts.note_own_change(change=change, by=user)

    return note
