"""How people get in: accounts are made by an administrator, nobody signs up."""

from collections.abc import Mapping
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


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
