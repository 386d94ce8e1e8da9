"""The address of the line on which pages hear of changes."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.http import StreamingHttpResponse
from django.test import Client
from django.urls import reverse

from stewardapp.access.workflow import State
from stewardapp.actions import comments
from stewardapp.middleware import LISTENING, SEEN
from stewardapp.reads.changes import Topic, standings
from stewardapp.views.changes import MOST_TOPICS
from stewardapp.watching.watcher import Watcher
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]


@pytest.fixture
def topic(team: Team) -> Topic:
    return Topic("run", factories.make_run(factories.make_release(team)).pk)


def line(*topics: object) -> str:
    return reverse("changes", args=[",".join(map(str, topics))])


def test_the_line_is_a_stream_that_nobody_keeps_or_holds_back(topic: Topic, browse: Browser) -> None:
    answer = browse("steward").get(line(topic))
    assert isinstance(answer, StreamingHttpResponse)
    assert answer.is_async
    assert answer.headers["Content-Type"] == "text/event-stream"
    assert answer.headers["Cache-Control"] == "no-store, private"
    assert answer.headers["X-Accel-Buffering"] == "no"
    assert "Content-Security-Policy" in answer.headers


def test_what_is_not_ones_own_or_nothing_at_all_has_no_line(topic: Topic, browse: Browser) -> None:
    steward = browse("steward")
    for of in (
        line(topic, Topic("run", uuid4())),
        line("run"),
        line("x"),
        line(*[topic] * (MOST_TOPICS + 1)),
    ):
        assert steward.get(of).status_code == 404
    assert browse("outsider").get(line(topic)).status_code == 404
    assert Client().get(line(topic)).status_code == 302


def test_who_listens_on_too_many_pages_is_told(
    topic: Topic, browse: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Watcher, "has_room_for", lambda self, person: False)
    assert browse("steward").get(line(topic)).status_code == 429


def test_listening_keeps_nobody_signed_in(topic: Topic, browse: Browser) -> None:
    client = browse("steward")
    client.get("/")
    session = client.session
    session[SEEN] -= 600
    session.save()
    assert line(topic).startswith(LISTENING)
    client.get(line(topic))
    assert client.session[SEEN] == session[SEEN]
    client.get("/")
    assert client.session[SEEN] > session[SEEN]


def test_pages_say_what_they_watch_while_it_is_under_way(team: Team, topic: Topic, browse: Browser) -> None:
    release = factories.make_release(team)
    runs = {str(Topic("run", factories.make_run(release).pk)) for _ in range(2)}
    page = browse("steward").get(reverse("release-progress", args=[release.pk])).content.decode()
    assert set(page.partition('data-watch="')[2].partition('"')[0].split()) == runs
    assert (
        f'data-watch="{topic}"'
        in browse("steward").get(reverse("run-detail", args=[topic.id])).content.decode()
    )


def test_a_review_is_watched_while_it_goes_on(team: Team, browse: Browser) -> None:
    release = factories.make_release(team, state=State.IN_REVIEW)
    reviewer, topic = browse("reviewer"), f'data-watch="review:{release.pk}"'
    page = reviewer.get(reverse("review-detail", args=[release.pk])).content.decode()
    assert page.count(topic) == 2
    comments.add(release=release, text="Why this bound?", by=team.co_steward)
    progress = reverse("review-progress", args=[release.pk])
    part = reviewer.get(progress).content.decode()
    assert "Why this bound?" in part
    assert "<html" not in part
    assert "moved on" not in part
    factories.vote(team, release, "approve")
    after = reviewer.get(progress).content.decode()
    assert "moved on" in after
    assert topic not in after


def test_a_review_page_hears_that_its_candidate_was_assessed_and_keeps_what_was_written(
    team: Team, browse: Browser
) -> None:
    release = factories.make_release(team, state=State.IN_REVIEW)
    reviewer, topic = browse("reviewer"), Topic("review", release.pk)
    seen, before = release.candidate_sha256, standings([topic])
    page = reviewer.get(reverse("review-detail", args=[release.pk])).content.decode()
    watched = f"{reverse('review-progress', args=[release.pk])}?seen={seen}"
    assert f'hx-get="{watched}"' in page
    assert "more to look at" not in reviewer.get(watched).content.decode()
    assert release.candidate is not None
    factories.make_demand(release.candidate, by=team.reviewer)
    release.refresh_from_db()
    assert release.candidate_sha256 != seen
    assert standings([topic]) != before
    part = reviewer.get(watched).content.decode()
    assert "more to look at" in part
    assert f'hx-get="{watched}"' in part, "until it is loaded it shows what it showed"
    vote = {"manifest_sha256": seen, "decision": "approve", "reason": "Nobody stands alone."}
    anew = reviewer.post(reverse("review-decide", args=[release.pk]), vote)
    assert anew.status_code == 409
    told = anew.content.decode()
    assert "Your vote was not taken." in told
    assert "Nobody stands alone." in told
    assert f'value="{release.candidate_sha256}"' in told
    assert not release.reviews.exists()
