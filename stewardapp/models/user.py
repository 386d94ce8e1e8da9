"""A person who can sign in."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, TypeAlias, Union

from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.db import models
from django.utils.crypto import salted_hmac

from stewardapp.models.prepared import prepared

if TYPE_CHECKING:
    from allauth.mfa.models import Authenticator


class User(AbstractUser):
    """Somebody known to the site. Staff are admins: they manage people and retention, not data."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # Counted up to end every session there is; none of them comes back.
    session_epoch = models.PositiveIntegerField(default=0, editable=False)
    # When somebody else last could have signed in as this person: who gave what one signs in with knows it.
    handed_over_at = models.DateTimeField(null=True, editable=False)
    is_officer = models.BooleanField(
        "data protection officer",
        default=False,
        help_text="Sees all populations, their budgets and the audit of both; never data.",
    )

    _remembered: bool | None = None

    class Meta:
        ordering = ("username",)

    @property
    def is_admin(self) -> bool:
        """Whether this person administers the site."""
        return self.is_active and self.is_staff

    @property
    def protects_data(self) -> bool:
        """Whether this person is a data protection officer of the site."""
        return self.is_active and self.is_officer

    @property
    def has_second_factor(self) -> bool:
        """Whether a second factor is set up, which sign-in then always asks for; codes alone are none."""
        return bool(_second_factors(self.pk)) if self._remembered is None else self._remembered

    def remember_second_factor(self) -> None:
        """Ask once for as long as this object lives, which is one request, whatever else asks."""
        self._remembered = self.has_second_factor

    @property
    def display_name(self) -> str:
        """The name printed on a page."""
        return self.get_full_name() or self.get_username()

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """What a session has to hold to belong to this person: it ends with the password and the epoch."""
        kept = f"{self.password} {self.session_epoch}"
        return salted_hmac("session of a person", kept, secret=secret, algorithm="sha256").hexdigest()


@prepared
def _second_factors(user: uuid.UUID) -> models.QuerySet[Authenticator, int]:
    from allauth.mfa.models import Authenticator

    factors: models.QuerySet[Authenticator] = Authenticator.objects.exclude(
        type=Authenticator.Type.RECOVERY_CODES
    )
    return factors.filter(user=user).values_list("pk", flat=True)[:1]


AnyUser: TypeAlias = Union[User, AnonymousUser]  # noqa: UP007  (a runtime alias for annotations)
