"""Sessions in the database, sealed: while a second factor is set up, one holds its secret."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.contrib.auth import get_user
from django.contrib.sessions.backends import db
from django.http import HttpRequest

from stewardapp import sealed_text

if TYPE_CHECKING:
    from stewardapp.models import User

PURPOSE = "sessions"


class SessionStore(db.SessionStore):
    """Django's own, with what it keeps sealed."""

    def encode(self, session_dict: dict[str, Any]) -> str:
        """What the row keeps."""
        return sealed_text.sealed(json.dumps(session_dict), PURPOSE)

    def decode(self, session_data: Any) -> dict[str, Any]:
        """What the row says; nothing when it was not sealed here."""
        try:
            found: dict[str, Any] = json.loads(sealed_text.unsealed(str(session_data), PURPOSE))
        except ValueError:  # not sealed here, or nothing that was
            return {}
        return found


def person_of(session: SessionStore) -> User | None:
    """Who is signed in through a session, if anybody still is."""
    request = HttpRequest()
    request.session = session
    user = get_user(request)
    return user if user.is_authenticated else None
