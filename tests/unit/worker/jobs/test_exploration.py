"""An exploration by a worker, with a stand-in for the engine: what it is asked, and what becomes of it."""

from __future__ import annotations

import pytest

from stewardapp import storage
from stewardapp.models import AuditEvent, Exploration, JobState, Notification, Run
from tests import factories
from tests.site import Site
from tests.unit.worker.stand_in import StandIn
from worker.engine.errors import EngineError
from worker.process import parent as process
from worker.process.keys import randomness
from worker.queue import runner


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, embedded_site: Site) -> StandIn:
    engine = StandIn()
    monkeypatch.setattr(process, "execute", engine.execute)
    return engine


@pytest.fixture
def run(engine: StandIn) -> Run:
    return factories.make_succeeded_run(factories.make_release(factories.make_project()))


def done(run: Run) -> Exploration:
    exploration = factories.make_exploration(run, done=False)
    runner.perform("exploration", str(exploration.pk))
    return Exploration.objects.get(pk=exploration.pk)


def test_the_searches_are_made_on_the_table_of_the_run_with_its_keys(run: Run, engine: StandIn) -> None:
    exploration = done(run)
    assert (exploration.state, exploration.steps) == (JobState.SUCCEEDED, [factories.EXPLORED])
    ((job, asked),) = engine.asked
    assert (job, asked["recipe"], asked["populations"]) == ("explore", run.recipe, [])
    assert asked["key"] == randomness(storage.key_bytes(run.key)).hex()
    events = [event.action for event in AuditEvent.objects.about(exploration)]
    assert events == ["exploration.succeeded", "exploration.started"]


def test_one_that_fails_says_so_on_its_page_alone(run: Run, engine: StandIn) -> None:
    def refused() -> None:
        raise EngineError("memory", "Too many nodes.")

    engine.before["explore"] = refused
    exploration = done(run)
    assert (exploration.state, exploration.error_message) == (JobState.FAILED, "Too many nodes.")
    assert not Notification.objects.filter(text__contains="Too many nodes.").exists()
