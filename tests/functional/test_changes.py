"""Results come to an open page by themselves: how soon, and what happens when the line breaks."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, Page, Request, expect

from stewardapp.access.workflow import State
from stewardapp.actions import comments
from stewardapp.models import Preview, Release, Run, User
from tests import factories
from tests.functional.desk import alive
from tests.integration.serving import Serving, serving
from tests.site import until
from tests.site_fixtures import new_site

PATIENCE = 20_000
SHOWN_AT = (
    """performance.timeOrigin + performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd"""
)
REFUSED = ("Failed to load resource", "Response Status Error Code", "htmx:")  # while nobody answers
NO_EVENTS = "delete window.EventSource;"
OpenPage = Callable[..., Page]


@pytest.fixture(scope="module")
def web(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("changes")
    with ExitStack() as stack:
        site = new_site("embedded", request, folder / "data", stack)
        yield stack.enter_context(serving(site, folder))


@pytest.fixture
def team(web: Serving) -> factories.Team:
    return factories.make_project()


@pytest.fixture
def release(team: factories.Team) -> Release:
    return factories.make_release(team)


@pytest.fixture
def look(web: Serving, chromium: Browser) -> Iterator[OpenPage]:
    """Open a page as somebody; at the end no browser may have complained."""
    opened, complaints = [], []

    def open_page(user: User, path: str, script: str = "", at: Serving = web) -> Page:
        """Until it has looked for the first time, which it does when its line is open."""
        context = chromium.new_context()
        opened.append(context)
        context.add_cookies(
            [{"name": settings.SESSION_COOKIE_NAME, "value": session_of(user), "url": url(at)}]
        )
        if script:
            context.add_init_script(script)
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        with page.expect_response(lambda answer: is_look(answer.request), timeout=PATIENCE):
            page.goto(url(at) + path)
        return page

    yield open_page
    for context in opened:
        context.close()
    assert [one for one in complaints if not one.startswith(REFUSED)] == []


def url(web: Serving) -> str:
    return f"http://127.0.0.1:{web.port}"


def session_of(user: User) -> str:
    client = Client()
    client.force_login(user)
    return str(client.cookies[settings.SESSION_COOKIE_NAME].value)


def is_look(request: Request) -> bool:
    """Whether a page fetches a part of itself."""
    return request.headers.get("looks-by-itself") == "true"


def seconds_until_shown(page: Page, run: Run) -> float:
    """From the moment the run has succeeded for everybody to the moment the page has its results."""
    factories.succeed(run)
    succeeded = time.time()
    page.get_by_role("link", name="Submit this run").wait_for(timeout=PATIENCE)
    return float(page.evaluate(SHOWN_AT)) / 1000 - succeeded


def test_results_are_on_the_page_in_less_than_a_third_of_a_second(
    team: factories.Team, release: Release, look: OpenPage
) -> None:
    """The best of several, because others use this machine too."""
    took = []
    for _ in range(5):
        run = factories.make_run(release)
        page = look(team.steward, f"/runs/{run.pk}/")
        took.append(seconds_until_shown(page, run))
    assert min(took) <= 0.3, took


def test_progress_appears_while_nothing_is_loaded_anew(
    team: factories.Team, release: Release, look: OpenPage
) -> None:
    preview = factories.make_preview(release, done=False)
    page = look(team.steward, f"/previews/{preview.pk}/")
    page.evaluate("window.mine = true")
    fence = Preview.objects.claim(preview.pk, "worker", 60) or 0
    for percent, stage in ((20, "Reading rows"), (60, "Drawing")):
        Preview.objects.progress(preview.pk, fence, percent=percent, stage=stage)
        expect(page.get_by_text(stage)).to_be_visible(timeout=PATIENCE)
    Preview.objects.fail(preview.pk, fence, code="bad", message="Mend the step.")
    expect(page.get_by_text("Mend the step.")).to_be_visible(timeout=PATIENCE)
    assert page.evaluate("window.mine"), "the page itself stayed"


def test_who_reviews_sees_what_others_say_and_keeps_what_was_typed(
    team: factories.Team, look: OpenPage
) -> None:
    release = factories.make_release(team, state=State.IN_REVIEW)
    page = look(team.reviewer, f"/releases/{release.pk}/review/")
    page.get_by_label("Reason").fill("I am still reading.")
    comments.add(release=release, text="Why this bound?", by=team.co_steward)
    expect(page.get_by_text("Why this bound?")).to_be_visible(timeout=PATIENCE)
    assert page.get_by_label("Reason").input_value() == "I am still reading."
    factories.vote(team, release, "approve")
    expect(page.get_by_text("The review has moved on.")).to_be_visible(timeout=PATIENCE)


def test_everything_that_was_measured_comes_when_somebody_opens_it(
    team: factories.Team, look: OpenPage
) -> None:
    release = factories.make_release(team, state=State.IN_REVIEW)
    page = look(team.reviewer, f"/releases/{release.pk}/review/")
    everything = page.locator("#all-risk")
    everything.locator("summary").click()
    expect(everything.get_by_role("heading", name="Re-identification").first).to_be_visible(timeout=PATIENCE)
    expect(everything.get_by_role("link", name="On the page of the run")).to_have_count(0)


def test_a_browser_without_events_asks_each_second(
    team: factories.Team, release: Release, look: OpenPage
) -> None:
    run = factories.make_run(release)
    page = look(team.steward, f"/runs/{run.pk}/", NO_EVENTS)
    assert not page.evaluate("'EventSource' in window")
    assert seconds_until_shown(page, run) < 10


def test_a_line_that_broke_is_opened_again(
    web: Serving, team: factories.Team, release: Release, look: OpenPage, tmp_path: Path
) -> None:
    run = factories.make_run(release)
    with serving(web.site, tmp_path) as breaking:
        page = look(team.steward, f"/runs/{run.pk}/", at=breaking)
        breaking.end(signal.SIGKILL)
        until(lambda: not alive(breaking.pid), 10, "it is gone")
    with serving(web.site, tmp_path, port=breaking.port):
        page.wait_for_event("response", lambda answer: is_look(answer.request), timeout=PATIENCE)
        assert seconds_until_shown(page, run) < 10


def test_a_session_that_ended_leads_to_the_door(
    team: factories.Team, release: Release, look: OpenPage
) -> None:
    run = factories.make_run(release)
    page = look(team.steward, f"/runs/{run.pk}/")
    page.context.clear_cookies()
    Run.objects.claim(run.pk, "worker", 60)
    page.locator("input[name=login]").wait_for(timeout=PATIENCE)
