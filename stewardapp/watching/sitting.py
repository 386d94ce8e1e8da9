"""Who sits before a page, and whether that still holds: asked again and again while a line is open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from stewardapp.access.rules import may_enter
from stewardapp.middleware import is_idle
from stewardapp.models.policy import standing_of
from stewardapp.reads.changes import Topic, may_watch
from stewardapp.sessions import SessionStore, person_of


@dataclass(frozen=True, slots=True)
class Sitting:
    """A person, and the session through which they came."""

    person: str
    session: str

    def may_watch(self, topics: Iterable[Topic]) -> bool:
        """Whether the session goes on, is somebody's who may come in, and who may know of all of these."""
        session = SessionStore(self.session)
        user = person_of(session)
        if user is None or str(user.pk) != self.person or is_idle(session):
            return False
        return bool(may_enter(standing_of(user))) and may_watch(user, topics)
