"""Home: what waits for whom, and that it forgets what was looked at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.asserts import assertContains, assertNotContains

from stewardapp.access.workflow import State
from stewardapp.models import Notification
from stewardapp.reads.demo import marker
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]


def finished(team: Team, capture: Any) -> str:
    with capture(execute=True):
        run = factories.make_succeeded_run(factories.make_release(team))
    return reverse("run-detail", args=[run.pk])


def test_home_forgets_a_run_once_its_owner_looked_at_it(
    team: Team, browse: Browser, django_capture_on_commit_callbacks: Any
) -> None:
    page, steward = finished(team, django_capture_on_commit_callbacks), browse("steward")
    told = f'<a class="strong" href="{page}">'
    assert browse("co_steward").get(page).status_code == 200
    assertContains(steward.get("/"), told)
    assert steward.get(page).status_code == 200
    assertNotContains(steward.get("/"), told)


def test_every_message_is_read_when_the_page_it_leads_to_was_seen(
    team: Team, browse: Browser, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        factories.make_release(team, state=State.PUBLISHED)
        factories.make_release(team, state=State.CHANGES_REQUESTED)
    told = [
        (persona, notification)
        for persona in ("steward", "reviewer")
        for notification in Notification.objects.unread().filter(user=team.persona(persona)).exclude(url="")
    ]
    assert {notification.url.split("/")[1] for _, notification in told} >= {"runs", "releases", "catalogue"}
    for persona, notification in told:
        browse(persona).get(notification.url)
        notification.refresh_from_db()
        assert notification.read_at is not None, notification.url


def test_a_fragment_that_is_fetched_by_itself_is_no_look(
    team: Team, browse: Browser, django_capture_on_commit_callbacks: Any
) -> None:
    page = finished(team, django_capture_on_commit_callbacks)
    browse("steward").get(f"{page}progress/", headers={"Looks-By-Itself": "true"})
    assert Notification.objects.unread().filter(url=page).exists()


def test_an_analyst_begins_with_what_waits_in_the_catalogue(team: Team, browse: Browser) -> None:
    release = factories.make_release(team, state=State.PUBLISHED)
    page = browse("analyst").get("/")
    text = page.content.decode()
    assert text.index("Waits in the catalogue") < text.index("Needs your attention")
    assertContains(page, reverse("catalogue-detail", args=[release.public_id]))
    assertContains(page, "Open the catalogue")
    assertNotContains(page, "Upload data")
    assertNotContains(page, "Recent releases")
    assertContains(browse("steward").get("/"), "Upload data")


def test_home_says_that_the_demo_is_being_loaded_and_fills(
    team: Team, browse: Browser, settings: Any, tmp_path: Path
) -> None:
    settings.STEWARD_DATA, steward = tmp_path, browse("steward")
    assertNotContains(steward.get("/"), "The demo is being loaded")
    marker().touch()
    answer = steward.get("/")
    assertContains(answer, "The demo is being loaded")
    assertContains(answer, 'hx-trigger="every 3s"')
