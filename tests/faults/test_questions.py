"""A worker or its engine dies while a question is paid for, answered and stored: paid once, drawn once."""

import random

from stewardapp.models import Charge, JobState
from tests import factories
from tests.faults import dying
from tests.faults.invariants import broken
from tests.faults.standing import StandingSite
from tests.faults.world import World, ended
from tests.sampling import WHOLE
from tests.site import Site
from worker.engine.contracts.privacy import Spend
from worker.queue import app

SAMPLE = 1


def test_the_worker_or_its_engine_dies_at_each_point_of_a_question(standing: StandingSite) -> None:
    note, world = standing.note, World.make(standing)
    desk = world.desk(Spend.of(10))
    points = list(dying.ASKED_POINTS) if WHOLE else random.sample(list(dying.ASKED_POINTS), SAMPLE)
    for number, point in enumerate(points, start=1):
        note.write_text(point)
        query = world.question(desk, round(0.1 + number / 1000, 3))
        state = ended(query)
        assert not note.exists(), f"nobody died {point}"
        shown = dying.ASKED_POINTS[point]
        assert state == (JobState.SUCCEEDED if shown else JobState.FAILED), (point, query.error_code)
        assert query.error_code == ("" if shown else "charged-unanswered"), point
        assert Charge.objects.filter(query=query.pk).count() == 1, point
        answer = query.answer
        app.send("query", str(query.pk))
        behind = world.question(desk, round(0.4 + number / 1000, 3))
        assert ended(behind) == JobState.SUCCEEDED  # by then the repeated message was read
        query.refresh_from_db()
        assert query.answer == answer, point
        assert broken() == [], point


def test_the_checker_sees_what_is_wrong(embedded_site: Site) -> None:
    """A question that was charged twice, and an answer that is gone."""
    world = World.make(embedded_site)
    query = world.question(world.desk(Spend.of(1)), 0.5)
    assert ended(query) == JobState.SUCCEEDED, query.error_message
    assert broken() == []
    factories.rewrite(query, answer={})
    assert any("its answer is not" in line for line in broken())
