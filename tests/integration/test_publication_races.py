"""Two releases about the same people are published at the same moment, neither compared with the other.

Whoever comes first is out, and the second is held until somebody looked at both. Without the lock both leave.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from unittest import mock

import pytest

from stewardapp.actions import releases, reviews
from stewardapp.models import Release
from tests import factories
from tests.integration.test_assessment_races import race
from tests.integration.test_races import postgres_site
from tests.site import Site

__all__ = ["postgres_site"]


def two_approved(team: factories.Team) -> list[Release]:
    """Both put forward while neither was out, and approved, each by somebody else: voters are locked too."""
    one = factories.make_release(team, state="in-review")
    other = factories.make_release(team, state="in-review", version=one.version)
    for release, by in ((one, team.reviewer), (other, team.second_reviewer)):
        seen = release.candidate_sha256
        reviews.decide(release=release, manifest_sha256=seen, decision="approve", reason="Read.", by=by)
    return [Release.objects.get(pk=release.pk) for release in (one, other)]


@pytest.mark.postgres
def test_of_two_published_at_once_the_second_is_held(postgres_site: Site) -> None:
    for locked in (True, False):
        team = factories.make_project(rows=factories.demands())
        publications = [
            partial(releases.publish, release=one, manifest_sha256=one.candidate_sha256, by=team.steward)
            for one in two_approved(team)
        ]
        with ExitStack() as stack:
            if not locked:
                stack.enter_context(mock.patch.object(releases, "_hold_people"))
            assert race((releases, "may_publish"), *publications, locked=True) == [True, not locked]
