"""A person who can sign in."""

from __future__ import annotations

import uuid
from typing import TypeAlias, Union

from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.db import models


class User(AbstractUser):
    """Somebody known to the site. Staff are admins: they manage people and retention, not data."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)

    class Meta:
        ordering = ("username",)

    @property
    def is_admin(self) -> bool:
        """Whether this person administers the site."""
        return self.is_active and self.is_staff

    @property
    def has_second_factor(self) -> bool:
        """Whether a second factor is set up, which sign-in then always asks for."""
        from allauth.mfa.models import Authenticator

        return bool(Authenticator.objects.filter(user=self).exists())

    @property
    def display_name(self) -> str:
        """The name printed on a page."""
        return self.get_full_name() or self.get_username()


AnyUser: TypeAlias = Union[User, AnonymousUser]  # noqa: UP007  (a runtime alias for annotations)
