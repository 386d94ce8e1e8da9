"""Whatever dies and whenever: no answer is visible that nobody paid for, and none is paid for twice."""

import random

from stewardapp.models import Charge, JobState, Run
from tests.faults import dying
from tests.faults.invariants import broken
from tests.faults.standing import StandingSite
from tests.faults.world import World, ended
from tests.sampling import WHOLE
from tests.site import Site
from worker.engine.contracts.privacy import Spend
from worker.queue import app

SAMPLE = 3


def test_the_worker_or_its_engine_dies_at_each_point_of_a_paid_run(standing: StandingSite) -> None:
    note, world = standing.note, World.make(standing)
    world.budget(Spend.of(10))
    points = list(dying.PAID_POINTS) if WHOLE else random.sample(list(dying.PAID_POINTS), SAMPLE)
    for number, point in enumerate(points, start=1):
        note.write_text(point)
        run = world.paid_run(round(0.1 + number / 1000, 3))
        state = ended(run)
        assert not note.exists(), f"nobody died {point}"
        shown = dying.PAID_POINTS[point]
        assert state == (JobState.SUCCEEDED if shown else JobState.FAILED), (point, run.error_code)
        assert run.error_code == ("" if shown else "charged-unanswered"), point
        assert Charge.objects.filter(run=run).count() == 1, point
        assert broken() == [], point


def test_a_repeated_message_and_a_repeated_question_get_the_same_bytes(
    standing_embedded: StandingSite,
) -> None:
    world = World.make(standing_embedded)
    world.budget(Spend.of(1))
    first = world.paid_run(0.9)
    assert ended(first) == JobState.SUCCEEDED, first.error_message
    published = files(first)
    app.send("run", str(first.pk))
    again = world.paid_run(0.9)
    assert ended(again) == JobState.SUCCEEDED, again.error_message
    assert files(first) == files(again) == published
    assert (again.answered_by, world.version.dataset.population.charges.count()) == (first, 1)
    assert broken() == []


def files(run: Run) -> dict[str, str]:
    return dict(run.artifacts.values_list("name", "sha256"))


def test_two_runs_want_the_last_of_the_budget(standing: StandingSite) -> None:
    world = World.make(standing)
    standing.stop()
    world.budget(Spend.of(0.5))
    queued = [world.paid_run(round(0.3 + number / 1000, 3)) for number in range(3)]
    standing.start_worker()
    standing.start_worker()
    states = sorted(ended(run) for run in queued)
    assert states == [JobState.FAILED, JobState.FAILED, JobState.SUCCEEDED]
    assert {run.error_code for run in queued} == {"", "budget-exhausted"}
    assert broken() == []


def test_the_checker_sees_what_is_wrong(embedded_site: Site) -> None:
    """An answer without its charge, and a purse that does not match the charges."""
    from stewardapp.database import guards
    from stewardapp.models import Population

    world = World.make(embedded_site)
    world.budget(Spend.of(1))
    run = world.paid_run(0.5)
    assert ended(run) == JobState.SUCCEEDED
    Population.objects.update(left_epsilon_micro=0)
    assert any("charged" in line for line in broken())
    guards.remove()
    Charge._base_manager.all()._raw_delete("default")
    assert any("nobody paid for" in line for line in broken())
