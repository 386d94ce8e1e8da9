"""The audit log shows each person the events of their projects."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from stewardapp.access.workflow import State
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]
ADDRESS = "/audit/"


def actions_seen(client: Client, **asked: str) -> list[str]:
    return [line.event.action for line in client.get(reverse("audit-list"), asked).context["lines"]]


def test_the_team_sees_its_events_and_a_stranger_none(team: Team, browse: Browser) -> None:
    factories.make_release(team, state=State.PUBLISHED)
    assert "release.published" in actions_seen(browse("steward"))
    assert "release.published" in actions_seen(browse("reviewer"))
    assert actions_seen(browse("outsider")) == []
    assert actions_seen(browse("analyst")) == []
    assert "release.published" in actions_seen(browse("admin"))


def test_the_filter_narrows(team: Team, browse: Browser) -> None:
    release = factories.make_release(team, state=State.PUBLISHED)
    client = browse("steward")
    assert set(actions_seen(client, action="release.pub")) == {"release.published"}
    assert set(actions_seen(client, actor=team.reviewer.username)) == {"review.recorded"}
    assert "run.started" not in actions_seen(client, subject=str(release.pk))
    assert actions_seen(client, until="2000-01-01") == []
    assert actions_seen(client, project="not a project") != []


def test_it_is_paged(team: Team, browse: Browser) -> None:
    for _ in range(4):
        factories.make_release(team, state=State.PUBLISHED)
    client = browse("steward")
    first, second = actions_seen(client), actions_seen(client, page="2")
    assert len(first) == 50
    assert second
