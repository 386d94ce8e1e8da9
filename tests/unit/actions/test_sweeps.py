"""A sweep is begun whole or not at all, and cancelled as one."""

from __future__ import annotations

from typing import Any

import pytest

from stewardapp.access.verdict import Invalid, NotAllowed
from stewardapp.actions import runs, sweeps
from stewardapp.domain.sweeping import Varied
from stewardapp.models import AuditEvent, Run, Sweep
from stewardapp.reads.changes import Topic, may_watch, standings
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db
SPENDS: Any = {"method": "dp-histogram", "params": {"columns": ["age"], "epsilon": 0.5}}


@pytest.fixture
def team(db: None) -> Team:
    return factories.make_project()


def ks(sweep: Sweep) -> list[int]:
    return [run.recipe["goals"][0]["params"]["k"] for run in sweep.runs.order_by("number")]


def test_every_combination_is_a_run_and_the_draft_stays(team: Team) -> None:
    release = factories.make_release(team)
    earlier = factories.make_run(release)
    sweep = factories.make_sweep(release)
    assert ks(sweep) == [3, 5]
    assert [run.number for run in sweep.runs.order_by("number")] == [2, 3]
    release.refresh_from_db()
    assert release.recipe["goals"] == factories.RECIPE["goals"]
    assert sweep.varied == [{"part": "goals", "number": 0, "param": "k", "values": [3, 5]}]
    assert list(Run.objects.of_sweeps().exclude(sweep=sweep)) == []
    assert earlier.sweep is None
    told = AuditEvent.objects.filter(action__in=("sweep.begun", "run.started")).order_by("id")
    assert [one.action for one in told] == ["run.started"] * 3 + ["sweep.begun"]


def test_a_value_that_cannot_be_leaves_nothing_behind(team: Team) -> None:
    release = factories.make_release(team)
    with pytest.raises(Invalid) as refusal:
        factories.make_sweep(release, entries=[Varied("goals", 0, "k", (5, 0))])
    assert refusal.value.param == "goals-0-k"
    assert not Sweep.objects.exists()
    assert not Run.objects.exists()


def test_values_that_fit_alone_and_not_together_are_refused_at_their_field(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(draft: Any, **_: Any) -> None:
        if draft["goals"][0]["params"]["k"] == 5:
            raise Invalid("impossible", "Not both.", "goals[0].params.k")

    monkeypatch.setattr(runs, "start", start)
    with pytest.raises(Invalid) as refusal:
        factories.make_sweep(factories.make_release(team))
    assert refusal.value.param == "goals-0-k"
    assert not Sweep.objects.exists()


def test_what_takes_from_a_budget_is_not_swept(team: Team) -> None:
    recipe = {**factories.RECIPE, "steps": [SPENDS]}
    with pytest.raises(NotAllowed) as refusal:
        factories.make_sweep(factories.make_release(team, recipe=recipe))
    assert refusal.value.code == "charged"


@pytest.mark.parametrize("persona", ["reviewer", "analyst", "admin"])
def test_only_those_who_run_may_sweep_and_cancel(team: Team, persona: str) -> None:
    release = factories.make_release(team)
    with pytest.raises(NotAllowed):
        factories.make_sweep(release, by=team.persona(persona))
    with pytest.raises(NotAllowed):
        sweeps.cancel(sweep=factories.make_sweep(release), by=team.persona(persona))


def test_a_cancel_stops_what_waits_and_what_works_and_nothing_twice(team: Team) -> None:
    release = factories.make_release(team)
    entries = [Varied("goals", 0, "k", (3, 5, 7))]
    sweep = factories.make_sweep(release, entries=entries)
    done, working, waiting = sweep.runs.order_by("number")
    factories.succeed(done)
    other = factories.make_run(release)
    Run.objects.claim(working.pk, "w", 60)
    sweeps.cancel(sweep=sweep, by=team.steward)
    states = {run.number: (run.state, run.cancel_requested_at is not None) for run in Run.objects.all()}
    assert states == {
        done.number: ("succeeded", False),
        working.number: ("running", True),
        waiting.number: ("cancelled", True),
        other.number: ("queued", False),
    }
    assert AuditEvent.objects.latest("id").details == {"runs": [working.number, waiting.number]}
    with pytest.raises(NotAllowed) as refusal:
        sweeps.cancel(sweep=sweep, by=team.steward)
    assert refusal.value.code == "ended"


def test_pages_hear_of_a_sweep_as_one(team: Team) -> None:
    sweep = factories.make_sweep(factories.make_release(team))
    topic = Topic.of(f"sweep:{sweep.pk}")
    seen = [standings([topic])[topic]]
    run = sweep.runs.order_by("number")[0]
    factories.succeed(run)
    seen.append(standings([topic])[topic])
    sweeps.cancel(sweep=sweep, by=team.steward)
    seen.append(standings([topic])[topic])
    assert len(set(seen)) == 3
    assert may_watch(team.reviewer, [topic])
    assert not may_watch(team.analyst, [topic])
