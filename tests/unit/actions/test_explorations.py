"""Solutions are listed once for a run, and never where noise was paid for."""

from __future__ import annotations

import pytest

from stewardapp.access.verdict import Conflict, NotAllowed
from stewardapp.actions import explorations
from stewardapp.models import Exploration, Reading, Run
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    return factories.make_succeeded_run(factories.make_release(factories.make_project()))


@pytest.mark.parametrize("done", [False, True])
def test_one_list_is_enough(run: Run, done: bool) -> None:
    factories.make_exploration(run, done=done)
    with pytest.raises(Conflict) as refused:
        explorations.start(run=run, by=run.started_by)
    assert refused.value.code == "busy"
    assert Exploration.objects.count() == 1


def test_whoever_lost_the_claim_writes_no_list(run: Run) -> None:
    exploration = factories.make_exploration(run, done=False)
    with pytest.raises(Conflict):
        explorations.record(exploration=exploration, fence=7, steps=[factories.EXPLORED])
    exploration.refresh_from_db()
    assert exploration.steps == []


def test_noise_that_was_paid_for_is_not_drawn_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorations, "costs_of", lambda recipe: ["something"])
    with pytest.raises(NotAllowed) as refused:
        explorations.start(run=run, by=run.started_by)
    assert refused.value.code == "charged"


def test_data_are_held_as_long_as_somebody_lists(run: Run) -> None:
    version = run.release.version
    assert not version.facts().busy
    exploration = factories.make_exploration(run, done=False)
    assert version.facts().busy
    assert run.reading in Reading.objects.needed()
    Exploration.objects.filter(pk=exploration.pk).delete()
    assert not version.facts().busy
