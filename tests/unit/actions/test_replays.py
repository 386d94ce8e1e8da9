"""Attacks are replayed one after another, stopped by who may, and few are kept."""

from __future__ import annotations

from unittest import mock

import pytest

from stewardapp.access.verdict import Conflict, Invalid
from stewardapp.actions import replays
from stewardapp.models import Replay
from stewardapp.models.job import JobState
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> factories.Team:
    return factories.make_project()


def test_settings_that_cannot_be_are_refused_where_they_stand(team: factories.Team) -> None:
    with pytest.raises(Invalid) as refused:
        replays.start(settings={"rounds": 0}, by=team.steward)
    assert refused.value.param == "rounds"
    assert not Replay.objects.exists()


def test_of_two_who_saw_none_one_begins(team: factories.Team) -> None:
    factories.make_replay(team, done=False)
    with mock.patch.object(Replay.objects, "alive", Replay.objects.none), pytest.raises(Conflict) as refused:
        replays.start(settings={"rounds": 1}, by=team.co_steward)
    assert refused.value.code == "busy"
    assert Replay.objects.count() == 1


def test_the_oldest_are_forgotten(team: factories.Team) -> None:
    made = [factories.make_replay(team) for _ in range(replays.KEPT + 2)]
    assert set(Replay.objects.all()) == set(made[2:])


def test_who_cancels_what_somebody_else_is_cancelling_is_told(team: factories.Team) -> None:
    replay = factories.make_replay(team, done=False)
    asked = mock.patch.object(type(Replay.objects.all()), "request_cancel", return_value=False)
    with asked, pytest.raises(Conflict) as refused:
        replays.cancel(replay=replay, by=team.steward)
    assert refused.value.code == "ended"
    assert replays.cancel(replay=replay, by=team.steward).state == JobState.CANCELLED


def test_whoever_lost_the_claim_records_nothing(team: factories.Team) -> None:
    replay = factories.make_replay(team, done=False)
    with pytest.raises(Conflict) as refused:
        replays.record(replay=replay, fence=7, result=factories.REPLAYED)
    assert refused.value.code == "claim-lost"
    replay.refresh_from_db()
    assert replay.result != factories.REPLAYED
