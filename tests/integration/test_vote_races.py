"""Somebody is shut out at the very moment at which a release is published on their vote.

Whoever comes first wins, and the log tells it in that order: nothing is published on a vote that had ended.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any
from unittest import mock

import pytest
from django.db import connection

from stewardapp.access.verdict import Refused
from stewardapp.actions import accounts, memberships, releases
from stewardapp.models import AuditEvent, Release
from stewardapp.models.review import ReviewQuerySet
from tests import factories
from tests.integration.test_races import postgres_site
from tests.site import Site

__all__ = ["postgres_site"]
PATIENCE = 1.0  # how long a publication waits for the other, which a lock makes wait for it


def alone(call: Callable[[], Any]) -> bool:
    """On a connection of this thread; whether it was done."""
    try:
        call()
    except Refused:
        return False
    finally:
        connection.close()
    return True


def deactivated(team: factories.Team) -> str:
    accounts.deactivate(user=team.reviewer, by=team.admin)
    return "account.deactivated"


def removed(team: factories.Team) -> str:
    memberships.remove(membership=team.project.memberships.get(user=team.reviewer), by=team.admin)
    return "membership.removed"


def race(
    team: factories.Team, release: Release, end: Callable[[factories.Team], str], *, locked: bool
) -> None:
    """The publication has looked at the votes when the other begins, and waits a while for its end."""
    looked, ended = threading.Event(), threading.Event()

    def looking(*args: Any) -> Any:
        verdict = rule(*args)
        looked.set()
        ended.wait(PATIENCE)
        return verdict

    def ending() -> None:
        assert looked.wait(30)
        end(team)
        ended.set()

    def publishing() -> None:
        seen = release.candidate_sha256
        releases.publish(release=release, manifest_sha256=seen, by=team.steward)

    rule = releases.may_publish
    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(releases, "may_publish", looking))
        if not locked:
            stack.enter_context(mock.patch.object(ReviewQuerySet, "hold_owners"))
        pool = stack.enter_context(ThreadPoolExecutor(2))
        found = [pool.submit(alone, one) for one in (publishing, ending)]
        assert [one.result(60) for one in found] == [True, True]


def order(release: Release, ended: str) -> list[str]:
    """What the log says came first."""
    told = AuditEvent.objects.filter(action__in=("release.published", ended)).order_by("id")
    return [event.action for event in told]


@pytest.mark.postgres
@pytest.mark.parametrize("end", [deactivated, removed])
def test_nothing_is_published_on_a_vote_that_had_ended(
    postgres_site: Site, end: Callable[[factories.Team], str]
) -> None:
    word = {deactivated: "account.deactivated", removed: "membership.removed"}[end]
    for locked in (True, False):
        team = factories.make_project()
        release = factories.make_release(team, state="approved")
        before = len(order(release, word))
        race(team, release, end, locked=locked)
        right = ["release.published", word]
        assert (order(release, word)[before:] == right) is locked, "without the lock it has to go wrong"


def test_on_sqlite_one_waits_for_the_other(embedded_site: Site) -> None:
    team = factories.make_project()
    release = factories.make_release(team, state="approved")
    race(team, release, deactivated, locked=True)
    assert order(release, "account.deactivated") == ["release.published", "account.deactivated"]
