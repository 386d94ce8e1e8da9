"""What makes a page look again, and who may know of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from stewardapp.access.workflow import State
from stewardapp.actions import comments, runs
from stewardapp.models import Comment, Query, Run
from stewardapp.reads.changes import Standing, Topic, may_watch, standings
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db


@pytest.fixture
def team(db: None, tmp_path: Path, settings: Any) -> Team:
    settings.STEWARD_DATA = tmp_path
    return factories.make_project()


def stands(topic: Topic) -> Standing:
    return standings([topic])[topic]


def test_a_topic_is_written_as_it_is_read() -> None:
    topic = Topic("run", uuid4())
    assert Topic.of(str(topic)) == topic
    for text in ("", "run", "run:", "run:1", f"user:{uuid4()}", f"{uuid4()}"):
        with pytest.raises(ValueError):
            Topic.of(text)


def test_a_job_stands_otherwise_after_each_move(team: Team) -> None:
    run = factories.make_run(factories.make_release(team))
    topic = Topic("run", run.pk)
    seen = [stands(topic)]
    fence = Run.objects.claim(run.pk, "worker", 60) or 0
    seen.append(stands(topic))
    Run.objects.progress(run.pk, fence, percent=40, stage="Searching")
    seen.append(stands(topic))
    runs.cancel(run=run, by=team.steward)
    seen.append(stands(topic))
    Run.objects.cancelled(run.pk, fence)
    seen.append(stands(topic))
    assert len({(one.state, one.progress) for one in seen}) == 5
    assert [one.state for one in seen[1:3]] == ["running"] * 2
    assert [one.state for one in seen[3:]] == ["running stopping", "cancelled stopping"]


def test_all_jobs_are_asked_for_at_once_and_what_is_gone_is_left_out(team: Team) -> None:
    release = factories.make_release(team)
    version = factories.upload(team)
    assert version.attempt is not None
    alive = {
        Topic("run", factories.make_run(release).pk),
        Topic("preview", factories.make_preview(release, done=False).pk),
        Topic("replay", factories.make_replay(team, done=False).pk),
        Topic("reading", version.attempt.pk),
    }
    with CaptureQueriesContext(connection) as asked:
        found = standings([*alive, Topic("run", uuid4())])
    assert found == dict.fromkeys(alive, Standing("queued", "0 "))
    assert len(asked) == 1


def test_a_question_stands_as_whoever_asked_sees_it(team: Team) -> None:
    desk = factories.make_desk(team, version=factories.read(factories.upload(team)))
    waiting = factories.make_query(desk, team.analyst)
    topic = Topic("question", waiting.pk)
    assert stands(topic) == Standing("waiting")
    Query.objects.claim(waiting.pk, "worker", 60)
    assert stands(topic) == Standing("waiting"), "that work began is nobody's to know"


def test_a_review_stands_otherwise_after_a_vote_and_after_each_public_word(team: Team) -> None:
    release = factories.make_release(team, state=State.IN_REVIEW)
    topic = Topic("review", release.pk)
    before = stands(topic)
    comments.add(release=release, text="Among us.", visibility="private", by=team.reviewer)
    assert stands(topic) == before
    comments.add(release=release, text="Why?", by=team.co_steward)
    asked = stands(topic)
    comments.resolve(comment=Comment.objects.get(visibility="public"), by=team.co_steward)
    settled = stands(topic)
    factories.vote(team, release, "approve")
    assert len({before.state, asked.state, settled.state, stands(topic).state}) == 4


def test_one_watches_what_one_may_know_of(team: Team) -> None:
    release = factories.make_release(team)
    run, preview = (
        Topic("run", factories.make_run(release).pk),
        Topic("preview", factories.make_preview(release).pk),
    )
    assert may_watch(team.steward, [run, preview])
    assert may_watch(team.admin, [run])
    assert not may_watch(team.admin, [run, preview])
    assert not may_watch(team.outsider, [run])
    assert not may_watch(team.steward, [run, Topic("run", uuid4())])
    assert may_watch(team.steward, [run, run])
