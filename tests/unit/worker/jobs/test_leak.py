"""A file that leaked becomes a table, and a candidate that gives people away beside it is caught."""

from __future__ import annotations

import pytest

from stewardapp import storage
from stewardapp.actions import assessments, leaks
from stewardapp.models import AuditEvent, Leak, Notification
from tests import factories
from tests.site import Site
from tests.unit.worker.jobs.test_assessment import GENERALIZED, Scene, file_of_people
from worker.queue import runner

BESIDE = [{"measure": one, "params": {}} for one in ("intersection", "differencing")]


@pytest.fixture
def scene(embedded_site: Site) -> Scene:
    return Scene(GENERALIZED, [])


def leaked(scene: Scene, content: bytes) -> Leak:
    people = scene.run.release.version.dataset.population
    leak = factories.make_leak(people, scene.team.steward, done=False, content=content)
    runner.perform("leak", str(leak.pk))
    return Leak.objects.select_related("raw", "table").get(pk=leak.pk)


def compared(scene: Scene) -> list[dict[str, object]]:
    made = assessments.ask(run=scene.run, measures=BESIDE, by=scene.team.steward)
    runner.perform("assessment", str(made.pk))
    made.refresh_from_db()
    assert (made.state, made.error_message) == ("succeeded", "")
    return list(made.report["measures"])


def test_it_is_read_and_every_candidate_is_compared_with_it(scene: Scene) -> None:
    alone, _ = compared(scene)
    assert alone["state"] == "does-not-apply"
    leak = leaked(scene, file_of_people())
    assert (leak.state, leak.rows, leak.error_message) == ("succeeded", 60, "")
    assert leak.raw.destroyed_at is not None
    assert leak.table is not None
    assert not list((storage.root() / "temporary").iterdir())
    for found in compared(scene):
        assert found["state"] == "measured", found["reason"]
        parts = found["after"]
        assert isinstance(parts, dict)
        assert parts["compared_releases"] == 1
        assert any(isinstance(one, dict) and leak.title in one for one in parts.values())
    assert compared(scene)[0]["after"]["smallest_joint_class"] == 1  # the file as it was uploaded tells all


def test_a_file_without_a_column_of_the_data_is_left_out(scene: Scene) -> None:
    leaked(scene, b"colour,shape\nred,round\n")
    found, other = compared(scene)
    assert (found["state"], other["state"]) == ("does-not-apply", "does-not-apply")
    assert "shares a column" in str(found["reason"])


def test_one_that_was_unregistered_meanwhile_is_not_opened(scene: Scene) -> None:
    leak = leaked(scene, file_of_people())
    made = assessments.ask(run=scene.run, measures=BESIDE, by=scene.team.steward)
    assert list(made.leaks.all()) == [leak]
    leaks.unregister(leak=leak, reason="Another file.", by=scene.team.steward)
    runner.perform("assessment", str(made.pk))
    made.refresh_from_db()
    assert [one["state"] for one in made.report["measures"]] == ["does-not-apply"] * 2


def test_what_is_no_table_says_so_and_is_gone(scene: Scene) -> None:
    leak = leaked(scene, b"\x00\x01\x02PAR1" * 50)
    assert leak.state == "failed"
    assert leak.raw.destroyed_at is not None
    assert AuditEvent.objects.about(leak).latest("pk").details["uploaded_file"] == "destroyed"
    assert Notification.objects.filter(user=scene.team.steward, text__contains="that leaked: ").exists()
