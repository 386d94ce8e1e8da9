"""How people get in: accounts are made by an administrator, nobody signs up."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class ClosedDoorAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Allauth's account rules with the sign-up page shut."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002
        """Refuse: an administrator creates accounts."""
        return False
