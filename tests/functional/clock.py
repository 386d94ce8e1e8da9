"""Lets time pass for somebody who is signed in, without waiting for it."""

from __future__ import annotations

from django.contrib.sessions.models import Session

from stewardapp.models import User
from stewardapp.sessions import SessionStore
from tests.functional.desk import Desk

LONGER_THAN_A_PROOF_HOLDS = 400
LONGER_THAN_A_SESSION_LASTS = 31 * 60


def pass_for(desk: Desk, user: str, seconds: int) -> None:
    """Make every session of this person older."""
    with desk.inside():
        person = User.objects.get(username=user)
        sessions = [SessionStore(row.session_key) for row in Session.objects.all()]
        for session in sessions:
            if session.get("_auth_user_id") == str(person.pk):
                session["seen"] = session.get("seen", 0) - seconds
                for proof in session.get("account_authentication_methods", ()):
                    proof["at"] -= seconds
                session.save()
