"""Sessions in the database, sealed: while a second factor is set up, one holds its secret."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.contrib.auth import get_user
from django.contrib.sessions.backends import db
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from stewardapp import sealed_text
from stewardapp.models.prepared import prepared

if TYPE_CHECKING:
    from django.contrib.sessions.models import Session

    from stewardapp.models import User

PURPOSE = "sessions"


class SessionStore(db.SessionStore):
    """Django's own, with what it keeps sealed."""

    def _get_session_from_db(self) -> Session | None:
        """The row, while it is good."""
        found = [row for row in _rows(str(self.session_key)) if row.expire_date > timezone.now()]
        if not found:
            self._session_key = None
        return found[0] if found else None

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


@prepared
def _rows(key: str) -> QuerySet[Session]:
    from django.contrib.sessions.models import Session

    return Session.objects.filter(session_key=key)


def person_of(session: SessionStore) -> User | None:
    """Who is signed in through a session, if anybody still is."""
    request = HttpRequest()
    request.session = session
    user = get_user(request)
    return user if user.is_authenticated else None
